package param

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// list returns a list of n different texts in JSON.
func list(n int) string {
	texts := make([]string, n)
	for i := range texts {
		texts[i] = fmt.Sprintf(`"t%d"`, i)
	}
	return "[" + strings.Join(texts, ",") + "]"
}

// repeat returns n entries of an object. %d in entry is the number of the entry.
func repeat(n int, entry string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(", " + strings.ReplaceAll(entry, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// bombs are values that would take all memory. Each is the content of "values".
var bombs = []struct{ name, values, want string }{
	{"shuffles", `"a": {"some": 1000, "of": ` + list(1000) + "}" + repeat(15_000, "\n"+`"s%d": {"shuffle": "a"}`),
		"params.json:118:9: /values/s115: with this value, the values can take more than 4 MiB; draw fewer or shorter ones"},
	{"long choice", `"a": {"oneOf": ["a", "` + strings.Repeat("x", 10_001) + `"]}`,
		"params.json:2:22: /values/a/oneOf/1: is longer than 10000 bytes; shorten it"},
	{"text", `"a": {"oneOf": ["` + strings.Repeat("y", 9_000) + `", "` + strings.Repeat("x", 9_000) + `"]}, ` + "\n" + `"b": {"text": "` + strings.Repeat("{{param.a}}", 1_000) + `"}`,
		"params.json:3:15: /values/b/text: can make a text of more than 10000 bytes; shorten it"},
	{"texts", `"a": {"oneOf": ["` + strings.Repeat("y", 9_000) + `", "` + strings.Repeat("x", 9_000) + `"]}` + repeat(20_000, "\n"+`"b%d": {"text": "{{param.a}}"}`),
		"params.json:466:9: /values/b463: with this value, the values can take more than 4 MiB; draw fewer or shorter ones"},
	{"columns of a zip", `"a": {"some": 1000, "of": ` + list(1000) + `}, ` + "\n" + `"b": {"zip": {"x": "a"` + repeat(40_000, `"c%d": "a"`) + "}}",
		"params.json:3:6: /values/b: has 40001 columns; the limit is 100"},
	{"columns of choices", `"a": {"oneOf": [{"x": "a"}` + repeat(999, `{"a%d": "a", "b%d": "b", "c%d": "a"}`) + "]}",
		"params.json:2:16: /values/a/oneOf: has 2998 columns; the limit is 100"},
}

func TestBombs(t *testing.T) {
	for _, bomb := range bombs {
		t.Run(bomb.name, func(t *testing.T) {
			f := jsonfile.New(FileName, []byte(`{"values": {`+"\n"+bomb.values+"}}"))
			Read(f, nil).Draw(0, "a", 1)
			f.Faults.Sort()
			if got := f.Faults.Error(); !strings.HasPrefix(got, bomb.want) {
				t.Errorf("faults:\n%.1000s\nwant %s", got, bomb.want)
			}
		})
	}
}

// Values are filled in only as far as the file stays small.
func TestBombsOfPlaceholders(t *testing.T) {
	values := Values{"a": strings.Repeat("x", 9_000)}
	for name, c := range map[string]struct{ file, want string }{
		"one text":   {"{\n" + `"goal": "` + strings.Repeat("{{param.a}}", 1_000) + `"}`, "f:2:9: /goal: with the values filled in, the file is larger than 1048576 bytes; use fewer or shorter values"},
		"many texts": {"[" + strings.Repeat("\n"+`"{{param.a}}",`, 60_000) + "0]", "f:118:1: /116: with the values filled in, the file is larger than 1048576 bytes; use fewer or shorter values"},
		"unknown": {`"` + strings.Repeat("{{param.b}}", 60_000) + `"`, strings.Repeat("f:1:1: /: has {{param.b}}, which is not in params.json\n", 200) +
			"f:1:1: /: more faults follow; only the first 200 are listed"},
	} {
		t.Run(name, func(t *testing.T) {
			f := jsonfile.New("f", []byte(c.file))
			f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return values.Fill(f, n) }
			f.Value()
			if diff := cmp.Diff(c.want, f.Faults.Error()); diff != "" {
				t.Errorf("faults (-want +got):\n%.2000s", diff)
			}
		})
	}
}
