package param

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// read reads a params.json without faults.
func read(t *testing.T, text string) Spec {
	t.Helper()
	f := jsonfile.New("params.json", []byte(text))
	s := Read(f, nil)
	need.OK(t, f.Faults.Err())
	return s
}

// every has each rule once.
const every = `{
  "sites": ["shop.test"],
  "values": {
    "city": {"oneOf": ["Oslo", "Bergen", "Bodo", "Molde", "Narvik"]},
    "person": {"oneOf": [{"name": "Ada", "mail": "ada@shop.test"}, {"name": "Bo", "mail": "bo@shop.test"}]},
    "names": {"some": 3, "of": ["Ada", "Bo", "Cy", "Di"]},
    "rooms": {"some": 2, "of": [{"id": "a", "beds": "1"}, {"id": "b", "beds": "2"}, {"id": "c", "beds": "3"}]},
    "count": {"int": [2, 9]},
    "price": {"int": [100, 995], "step": 5, "decimals": 2},
    "prices": {"int": [-50, 5000], "count": 3, "decimals": 2},
    "token": {"token": 8},
    "total": {"sum": ["price", "prices.1", "-prices.2"]},
    "line": {"text": "{{param.count}} beds for {{param.person.name}} at {{param.total}} EUR"},
    "rows": {"zip": {"name": "names", "price": "prices"}},
    "order": {"shuffle": "rows"},
    "other": {"shuffle": "names"}
  }
}`

func TestForms(t *testing.T) {
	s := read(t, every)
	need.Equal(t, "", []string{"shop.test"}, s.Sites)
	for n := range 200 {
		v := s.Draw(n, "task", 1)
		names, prices := v["names"].([]string), v["prices"].([]string)
		rows, order := v["rows"].([]Row), v["order"].([]Row)
		for i, row := range rows {
			if want := (Row{"name": names[i], "price": prices[i]}); !maps.Equal(row, want) {
				t.Errorf("seed %d: row %d is %v, want %v", n, i, row, want)
			}
		}
		if diff := cmp.Diff(sorted(rows), sorted(order)); diff != "" {
			t.Errorf("seed %d: order (-rows +order):\n%s", n, diff)
		}
		if diff := cmp.Diff(sorted(names), sorted(v["other"].([]string))); diff != "" || len(slices.Compact(sorted(names))) != 3 {
			t.Errorf("seed %d: names are %v, other is %v", n, names, v["other"])
		}
		rooms := v["rooms"].([]Row)
		if len(rooms) != 2 || rooms[0]["id"] == rooms[1]["id"] {
			t.Errorf("seed %d: rooms are %v", n, rooms)
		}
		if total := cents(t, v["price"]) + cents(t, prices[0]) - cents(t, prices[1]); total != cents(t, v["total"]) {
			t.Errorf("seed %d: %v + %s - %s is %v", n, v["price"], prices[0], prices[1], v["total"])
		}
		if price := cents(t, v["price"]); price < 100 || price > 995 || price%5 != 0 {
			t.Errorf("seed %d: price is %v", n, v["price"])
		}
		person := v["person"].(Row)
		if want := fmt.Sprintf("%s beds for %s at %s EUR", v["count"], person["name"], v["total"]); v["line"] != want {
			t.Errorf("seed %d: line is %q, want %q", n, v["line"], want)
		}
		token := v["token"].(string)
		if len(token) != 8 || strings.Trim(token, letters) != "" {
			t.Errorf("seed %d: token is %q", n, token)
		}
	}
}

func sorted[T any](list []T) []string {
	var texts []string
	for _, v := range list {
		texts = append(texts, fmt.Sprint(v))
	}
	slices.Sort(texts)
	return texts
}

// cents reads an amount with two decimals.
func cents(t *testing.T, amount any) int {
	t.Helper()
	var whole, part int
	text := fmt.Sprint(amount)
	digits, minus := strings.CutPrefix(text, "-")
	if n, err := fmt.Sscanf(digits, "%d.%2d", &whole, &part); n != 2 || err != nil || len(digits)-strings.Index(digits, ".") != 3 {
		t.Fatalf("%q is no amount: %v", text, err)
	}
	if minus {
		return -100*whole - part
	}
	return 100*whole + part
}

// A column that a row leaves out is empty, so that every seed has the same form.
func TestEmptyColumns(t *testing.T) {
	s := read(t, `{"values": {"mail": {"some": 2, "of": [{"n": "1"}, {"n": "2", "star": "yes"}]}}}`)
	v := s.Draw(0, "task", 1)
	rows := v["mail"].([]Row)
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a["n"], b["n"]) })
	need.Equal(t, "", []Row{{"n": "1", "star": ""}, {"n": "2", "star": "yes"}}, rows)
}

// Each part of the seed gives other values.
func TestDrawsDiffer(t *testing.T) {
	s := read(t, `{"values": {"a": {"token": 16}, "b": {"token": 16}}}`)
	seen := make(map[any]string)
	for name, v := range map[string]Values{
		"zero":     s.Draw(0, "task", 1),
		"number":   s.Draw(1, "task", 1),
		"task":     s.Draw(0, "other", 1),
		"revision": s.Draw(0, "task", 2),
	} {
		for _, token := range []any{v["a"], v["b"]} {
			if other := seen[token]; other != "" {
				t.Errorf("%s and %s drew the same", name, other)
			}
			seen[token] = name
		}
	}
	// A value does not depend on the other values of the file.
	if got := read(t, `{"values": {"x": {"int": [1, 9]}, "b": {"token": 16}}}`).Draw(0, "task", 1)["b"]; seen[got] != "zero" {
		t.Errorf("b is %v after another value is added before it", got)
	}
}

// A choice may be empty, so that a task can ask for an empty field.
func TestEmptyChoice(t *testing.T) {
	s, seen := read(t, `{"values": {"note": {"oneOf": ["", "ring twice"]}, "all": {"text": "({{param.note}})"}}}`), map[any]bool{}
	for seed := range 20 {
		seen[s.Draw(seed, "task", 1)["all"]] = true
	}
	need.Equal(t, "drawn", map[any]bool{"()": true, "(ring twice)": true}, seen)
}

// faulty are values with faults. The JSON Schema cannot refuse the ones that are
// beyondSchema.
var faulty = []struct {
	name, values, want string
	beyondSchema       bool
}{
	{"no rule", `"a": {}`, `/values/a: has 0 of the keys oneOf, some, int, token, sum, text, zip, shuffle, want one`, false},
	{"two rules", `"a": {"token": 5, "int": [1, 2]}`, `/values/a: has 2 of the keys oneOf, some, int, token, sum, text, zip, shuffle, want one`, false},
	{"not a rule", `"a": 5`, `/values/a: is 5, want an object with one of oneOf, some, int, token, sum, text, zip, shuffle`, false},
	{"name", `"a.b": {"token": 5}`, `/values/a.b: the name "a.b" must begin with a letter, and have only letters and digits`, false},
	{"column", `"a": {"oneOf": [{"b.c": "x"}, {"b.c": "y"}]}`, `/values/a/oneOf/0/b.c: the name "b.c" must begin with a letter, and have only letters and digits
/values/a/oneOf/1/b.c: the name "b.c" must begin with a letter, and have only letters and digits`, false},
	{"unknown key", `"a": {"int": [1, 2], "stepp": 2}`, `/values/a/stepp: unknown field "stepp"; allowed: int, step, count, decimals; did you mean "step"?`, false},
	{"blank choice", `"a": {"oneOf": ["", " "]}`, `/values/a/oneOf/1: is " ", want a non-empty string`, false},
	{"one choice", `"a": {"oneOf": ["x"]}`, `/values/a/oneOf: has 1 choice, want 2 to 1000`, false},
	{"equal choices", `"a": {"oneOf": ["x", "y", "X"]}`, `/values/a/oneOf/2: equals an earlier choice, apart from case`, true},
	{"placeholder in a choice", `"a": {"oneOf": ["x", "{{tabId}}"]}`, `/values/a/oneOf/1: has {{, which a drawn text must not have; use the rule text to join values`, false},
	{"mixed", `"a": {"oneOf": ["x", {"b": "y"}]}`, `/values/a/oneOf/1: is an object; want only texts, or only objects of texts`, false},
	{"mixed, rows first", `"a": {"oneOf": [{"b": "y"}, "x"]}`, `/values/a/oneOf/1: is a string; want only texts, or only objects of texts`, false},
	{"too few", `"a": {"some": 3, "of": ["x", "y"]}`, `/values/a/some: is 3, but the list has only 2 choices`, true},
	{"no list", `"a": {"some": 3}`, `/values/a: missing field "of"; required: of`, false},
	{"one bound", `"a": {"int": [1]}`, `/values/a/int: has 1 number, want two: the lowest and the highest`, false},
	{"order", `"a": {"int": [2, 1]}`, `/values/a/int: has 2 and 1, want a higher second number that the step 1 reaches`, true},
	{"step", `"a": {"int": [0, 5], "step": 2}`, `/values/a/int: has 0 and 5, want a higher second number that the step 2 reaches`, true},
	{"count", `"a": {"int": [1, 3], "count": 4}`, `/values/a/count: is 4, but there are only 3 numbers`, true},
	{"short token", `"a": {"token": 3}`, `/values/a/token: is 3, want an integer from 4 to 64`, false},
	{"sum before", `"a": {"sum": ["b"]}, "b": {"int": [1, 2]}`, `/values/a/sum/0: no value before this one has a text "b"`, true},
	{"sum of a list", `"b": {"int": [1, 9], "count": 2}, "a": {"sum": ["b"]}`, `/values/a/sum/0: no value before this one has a text "b"; did you mean "b.1"?`, true},
	{"sum of a text", `"b": {"token": 5}, "a": {"sum": ["b"]}`, `/values/a/sum/0: the value "b" is not a number`, true},
	{"sum of decimals", `"b": {"int": [1, 9]}, "c": {"int": [1, 9], "decimals": 2}, "a": {"sum": ["b", "c"]}`, `/values/a/sum/1: has 2 decimals, but the number before it has 0`, true},
	{"empty sum", `"a": {"sum": []}`, `/values/a/sum: has no numbers`, false},
	{"text", `"b": {"oneOf": [{"c": "x"}, {"c": "y"}]}, "a": {"text": "{{param.b.d}}"}`, `/values/a/text: no value before this one has a text "b.d"; did you mean "b.c"?`, true},
	{"text with a mark", `"a": {"text": "{{saved.x}}"}`, `/values/a/text: has {{ outside of {{param.NAME}}; remove it`, true},
	{"zip of a text", `"b": {"token": 5}, "a": {"zip": {"c": "b"}}`, `/values/a/zip/c: no value before this one is a list "b"`, true},
	{"zip of rows", `"b": {"some": 2, "of": [{"c": "x"}, {"c": "y"}]}, "a": {"zip": {"d": "b"}}`, `/values/a/zip/d: the list "b" has rows; a column has texts`, true},
	{"zip of lengths", `"b": {"some": 2, "of": ["x", "y"]}, "c": {"int": [1, 9], "count": 3}, "a": {"zip": {"b": "b", "c": "c"}}`,
		`/values/a/zip/c: the list "c" has 3 items, but the one before it has 2`, true},
	{"empty zip", `"a": {"zip": {}}`, `/values/a/zip: has no columns`, false},
	{"shuffle", `"list": {"int": [1, 9], "count": 3}, "a": {"shuffle": "lists"}`, `/values/a/shuffle: no value before this one is a list "lists"; did you mean "list"?`, true},
	{"one fault", `"b": {"token": 1}, "a": {"text": "{{param.b}}"}`, `/values/b/token: is 1, want an integer from 4 to 64`, false},
	{"too long", `"a": {"text": "` + strings.Repeat("x", 10_001) + `"}`, `/values/a/text: can make a text of more than 10000 bytes; shorten it`, true},
}

func TestFaults(t *testing.T) {
	for _, c := range faulty {
		t.Run(c.name, func(t *testing.T) {
			f := jsonfile.New("p", []byte(`{"values": {`+c.values+`}}`))
			s := Read(f, nil)
			var got []string
			for _, fault := range f.Faults {
				got = append(got, fault.Pointer+": "+fault.Msg)
			}
			need.Equal(t, "faults", strings.Split(c.want, "\n"), got)
			s.Draw(0, "task", 1) // draws what it can
		})
	}
}

func TestSites(t *testing.T) {
	for sites, want := range map[string]string{
		`["shop.test", "news.test"]`: "",
		`["shop.test", "shop.test"]`: `p:1:25: /sites/1: the host is listed twice`,
		`["shops.test"]`:             `p:1:12: /sites/0: no fixture site "shops.test" shows drawn values; did you mean "shop.test"?`,
		`[1]`:                        `p:1:12: /sites/0: is 1, want a non-empty string`,
	} {
		f := jsonfile.New("p", []byte(`{"sites": `+sites+`, "values": {}}`))
		Read(f, []string{"news.test", "shop.test"})
		got := ""
		if err := f.Faults.Err(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s\nwant %s", sites, got, want)
		}
	}
}

func TestText(t *testing.T) {
	v := Values{"a": "x", "row": Row{"b": "y"}, "list": []string{"p", "q"}, "rows": []Row{{"c": "r"}, {"c": "s"}}}
	for path, want := range map[string]string{"a": "x", "row.b": "y", "list.1": "p", "list.2": "q", "rows.2.c": "s"} {
		if got, ok := v.Text(path); got != want || !ok {
			t.Errorf("Text(%q) = %q, %t, want %q", path, got, ok, want)
		}
		if !slices.Contains(v.Paths(), path) {
			t.Errorf("%q is not in paths", path)
		}
	}
	for _, path := range []string{"", "b", "a.1", "row", "row.c", "row.b.c", "list", "list.0", "list.3", "list.01", "list.+1", "list.x", "rows.1", "rows.1.d", "a."} {
		if got, ok := v.Text(path); ok {
			t.Errorf("Text(%q) = %q", path, got)
		}
	}
	need.Equal(t, "", []string{"p", "q", "r", "s", "x", "y"}, v.All())
}

// A session in a container gets its values as JSON.
func TestValuesAsJSON(t *testing.T) {
	want := read(t, every).Draw(3, "task", 1)
	raw, err := json.Marshal(want)
	need.OK(t, err)
	var got Values
	need.OK(t, json.Unmarshal(raw, &got))
	need.Equal(t, "", want, got)
	for _, bad := range []string{`{"a": 1}`, `{"a": [1]}`, `{"a": {"b": ["c"]}}`, `[]`} {
		if err := json.Unmarshal([]byte(bad), &got); err == nil {
			t.Errorf("%s became %v", bad, got)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, c := range []struct {
		n, decimals int
		want        string
	}{
		{0, 0, "0"}, {-7, 0, "-7"}, {0, 2, "0.00"}, {5, 2, "0.05"}, {-5, 2, "-0.05"}, {100, 2, "1.00"}, {-12345, 2, "-123.45"}, {1, 6, "0.000001"},
	} {
		got := number(c.n, c.decimals)
		if got != c.want || units(got) != c.n {
			t.Errorf("number(%d, %d) = %q, read as %d; want %q", c.n, c.decimals, got, units(got), c.want)
		}
	}
}

func TestFill(t *testing.T) {
	v := Values{"price": "1.50", "name": `A "b"`, "list": []string{"x"}}
	f := jsonfile.New("t.json", []byte(`{
	"goal": "Pay {{param.price}} to {{param.name}}",
	"fields": {"{{param.name}}": "{{param.list.1}}{{tabId}}"},
	"url_pattern": "^{{param.price}}$",
	"save": {"fare": "{{param.price}}"},
	"n": 1
}`))
	f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return v.Fill(f, n, "url_pattern", "save") }
	n := f.Value()
	want := `{
	"goal": "Pay 1.50 to A \"b\"",
	"fields": {"A \"b\"": "x{{tabId}}"},
	"url_pattern": "^1\\.50$",
	"save": {"fare": "1\\.50"},
	"n": 1
}`
	if diff := cmp.Diff(want, f.Raw(n)); diff != "" || f.Faults != nil {
		t.Errorf("%v (-want +got):\n%s", f.Faults, diff)
	}
}

func TestFillFaults(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": "{{param.prize}}"}`:                `t.json:1:7: /a: has {{param.prize}}, which is not in params.json; did you mean "price"?`,
		`{"a": "{{param.price.1}}"}`:              `t.json:1:7: /a: has {{param.price.1}}, which is not in params.json`,
		`{"{{param.x}}": 1}`:                      `t.json:1:17: /{{param.x}}: has {{param.x}}, which is not in params.json`,
		`["{{param.price}}{{param.}}"]`:           `t.json:1:2: /0: has {{param.}}, which is not in params.json`,
		`["{{param.price}}", "{{param.price}"]`:   `t.json:1:21: /1: has an incomplete placeholder; write {{param.NAME}}`,
		`{"a": "{{param.price}}", "b": "\ud800"}`: `t.json:1:32: /b: \ud800 is half of a surrogate pair; write the character itself`,
		`{"a": "{{param.price}}", "b":`:           `t.json:1:30: /b: syntax: the file ends here`,
		`{"{{param.price}}": 1, "1.50": 2}`:       `t.json:1:24: /1.50: duplicate key "1.50"; keep one of them`,
	} {
		v := Values{"price": "1.50"}
		f := jsonfile.New("t.json", []byte(text))
		f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return v.Fill(f, n) }
		f.Value()
		if got := f.Faults.Err(); got == nil || !strings.HasPrefix(got.Error(), want) {
			t.Errorf("%s: %v\nwant %s", text, got, want)
		}
	}
	f := jsonfile.New("t.json", []byte(`"{{param.x}}"`))
	f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return Values(nil).Fill(f, n) }
	f.Value()
	if got, want := f.Faults.Err().Error(), "t.json:1:1: /: has {{param.x}}, but params.json is missing or has no valid values; add it or correct it, or write the value here"; got != want {
		t.Errorf("without values: %s\nwant %s", got, want)
	}
}

// FuzzRead holds that a file without faults draws values of one form with every seed, and
// that they are small and survive JSON.
func FuzzRead(f *testing.F) {
	f.Add(every)
	f.Add(`{"values": {"a": {"text": "{{param.b}}"}, "a": {"sum": ["-a.1"]}}}`)
	f.Add(`{"sites": ["a", "a"], "values": {"a": {"some": 2, "of": ["x", "y"]}, "b": {"zip": {"": "a"}}, "c": {"shuffle": "b"}}}`)
	f.Add(`{"values": {"a": {"int": [-1000000000, 1000000000], "count": 1000, "decimals": 6}, "b": {"sum": ["-a.1000"]}}}`)
	for _, bomb := range bombs {
		f.Add(`{"values": {` + bomb.values + `}}`)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := jsonfile.New("params.json", []byte(text))
		s := Read(file, nil)
		first := s.Draw(0, "task", 1)
		if file.Faults != nil {
			return
		}
		second := s.Draw(1, "task", 2)
		if diff := cmp.Diff(first.Paths(), second.Paths()); diff != "" {
			t.Errorf("two seeds have different forms (-first +second):\n%s", diff)
		}
		size := 0
		for _, path := range second.Paths() {
			text, _ := second.Text(path)
			size += len(text)
		}
		if size > maxDrawn {
			t.Errorf("the values take %d bytes", size)
		}
		raw, err := json.Marshal(first)
		var back Values
		if err == nil {
			err = json.Unmarshal(raw, &back)
		}
		if diff := cmp.Diff(first, back); diff != "" || err != nil {
			t.Errorf("after JSON (-first +back):\n%s%v", diff, err)
		}
	})
}
