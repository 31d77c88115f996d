package jsonfile

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzValue holds the scanner against encoding/json: what has no fault means
// the same to both, and what encoding/json refuses has a fault.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e+3,true,false,null,"x\u00e9\ud83d\ude00\n"],"b":{}}`, "", "{\"a\":1,}", "[1 2]", "{\"a\" 1}",
		`{"a":1,"a":2}`, "\xef\xbb\xbf{}", "\"\xff\"", `"\ud83d"`, "[[[[", `{"a":{"b":"c`, "01", "-", "1.e", "nul", "{} {}",
		"{\"a\":1}\n\n{\"b\":\n2}\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := New("f", data)
		n := file.Value()
		// UseNumber: 1e400 is fine here and in JSON, but no float64.
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var want any
		err := dec.Decode(&want)
		if len(file.Faults) == 0 {
			if err != nil || !json.Valid(data) {
				t.Fatalf("no fault, but encoding/json says: %v", err)
			}
			if diff := cmp.Diff(want, decode(n)); diff != "" {
				t.Fatalf("value (-encoding/json +here):\n%s", diff)
			}
		}
		if json.Valid(data) && utf8.Valid(data) {
			for _, fault := range file.Faults {
				if strings.HasPrefix(fault.Msg, "syntax") {
					t.Errorf("valid JSON has the fault %v", fault)
				}
			}
		}
		if n != nil {
			checkNode(t, file, n)
		}
		checkFaults(t, file)

		loose := Loose("f", data)
		if loose.Value(); json.Valid(data) != (len(loose.Faults) == 0) {
			t.Errorf("valid JSON: %t, but a loose file has the faults %v", json.Valid(data), loose.Faults)
		}

		lines := New("f", data)
		for _, n := range lines.Lines() {
			if raw := lines.Raw(n); strings.IndexByte(raw, '\n') >= 0 {
				t.Errorf("a line's value has a line break: %q", raw)
			}
		}
		checkFaults(t, lines)
	})
}

func decode(n *Node) any {
	switch n.Kind {
	case Object:
		object := make(map[string]any)
		for _, m := range n.Items {
			object[m.Key] = decode(m)
		}
		return object
	case Array:
		array := make([]any, len(n.Items))
		for i, item := range n.Items {
			array[i] = decode(item)
		}
		return array
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case Bool:
		return n.Text == "true"
	}
	return nil
}

// checkNode checks that every node knows its bytes.
func checkNode(t *testing.T, f *File, n *Node) {
	t.Helper()
	raw := f.Raw(n)
	if len(f.Faults) == 0 && !json.Valid([]byte(raw)) {
		t.Errorf("bytes of %s are no JSON: %q", n.Pointer(), raw)
	}
	for _, i := range n.Items {
		if n.Kind == Object && f.data[i.place] != '"' {
			t.Errorf("key %q is not at its offset", i.Key)
		}
		checkNode(t, f, i)
	}
}

func checkFaults(t *testing.T, f *File) {
	t.Helper()
	lines := strings.Split(f.data, "\n")
	for _, fault := range f.Faults {
		if fault.Line < 1 || fault.Line > len(lines) || fault.Col < 1 || fault.Col > len(lines[fault.Line-1])+1 {
			t.Errorf("%v lies outside of the file", fault)
		}
		if strings.ContainsFunc(fault.Error(), func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q could attack a terminal", fault.Error())
		}
	}
}
