package jsonfile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
)

// replaceX replaces each x in the strings and keys of a value.
func replaceX(n *Node) (changes []Change) {
	if strings.Contains(n.Key, "x") {
		changes = append(changes, Change{n, true, strings.ReplaceAll(n.Key, "x", `"é`)})
	}
	if n.Kind == String && strings.Contains(n.Text, "x") {
		changes = append(changes, Change{n, false, strings.ReplaceAll(n.Text, "x", `"é`)})
	}
	for _, i := range n.Items {
		changes = append(changes, replaceX(i)...)
	}
	return changes
}

// Faults after an edit are at their places in the original file.
func TestEdit(t *testing.T) {
	f := New("f", []byte("{\"x\": \"axbx\",\n \"\\u0078y\": [\"x\", 1], \"b\": \"x\", \"c\": 2}"))
	f.Edit = replaceX
	n := f.Value()
	want := "{\"\\\"é\": \"a\\\"éb\\\"é\",\n \"\\\"éy\": [\"\\\"é\", 1], \"b\": \"\\\"é\", \"c\": 2}"
	need.Is(t, "", want, f.Raw(n))
	for _, key := range []string{"b", "c"} {
		f.FaultAt(n.Get(key), "here")
	}
	f.FaultAt(n.Items[1].Items[1], "here")
	var places []string
	for _, fault := range f.Faults {
		places = append(places, fault.Error())
	}
	need.Equal(t, "", []string{"f:2:28: /b: here", "f:2:38: /c: here", "f:2:19: /\"éy/1: here"}, places)
}

func TestEditLines(t *testing.T) {
	f := New("f", []byte("[\"x\"]\n\n[\"xx\", 1]\n[2]\n"))
	f.Edit = replaceX
	var got []string
	for _, n := range f.Lines() {
		got = append(got, f.Raw(n))
		f.FaultAt(n.Items[len(n.Items)-1], "here")
	}
	need.Equal(t, "", []string{`["\"é"]`, `["\"é\"é", 1]`, "[2]"}, got)
	var places []string
	for _, fault := range f.Faults {
		places = append(places, fault.Error())
	}
	need.Equal(t, "", []string{"f:1:2: /0: here", "f:3:8: /1: here", "f:4:2: /0: here"}, places)
}

// A file with faults is not edited: they are the ones without an edit.
func TestEditOfFaultyFile(t *testing.T) {
	for _, text := range []string{`{"x": "x", "a": }`, `["x"`, `{"x": 1, "x": 2}`, ""} {
		plain, edited := New("f", []byte(text)), New("f", []byte(text))
		edited.Edit = func(*Node) []Change { t.Error("Edit is called"); return nil }
		plain.Value()
		edited.Value()
		if diff := cmp.Diff(plain.Faults, edited.Faults); diff != "" {
			t.Errorf("%s (-plain +edited):\n%s", text, diff)
		}
	}
	f := New("f", []byte(`["x\ud800"]`))
	f.Halves, f.Edit = true, replaceX
	f.Value()
	if got, want := f.Faults.Err().Error(), "f:1:2: /0: has half of a surrogate pair beside a placeholder; write the character itself"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}

// FuzzEdit holds that an edit changes the content as it should, and that no fault lies
// outside of the original file.
func FuzzEdit(f *testing.F) {
	for _, seed := range []string{`{"x":["x",1,"\u0078"],"y":"x"}`, "{\"x\":1,\n\"x\":}", "[\"x\"]\n[\"x\",\"a\"]\n", "\xef\xbb\xbf\"x\"", `"x\ud83d"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, edited := New("f", data), New("f", data)
		edited.Edit = replaceX
		was, is := plain.Value(), edited.Value()
		if len(edited.Faults) == 0 {
			if diff := cmp.Diff(replaced(decode(was)), decode(is)); diff != "" {
				t.Errorf("(-want +edited):\n%s", diff)
			}
			checkNode(t, edited, is)
			mark(edited, is)
		}
		edited.data = string(data)
		checkFaults(t, edited)

		lines := New("f", data)
		lines.Edit = replaceX
		for _, n := range lines.Lines() {
			mark(lines, n)
		}
		lines.data = string(data)
		checkFaults(t, lines)
	})
}

// mark adds a fault at each node.
func mark(f *File, n *Node) {
	f.FaultAt(n, "here")
	for _, i := range n.Items {
		mark(f, i)
	}
}

// replaced does to a decoded value what replaceX does to a file.
func replaced(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "x", `"é`)
	case []any:
		for i := range v {
			v[i] = replaced(v[i])
		}
	case map[string]any:
		object := make(map[string]any)
		for key, value := range v {
			object[strings.ReplaceAll(key, "x", `"é`)] = replaced(value)
		}
		return object
	}
	return v
}
