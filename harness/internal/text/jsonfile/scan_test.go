package jsonfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// Files with bytes that an editor hides are in this table, the others in values.txtar.
func TestValueFaults(t *testing.T) {
	faults := func(in string) []string { // without the file's name
		f := New("f", []byte(in))
		f.Value()
		return messages(f)
	}
	need.Cases(t, "values", func(_ *testing.T, files map[string]string) string {
		return strings.Join(faults(files["in"]), "\n")
	})
	tests := []struct {
		name, in string
		want     []string
	}{
		{"byte order mark", "\xef\xbb\xbf{}", []string{`1:1: /: the file begins with a byte order mark; save it as UTF-8 without one`}},
		{"byte order mark alone", "\xef\xbb\xbf", []string{
			`1:1: /: the file begins with a byte order mark; save it as UTF-8 without one`,
			`1:1: /: the file is empty, want a JSON object`}},
		{"control character in a string", "[\"\x1b[31m\"]", []string{`1:3: /0: syntax: invalid character '\x1b' in string (expecting non-control character)`}},
		{"UTF-8, once a string", "{\"a\xff\xfe\": \"\xe2\x82 é\"}\xff", []string{
			`1:4: /: byte 0xff is not UTF-8; save the file as UTF-8`,
			`1:10: /a��: byte 0xe2 is not UTF-8; save the file as UTF-8`,
			`1:17: /: syntax: more follows after the end of the value, want one value per file; remove it`}},
		{"faults before a syntax error in the same string", "[\"\xff\\ud800\\x\"]", []string{
			`1:3: /0: byte 0xff is not UTF-8; save the file as UTF-8`,
			`1:4: /0: \ud800 is half of a surrogate pair; write the character itself`,
			"1:11: /0: syntax: invalid escape sequence `\\x` in string"}},
		{"UTF-16", "\xff\xfe{\x00}\x00", []string{`1:1: /: syntax: invalid character '\xff' at start of value`}},
		{"carriage returns", "{\r\n\"a\":x}", []string{`2:5: /a: syntax: x is not a JSON value`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			need.Equal(t, fmt.Sprintf("Value(%q) faults", tt.in), tt.want, faults(tt.in))
		})
	}
}

// messages returns the faults in order, without the name "f".
func messages(f *File) []string {
	var got []string
	f.Faults.Sort()
	for _, fault := range f.Faults {
		got = append(got, strings.TrimSpace(strings.TrimPrefix(fault.Error(), "f:")))
	}
	return got
}

func TestDepth(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	f := New("f", []byte(nested(maxDepth)))
	if f.Value(); f.Faults != nil {
		t.Errorf("%d levels: %v", maxDepth, f.Faults)
	}
	f = New("f", []byte(strings.Repeat("[", 1<<20)))
	f.Value()
	want := Faults{{"f", 1, 101, strings.Repeat("/0", 100), "nested deeper than 100 levels", false}}
	need.Equal(t, "too deep", want, f.Faults)
}

// What stands before a syntax error is read, and nothing is called missing.
func TestCutValueIsRead(t *testing.T) {
	f := New("f", []byte(`{"a": 1, "B": 2, "c": [3, {"d": x`))
	f.Fields(f.Value(),
		Field{Name: "a", Read: func(n *Node) { f.Bool(n) }},
		Field{Name: "b", Required: true, Read: func(*Node) { t.Error("b was read") }},
		Field{Name: "c", Read: func(n *Node) {
			if len(n.Items) != 2 || !n.Cut || !n.Items[1].Cut {
				t.Errorf("c is %+v, want two items and Cut", n)
			}
		}},
	)
	want := []string{
		`1:7: /a: is 1, want true or false`,
		`1:10: /B: unknown field "B" (keys are case-sensitive); allowed: a, b, c; did you mean "b"?`,
		`1:33: /c/1/d: syntax: x is not a JSON value`,
	}
	need.Equal(t, "faults", want, messages(f))
}

func TestLines(t *testing.T) {
	f := New("f", []byte("\xef\xbb\xbf{\"a\":1}\n\n{\"a\":\n 2}\r\n[1] x\n{\"b\":2}"))
	var raw []string
	for _, n := range f.Lines() {
		raw = append(raw, f.Raw(n))
	}
	need.Equal(t, "lines", []string{`{"a":1}`, `{"a"`, `2`, `[1]`, `{"b":2}`}, raw)
	want := []string{
		`1:1: /: the file begins with a byte order mark; save it as UTF-8 without one`,
		`3:6: /a: syntax: the line ends here`,
		`4:3: /: syntax: more follows after the end of the value, want one value per line; remove it`,
		`5:5: /: syntax: more follows after the end of the value, want one value per line; remove it`,
	}
	need.Equal(t, "faults", want, messages(f))

	f = New("f", []byte("\n \n"))
	f.Lines()
	need.Equal(t, "blank file", []string{"1:1: /: the file is empty, want one JSON object per line"}, messages(f))
}

// What a page said may be half of a pair, and is still strict JSON.
func TestHalvesAllowed(t *testing.T) {
	f := New("f", []byte(`["a\ud83d", "\ud83g"]`))
	f.Halves = true
	if n := f.Value(); len(n.Items) != 1 || n.Items[0].Text != "a\xed\xa0\xbd" {
		t.Errorf("items %+v, want the first alone, with its half of a pair", n.Items)
	}
	want := []string{`1:16: /1: syntax: invalid escape sequence ` + "`\\ud83g` in string"}
	need.Equal(t, "faults", want, messages(f))
}

// A file of a million faults takes no more memory than one of a thousand.
func TestBombs(t *testing.T) {
	f := New("f", []byte("["+strings.Repeat("\n0,", 500_000)+"0]"))
	f.Array(f.Value(), "texts", func(n *Node) { f.Text(n) })
	if got, want := f.Faults[len(f.Faults)-1].Error(), "f:202:1: /200: more faults follow; only the first 200 are listed"; len(f.Faults) != 201 || got != want {
		t.Errorf("%d faults; the last is %q, want %q", len(f.Faults), got, want)
	}
}
