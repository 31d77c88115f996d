package jsonfile

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func TestFields(t *testing.T) {
	see := func(_ *testing.T, files map[string]string) string {
		f := New("f", []byte(files["in"]))
		f.Fields(f.Value(),
			Field{Name: "text", Required: true, Read: func(n *Node) { f.Text(n) }},
			Field{Name: "int", Read: func(n *Node) { f.Int(n, 1, 100) }},
			Field{Name: "flag", Read: func(n *Node) { f.Bool(n) }},
			Field{Name: "choice", Read: func(n *Node) { f.OneOf(n, []string{"red", "green"}) }},
			Field{Name: "list", Read: func(n *Node) { f.Array(n, "texts", func(n *Node) { f.Text(n) }) }},
		)
		return strings.Join(messages(f), "\n")
	}
	need.Cases(t, "fields", see)
	hostile := "{\"text\":\"a\",\"\\u001b[31m\u202e" + strings.Repeat("x", 300) + "\":1}"
	need.Is(t, "a hostile key", `1:13: /\x1b[31m\u202e`+strings.Repeat("x", 193)+`…: unknown field "\x1b[31m\u202e`+strings.Repeat("x", 54)+
		`"…; allowed: text, int, flag, choice, list`, see(t, map[string]string{"in": hostile}))
}

func TestInteger(t *testing.T) {
	tests := map[string]struct {
		want int
		ok   bool
	}{
		"0": {0, true}, "-0": {0, true}, "0.0e5": {0, true}, "0e999999999999999999999": {0, true},
		"1": {1, true}, "-7": {-7, true}, "1e2": {100, true}, "1E+2": {100, true}, "100.0": {100, true},
		"1.5e1": {15, true}, "1500e-2": {15, true}, "0.001e3": {1, true}, "100000e-5": {1, true},
		"999999999999999": {999999999999999, true},
		"1.5":             {0, false}, "15e-1": {0, false}, "100.0000000000001": {0, false}, "1000000000000001": {0, false},
		"1e400": {0, false}, "1e999999999": {0, false}, "-1e400": {0, false},
	}
	for in, want := range tests {
		f := New("f", []byte(in))
		if got := f.Int(f.Value(), -1e15, 1e15); got != want.want || (f.Faults == nil) != want.ok {
			t.Errorf("%s is %d, want %d, %t: %v", in, got, want.want, want.ok, f.Faults)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	allowed := []string{"maxSteps", "maxDurationMs", "id", "tags", "title"}
	tests := map[string]string{
		"maxstep": "maxSteps", "max_steps": "maxSteps", "maxDuration": "maxDurationMs", "ID": "id", "di": "id",
		"tag": "tags", "titel": "title", "tilte": "title", "i": "id",
		"": "", "url": "", "steps": "", "completely": "", strings.Repeat("maxSteps", 1000): "",
	}
	for word, want := range tests {
		if want != "" {
			want = `; did you mean "` + want + `"?`
		}
		if got := display.DidYouMean(word, allowed); got != want {
			t.Errorf("display.DidYouMean(%.20q) = %q, want %q", word, got, want)
		}
	}
}

func TestQuoteAndPlain(t *testing.T) {
	if got, want := display.Quote("a\n\x1b\u200b\"é"), `"a\n\x1b\u200b\"é"`; got != want {
		t.Errorf("Quote: got %s, want %s", got, want)
	}
	if got, want := display.Quote(strings.Repeat("é", 61)), `"`+strings.Repeat("é", 60)+`"…`; got != want {
		t.Errorf("Quote: got %s, want %s", got, want)
	}
	for in, want := range map[string]string{"a b/ü": "a b/ü", "a\nb": `a\nb`, "\xff": `\xff`, "123456": "12345…"} {
		need.Is(t, fmt.Sprintf("display.VisibleTo(%q)", in), want, display.VisibleTo(in, 5))
	}
}

func TestRead(t *testing.T) {
	fsys := fstest.MapFS{
		"ok.json":  {Data: []byte("{}")},
		"big.json": {Data: make([]byte, MaxSize+1)},
		"dir/x":    {},
	}
	tests := map[string][]string{
		"ok.json":   nil,
		"gone.json": {`1:1: /: the file does not exist; make one`},
		"big.json":  {`1:1: /: cannot be read: it is larger than 1048576 bytes`},
		"dir":       {`1:1: /: cannot be read: it is not a regular file`},
	}
	for name, want := range tests {
		f := Read(fsys, name, "f", "make one")
		if n := f.Value(); (n != nil) != (want == nil) {
			t.Errorf("Read(%s): node %v", name, n)
		}
		need.Equal(t, fmt.Sprintf("Read(%s) faults", name), want, messages(f))
	}
}

func TestFaultsErr(t *testing.T) {
	need.OK(t, (Faults{}).Err())
	err := Faults{{"b", 1, 1, "", "x", false}, {"a", 10, 1, "/p", "x", false}, {"a", 9, 5, "", "x", true}, {"a", 9, 2, "", "x", false}}.Err()
	want := "a:9:2: /: x\na:9:5: /: x\na:10:1: /p: x\nb:1:1: /: x"
	need.Is(t, "", want, err.Error())
	evil := Fault{File: "x\x1b]0;\n", Line: 1, Col: 1, Msg: "m"}.Error()
	if evil != `x\x1b]0;\n:1:1: /: m` {
		t.Errorf("file name: got %q", evil)
	}
	for want, f := range map[string]Fault{
		"d: is 1":       Whole("d", "is %d", 1),
		"t.html:2: m":   {"t.html", 2, 0, NoPointer, "m", false},
		"t.html:2:3: m": {"t.html", 2, 3, NoPointer, "m", false},
	} {
		need.Is(t, "", want, f.Error())
	}
}
