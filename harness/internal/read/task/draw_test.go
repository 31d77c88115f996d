package task

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
)

// withValues is a task that draws a code and a price.
func withValues(fields string) map[string]string {
	return map[string]string{
		"a/task.json": `{"id":"a","title":"T","startUrl":"https://example.com/{{param.code}}","goal":"Pay {{param.price}}.",` +
			`"success":{"kind":"and","children":[{"kind":"url","pattern":"/{{param.price}}$"},{"kind":"dom_text","contains":"{{param.price}} EUR"}]}` + fields + `}`,
		"a/params.json": `{"sites":["example.com"],"values":{"code":{"token":8},"price":{"int":[100,99900],"decimals":2}}}`,
	}
}

// The same values stand in address, goal and contract, escaped in patterns.
func TestDraw(t *testing.T) {
	seen := make(map[string]string)
	for name, c := range map[string]struct {
		seed   int
		fields string
	}{
		"seed 0":     {0, ""},
		"seed 1":     {1, ""},
		"revision 2": {0, `,"revision":2`},
	} {
		s := load(t, Options{Hosts: hosts, Draws: []string{"example.com"}, Seed: c.seed}, withValues(c.fields))[0]
		code, price := s.Values["code"].(string), s.Values["price"].(string)
		if s.StartURL != "https://example.com/"+code || s.Goal != "Pay "+price+"." {
			t.Errorf("%s: %s, %s; want %s and %s", name, s.StartURL, s.Goal, code, price)
		}
		want := `{"kind":"and","children":[{"kind":"url","pattern":"/` + strings.ReplaceAll(price, ".", `\\.`) + `$"},{"kind":"dom_text","contains":"` + price + ` EUR"}]}`
		need.Equal(t, fmt.Sprintf("%s: contract", name), want, string(s.Success.Raw()))
		need.Equal(t, "", []string{"example.com"}, s.Sites)
		if other := seen[code]; other != "" {
			t.Errorf("%s and %s drew the same code", name, other)
		}
		seen[code] = name
	}
	first := load(t, Options{Hosts: hosts}, withValues(""))[0]
	explicit := load(t, Options{Hosts: hosts}, withValues(`,"revision":1`))[0]
	if diff := cmp.Diff(first.Values, explicit.Values); diff != "" {
		t.Errorf("without a revision and with 1:\n%s", diff)
	}
}

func TestDrawFaults(t *testing.T) {
	for _, c := range []struct {
		name, file, old, new, want string
	}{
		{"unknown name", "task.json", "Pay {{param.price}}", "Pay {{param.prize}}", `tasks/a/task.json:1:78: /goal: has {{param.prize}}, which is not in params.json; did you mean "price"?`},
		{"in the contract", "task.json", `"{{param.price}} EUR"`, `"{{param.x}}"`, `tasks/a/task.json:1:212: /success/children/1/contains: has {{param.x}}, which is not in params.json`},
		{"in the title", "task.json", `"T"`, `"{{param.code}}"`, `tasks/a/task.json:1:19: /title: has a placeholder; only startUrl, goal and success may have one`},
		{"fault of the rules", "params.json", `"decimals":2`, `"decimal":2`, `tasks/a/params.json:1:82: /values/price/decimal: unknown field "decimal"; allowed: int, step, count, decimals; did you mean "decimals"?`},
		{"host without values", "params.json", `"example.com"`, `"forms.test"`, `tasks/a/params.json:1:11: /sites/0: no fixture site "forms.test" shows drawn values`},
		{"host not listed", "params.json", `"example.com"`, ``, `tasks/a/task.json:1:34: /startUrl: the pages of example.com show drawn values; list the host in "sites" of params.json`},
		{"value in the wrong place", "task.json", `"goal":"Pay`, `"maxSteps":"{{param.code}}","goal":"Pay`, `tasks/a/task.json:1:82: /maxSteps: has a placeholder; only startUrl, goal and success may have one`},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := withValues("")
			text := files["a/"+c.file]
			if files["a/"+c.file] = strings.Replace(text, c.old, c.new, 1); files["a/"+c.file] == text {
				t.Fatalf("%s does not have %s", c.file, c.old)
			}
			_, err := read(source(files), Options{Hosts: hosts, Draws: []string{"example.com"}})
			got := ""
			if err != nil {
				got, _, _ = strings.Cut(err.Error(), "\n")
			}
			need.Is(t, "", c.want, got)
		})
	}
	files := withValues("")
	delete(files, "a/params.json")
	_, err := read(source(files), Options{Hosts: hosts})
	if want := "has {{param.price}}, but params.json is missing or has no valid values; add it or correct it, or write the value here"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("without params.json: %v", err)
	}
}
