package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// least is a profile of a server of another module.
const least = `{"server": "toy", "reviewer": "not reviewed", "cites": ["https://toy.test/"],
"page": {"call": {"tool": "see", "args": {}}, "lines": ["^(?P<ref>\\d+) (?P<role>\\w+) (?P<name>.*)$"]},
"calls": {"press": [{"tool": "hit", "args": {"n": "{{int ref}}", "note": "{{name}} {{json text}}"}}]},
"policies": {"ref": {}}}`

// A fault names its place; another profile is tried with its file.
func TestProfileFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "toy.json")
	for _, test := range []struct{ old, new, want string }{
		{`"server": "toy"`, `"server": ""`, `toy.json:1:12: /server: is "", want a non-empty string`},
		{`["https://toy.test/"]`, `[]`, `/cites: is empty; cite the documentation`},
		{`"see", "args": {}`, `"see"`, `missing field "args"`},
		{`{{name}}`, `{{nam}}`, `toy.json:3:45: /calls/press/0/args: has {{nam}}; allowed: tab, ref, to, name, value, text, type, fields; did you mean "name"?`},
		{`(?P<name>`, `(?P<label>`, `has a group "label"; allowed: ref, role`},
		{`(\\d+)`, `(`, ``},
		{`"press": [`, `"pres": [`, `unknown field "pres"; allowed: press, fill`},
		{`"ref": {}`, `"form": {}`, `/policies/form: missing field "form"`},
		{`"ref": {}`, `"form": {"form": {"tool": "t", "args": {}}}`, `has no "field"`},
		{`"ref": {}`, `"fast": {}`, `unknown field "fast"; allowed: submit, form, ref, type`},
	} {
		content := strings.Replace(least, test.old, test.new, 1)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Find("toy", file)
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %s", test.new, err, test.want)
		}
	}
	if err := os.WriteFile(file, []byte(least), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Find("toy", file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Find("playwright-mcp", file); err == nil || !strings.Contains(err.Error(), `is of "toy", but the server is "playwright-mcp"`) {
		t.Errorf("the profile of another server: %v", err)
	}

	if _, err := Find("", file); err == nil || !strings.Contains(err.Error(), "no call for go, which opens the start page") {
		t.Errorf("a profile that opens nothing: %v", err)
	}

	// The engine needs no more to drive it.
	a, _ := p.New(byRef, []intent.Intent{{Verb: intent.Press, Text: `Say "hi"`, At: "intents.jsonl:1"}, {Verb: intent.Drag, Text: "a", Second: "b", At: "intents.jsonl:2"}}, nil)()
	s := adapter.State{Steps: []adapter.Step{{}}}
	answers := map[string]string{"see": "5 link x\n7 button Say \"hi\"\n8 a a\n9 b b"}
	var got []string
	for {
		d, err := a.Next(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if d.Call.Tool == "" {
			got = append(got, d.NotPossible)
			break
		}
		got = append(got, d.Call.Tool+string(d.Call.Args))
		s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: said(answers[d.Call.Tool], false)})
	}
	want := "see{}|hit{\"n\": 7, \"note\": \"Say \\\"hi\\\" \\\"Say \\\\\\\"hi\\\\\\\"\\\"\"}|see{}|intents.jsonl:2: drag \"a\": the profile of toy has no call for it"
	if strings.Join(got, "|") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "|"), want)
	}
}

func FuzzProfile(f *testing.F) {
	f.Add([]byte(least), "7 button Go\n  8 x y")
	for _, name := range []string{"openchrome", "playwright-mcp", "chrome-devtools-mcp"} {
		data, err := os.ReadFile("profiles/" + name + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, page)
	}
	f.Fuzz(func(t *testing.T, data []byte, answer string) {
		file := jsonfile.New("p.json", data)
		p := readProfile(file)
		if len(file.Faults) > 0 {
			return
		}
		items := p.page.parse(t.Context(), answer)
		find(items, intent.Intent{Verb: intent.Press, After: "a"}, "Go", true)
		for name := range p.policies {
			if _, _, err := p.Policies(Prefix + name); err != nil {
				t.Error(err)
			}
		}
	})
}
