package policy

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/servers"
)

// least describes a server of another module.
const least = `{"name": "toy", "title": "Toy", "reviewer": "not reviewed", "cites": ["https://toy.test/"],
"page": {"call": {"tool": "see", "args": {}}, "lines": ["^(?P<ref>\\d+) (?P<role>\\w+) (?P<name>.*)$"]},
"open": {"tool": "go", "args": {}}, "calls": {"press": [{"tool": "hit", "args": {"n": "{{int ref}}", "note": "{{name}} {{json text}}"}}]},
"policies": {"ref": {}}}`

// A server of another module needs its description and no more.
func TestLeastDescription(t *testing.T) {
	f := jsonfile.New("toy.json", []byte(least))
	p := server.Read(f)
	need.OK(t, f.Faults.Err())
	a := quick(p, server.ByRef, []intent.Intent{{Verb: intent.Press, Text: `Say "hi"`, At: "intents.jsonl:1"}, {Verb: intent.Drag, Text: "a", Second: "b", At: "intents.jsonl:2"}})
	s := adapter.State{Steps: []adapter.Step{{}}}
	answers := map[string]string{"see": "5 link x\n7 button Say \"hi\"\n8 a a\n9 b b"}
	var got []string
	for {
		d, err := a.Next(t.Context(), s)
		need.OK(t, err)
		if d.Call.Tool == "" {
			got = append(got, d.NoTool)
			break
		}
		got = append(got, d.Call.Tool+string(d.Call.Args))
		s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: said(answers[d.Call.Tool], false)})
	}
	want := "see{}|hit{\"n\": 7, \"note\": \"Say \\\"hi\\\" \\\"Say \\\\\\\"hi\\\\\\\"\\\"\"}|see{}|intents.jsonl:2: drag \"a\": the description of toy has no call for it"
	need.Is(t, "", want, strings.Join(got, "|"))
}

// A server without references, which has words of its own for roles, is driven by the names of its controls. What
// its calls cannot say is a step without a tool, which says why.
func TestOwnWords(t *testing.T) {
	own := strings.NewReplacer(`"args": {}}, "lines": ["^(?P<ref>\\d+) `, `"args": {}}, "roles": {"box": "textbox"}, "lines": ["^`,
		`{"n": "{{int ref}}", "note": "{{name}} {{json text}}"}}]`, `{"name": "{{name}}"}}], "fill": [{"tool": "put", "args": {"{{name}}": "{{value}}"}}]`)
	f := jsonfile.New("toy.json", []byte(own.Replace(least)))
	p := server.Read(f)
	need.OK(t, f.Faults.Err())
	a := quick(p, server.ByRef, []intent.Intent{{Verb: intent.Fill, Text: "Town", Second: "Ulm", At: "intents.jsonl:1"}, {Verb: intent.Press, Text: "Go", Role: "button", At: "intents.jsonl:2"}})
	s := adapter.State{Steps: []adapter.Step{{}}}
	var got []string
	for {
		d, err := a.Next(t.Context(), s)
		need.OK(t, err)
		if d.Call.Tool == "" {
			got = append(got, d.NoTool+d.GaveUp)
			break
		}
		got = append(got, d.Call.Tool+string(d.Call.Args))
		s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: said("box Town\nbutton Go", false)})
	}
	want := `see{}|put{"Town": "Ulm"}|intents.jsonl:2: press "Go": the description of toy has no call for it by reference, and words cannot say its role or what it is after`
	need.Is(t, "", want, strings.Join(got, "|"))
	missing := Unread(t.Context(), p, said("link A link\nbutton A button\nbox A field\nbox A note\nselect A list\ncheckbox A box", false))
	need.Is(t, "missing", `choose "A list" (its role there is "select"), check "A choice"`, strings.Join(missing, ", "))
}

func FuzzDescription(f *testing.F) {
	f.Add([]byte(least), "7 button Go\n  8 x y")
	for _, name := range server.Names() {
		data, err := fs.ReadFile(servers.FS, name+".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, page)
	}
	f.Fuzz(func(t *testing.T, data []byte, answer string) {
		file := jsonfile.New("p.json", data)
		p := server.Read(file)
		if len(file.Faults) > 0 {
			return
		}
		p.Opening("https://x.test/")
		Presses(t.Context(), p, "T", answer)
		find(parse(t.Context(), p.Page, answer), intent.Intent{Verb: intent.Press, After: "a"}, "Go", true)
		for name := range p.Policies {
			if _, _, err := Policies(p, Prefix+name); err != nil {
				t.Error(err)
			}
		}
	})
}
