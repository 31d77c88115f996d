package jsonfile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestValueFaults(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string // without the file's name
	}{
		{"fine", `{"a":[1,-0.5e+3,true,false,null,"x\u00e9\ud83d\ude00"],"b":{}}`, nil},
		{"empty", "", []string{`1:1: /: the file is empty, want a JSON object`}},
		{"blank", " \n\t", []string{`1:1: /: the file is empty, want a JSON object`}},
		{"byte order mark", "\xef\xbb\xbf{}", []string{`1:1: /: the file begins with a byte order mark; save it as UTF-8 without one`}},
		{"byte order mark alone", "\xef\xbb\xbf", []string{
			`1:1: /: the file begins with a byte order mark; save it as UTF-8 without one`,
			`1:1: /: the file is empty, want a JSON object`}},
		{"trailing comma ends the reading", "{\"a\": [1,],\n}{\"a\":1,\"a\":2}", []string{`1:10: /a: syntax: a comma stands before this; remove it`}},
		{"trailing comma in an object", "{\"a\": 1,\n}", []string{`2:1: /: syntax: a comma stands before this; remove it`}},
		{"comma missing", "{\"a\": 1\n \"b\": 2}", []string{`2:2: /: syntax: invalid character '"' after object value (expecting ',' or '}')`}},
		{"comma missing in an array", `[1 2]`, []string{`1:4: /: syntax: invalid character '2' after array element (expecting ',' or ']')`}},
		{"comma first", `{,"a":1}`, []string{`1:2: /: syntax: invalid character ',' at start of value`}},
		{"two commas", `[1,,2]`, []string{`1:4: /1: syntax: a comma stands before this; remove it`}},
		{"ends in an object", `{"a": {`, []string{`1:8: /a: syntax: the file ends here`}},
		{"ends in an array", `[[1`, []string{`1:4: /0: syntax: the file ends here`}},
		{"ends after a key", `{"a"`, []string{`1:5: /a: syntax: the file ends here`}},
		{"ends after a colon", "{\"a\":\n", []string{`2:1: /a: syntax: the file ends here`}},
		{"ends in a string", `{"a": "bc`, []string{`1:10: /a: syntax: the file ends here`}},
		{"line break in a string", "{\"a\": \"b\nc\"}", []string{`1:9: /a: syntax: invalid character '\n' in string (expecting non-control character)`}},
		{"control character in a string", "[\"\x1b[31m\"]", []string{`1:3: /0: syntax: invalid character '\x1b' in string (expecting non-control character)`}},
		{"no quotes", `{a: 1}`, []string{`1:2: /: syntax: invalid character 'a' at start of value`}},
		{"single quotes", `{'a': 1}`, []string{`1:2: /: syntax: strings stand in "`}},
		{"Python", `[True]`, []string{`1:2: /0: syntax: True is not a JSON value`}},
		{"word that begins well", `[nullx]`, []string{`1:2: /0: syntax: nullx is not a JSON value`}},
		{"comment", "{\n  // why\n}", []string{`2:3: /: syntax: a comment, which JSON does not have`}},
		{"leading zero", `[01]`, []string{`1:2: /0: syntax: 01 is not a JSON value`}},
		{"leading zeros", `[-007.5e1]`, []string{`1:2: /0: syntax: -007.5e1 is not a JSON value`}},
		{"hexadecimal", `[0x1e]`, []string{`1:2: /0: syntax: 0x1e is not a JSON value`}},
		{"a unit", `[10px, 2]`, []string{`1:2: /0: syntax: 10px is not a JSON value`}},
		{"digits in groups", `[0_1]`, []string{`1:2: /0: syntax: 0_1 is not a JSON value`}},
		{"two points", `[1.2.3]`, []string{`1:2: /0: syntax: 1.2.3 is not a JSON value`}},
		{"no digits", `[-]`, []string{`1:2: /0: syntax: - is not a JSON value`}},
		{"no fraction", `[1.]`, []string{`1:2: /0: syntax: 1. is not a JSON value`}},
		{"no exponent", `[1e+]`, []string{`1:2: /0: syntax: 1e+ is not a JSON value`}},
		{"plus", `[+1]`, []string{`1:2: /0: syntax: invalid character '+' at start of value`}},
		{"infinity", `[-Infinity]`, []string{`1:2: /0: syntax: -Infinity is not a JSON value`}},
		{"duplicates", "{\"a\":1,\n\"b\":{\"c\":1,\"\\u0063\":2},\n \"a\":1}", []string{
			`2:12: /b/c: duplicate key "c"; keep one of them`,
			`3:2: /a: duplicate key "a"; keep one of them`}},
		{"pointer is escaped", `{"a/b~": [1,{"x":1,"x":2}]}`, []string{`1:20: /a~1b~0/1/x: duplicate key "x"; keep one of them`}},
		{"UTF-8, once a string", "{\"a\xff\xfe\": \"\xe2\x82 é\"}\xff", []string{
			`1:4: /: byte 0xff is not UTF-8; save the file as UTF-8`,
			`1:10: /a��: byte 0xe2 is not UTF-8; save the file as UTF-8`,
			`1:17: /: syntax: more follows after the end of the value, want one value per file; remove it`}},
		{"lone surrogates", `["a\ud83d", "\udc00\ud83d", "\ud83d\u0041"]`, []string{
			`1:4: /0: \ud83d is half of a surrogate pair; write the character itself`,
			`1:14: /1: \udc00 is half of a surrogate pair; write the character itself`,
			`1:20: /1: \ud83d is half of a surrogate pair; write the character itself`,
			`1:30: /2: \ud83d is half of a surrogate pair; write the character itself`}},
		{"faults before a syntax error in the same string", "[\"\xff\\ud800\\x\"]", []string{
			`1:3: /0: byte 0xff is not UTF-8; save the file as UTF-8`,
			`1:4: /0: \ud800 is half of a surrogate pair; write the character itself`,
			"1:11: /0: syntax: invalid escape sequence `\\x` in string"}},
		{"literal as a key", `{true:1}`, []string{`1:2: /: syntax: object member name must be a string`}},
		{"half a literal as a key", `{tru:1}`, []string{`1:2: /: syntax: invalid character ':' in literal true (expecting 'e')`}},
		{"ends in an escape", `["\u12`, []string{`1:5: /0: syntax: the file ends here`}},
		{"unknown escape", `["\x41"]`, []string{`1:4: /0: syntax: invalid escape sequence ` + "`\\x` in string"}},
		{"short escape", `["\u12"]`, []string{`1:5: /0: syntax: invalid escape sequence ` + "`\\u12\"]` in string"}},
		{"UTF-16", "\xff\xfe{\x00}\x00", []string{`1:1: /: syntax: invalid character '\xff' at start of value`}},
		{"trailing data", "{}\n{}", []string{`2:1: /: syntax: more follows after the end of the value, want one value per file; remove it`}},
		{"columns are bytes", `["éé",x]`, []string{`1:9: /1: syntax: x is not a JSON value`}},
		{"carriage returns", "{\r\n\"a\":x}", []string{`2:5: /a: syntax: x is not a JSON value`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := New("f", []byte(tt.in))
			f.Value()
			need.Equal(t, fmt.Sprintf("Value(%q) faults", tt.in), tt.want, messages(f))
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

// A file of a million faults or values takes no more memory than one of a thousand.
func TestBombs(t *testing.T) {
	f := New("f", []byte("["+strings.Repeat("\n0,", 500_000)+"0]"))
	f.Array(f.Value(), "texts", func(n *Node) { f.Text(n) })
	if got, want := f.Faults[len(f.Faults)-1].Error(), "f:202:1: /200: more faults follow; only the first 200 are listed"; len(f.Faults) != 201 || got != want {
		t.Errorf("%d faults; the last is %q, want %q", len(f.Faults), got, want)
	}
	f = New("f", []byte("["+strings.Repeat("0,", 4*maxNodes)+"0]"))
	f.Value()
	if got, want := f.Faults.Error(), "f:1:2000000: /999999: is one of more than 1000000 values; make the file smaller"; !strings.HasPrefix(got, want) {
		t.Errorf("faults %.300s, want %s", got, want)
	}
}
