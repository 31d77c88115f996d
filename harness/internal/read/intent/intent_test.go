package intent

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

func TestLines(t *testing.T) {
	spec := task.Spec{
		Folder: task.Source{Name: "tasks", FS: fstest.MapFS{"a/intents.jsonl": {Data: []byte(`{"fill": "Name", "with": "{{param.name}}", "after": "Your gift", "role": "textbox"}
{"fill": "Note", "with": ""}

{"choose": "Size", "option": "{{param.name}}"}
{"read": "{{param.name}} pays (\\d+)", "save": "sum"}
{"keys": "Enter", "on": "Note"}
{"keys": "Escape"}
{"upload": "Letter", "file": "a.txt"}
{"answer": "accept", "with": "{{saved.sum}}"}
{"drag": "Card", "to": "Done"}
{"back": true}
{"press": "Row", "click": "double"}
{"press": -2, "after": "Row"}
{"drag": "Card", "to": "Done", "orKeys": "space"}
{"send": "Pay {{saved.sum}}"}`)}}}.Folder("a"),
		Values:  param.Values{"name": "A.B"},
		Uploads: map[string][]byte{"a.txt": nil},
	}
	f := Open(spec)
	got := Lines(f, spec.Uploads)
	need.OK(t, f.Faults.Err())
	want := []Intent{
		{Verb: Fill, Text: "Name", Second: "A.B", After: "Your gift", Role: "textbox", At: "intents.jsonl:1"},
		{Verb: Fill, Text: "Note", At: "intents.jsonl:2"},
		{Verb: Choose, Text: "Size", Second: "A.B", At: "intents.jsonl:4"},
		{Verb: Read, Text: `A\.B pays (\d+)`, Second: "sum", At: "intents.jsonl:5"},
		{Verb: Keys, Text: "Enter", Second: "Note", At: "intents.jsonl:6"},
		{Verb: Keys, Text: "Escape", At: "intents.jsonl:7"},
		{Verb: Upload, Text: "Letter", Second: "a.txt", At: "intents.jsonl:8"},
		{Verb: Answer, Text: "accept", Second: "{{saved.sum}}", At: "intents.jsonl:9"},
		{Verb: Drag, Text: "Card", Second: "Done", At: "intents.jsonl:10"},
		{Verb: Back, At: "intents.jsonl:11"},
		{Verb: Press, Text: "Row", Second: "double", At: "intents.jsonl:12"},
		{Verb: Press, Place: -2, After: "Row", At: "intents.jsonl:13"},
		{Verb: Drag, Text: "Card", Second: "Done", Keys: "space", At: "intents.jsonl:14"},
		{Verb: Send, Text: "Pay {{saved.sum}}", At: "intents.jsonl:15"},
	}
	need.Equal(t, "", want, got)
	if text, ok := got[3].Find("AxB pays 1, A.B pays 27"); text != "27" || !ok {
		t.Errorf("Find = %q, %t", text, ok)
	}
	if last := got[13].With(map[string]string{"sum": "27"}); last.Text != "Pay 27" {
		t.Errorf("With: %q", last.Text)
	}
	pattern := Intent{Verb: Read, Text: "{{saved.x}}!"}.With(map[string]string{"x": "1.5"})
	if _, ok := pattern.Find("1x5!"); ok || pattern.Text != `1\.5!` {
		t.Errorf("the saved text in a pattern is not escaped: %s", pattern.Text)
	}
}

func TestFaults(t *testing.T) {
	for line, want := range map[string]string{
		`{"press": "a", "fill": "b"}`:              `intents.jsonl:1:24: /fill: the line has press already; write each verb on a line of its own`,
		`{"pres": "a"}`:                            `unknown field "pres"`,
		`{}`:                                       `has no verb, want one of press, send`,
		`[]`:                                       `want an object`,
		`{"press": 0, "after": "b"}`:               `want a name, or a place other than 0`,
		`{"press": 1}`:                             `missing field "after"`,
		`{"press": "a", "click": "b"}`:             `want one of double, right`,
		`{"press": ""}`:                            `want a non-empty string`,
		`{"press": "a", "with": "b"}`:              `unknown field "with"; allowed: press, click, after, role`,
		`{"fill": "a"}`:                            `missing field "with"`,
		`{"choose": "a", "option": 1}`:             `want a non-empty string`,
		`{"read": "(", "save": "a"}`:               `is not an RE2 pattern`,
		`{"read": "a", "save": "1"}`:               `the name "1" must begin with a letter`,
		`{"read": "a", "save": "b", "after": "c"}`: `unknown field "after"`,
		`{"answer": "yes"}`:                        `want one of accept, dismiss`,
		`{"back": false}`:                          `want true`,
		`{"upload": "a", "file": "b.txt"}`:         `the task has no file "upload/b.txt"; did you mean "a.txt"?`,
		`{"press": "{{saved.x}}"}`:                 `has {{saved.x}}, but no read before this line saves it`,
		`{"press": "{{tabId}}"}`:                   `has "{{tabId}}", want {{param.NAME}} or {{saved.NAME}}`,
		strings.Repeat(`{"press": "a"}`+"\n", 101): `more than 100 intents`,
		`{"press": "a"`:                            `intents.jsonl:1:`,
	} {
		f := jsonfile.New("intents.jsonl", []byte(line))
		Lines(f, map[string][]byte{"a.txt": nil})
		if len(f.Faults) == 0 || !strings.Contains(f.Faults[0].Error(), want) {
			t.Errorf("%.60s: %v, want %s", line, f.Faults, want)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add([]byte(`{"fill": "Name", "with": "x", "after": "{{saved.x}}"}` + "\n" + `{"read": "(a)", "save": "x"}`))
	f.Add([]byte(`{"keys": "Enter", "on": "", "role": null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		file := jsonfile.New("intents.jsonl", data)
		for _, i := range Lines(file, nil) {
			if len(file.Faults) > 0 {
				continue
			}
			i.With(map[string]string{}).Find("text")
			if !strings.Contains(i.At, "intents.jsonl:") || i.Verb == "" {
				t.Errorf("%+v", i)
			}
		}
	})
}
