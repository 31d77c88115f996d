package policy

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// script plays intents on a server that shows the pages one after the other, and answers each other call as
// answers say by its tool, or else with ✓. It returns the calls, as their tool and what args has of their
// arguments, and why the script ended early.
func script(t *testing.T, s *server.Server, policy string, intents []intent.Intent, pages []string, answers map[string]string) (calls []string, why string) {
	t.Helper()
	a := quick(s, policy, intents)
	state := adapter.State{TabID: "T", Steps: []adapter.Step{{}}}
	for range 50 {
		d, err := a.Next(t.Context(), state)
		need.OK(t, err)
		if d.Call.Tool == "" {
			return calls, d.GaveUp + d.NoTool
		}
		text, ok := answers[d.Call.Tool]
		switch {
		case d.Call.Tool == s.Page.Call.Tool:
			calls = append(calls, "read")
			text, pages = pages[0], pages[min(1, len(pages)-1):]
		case !ok:
			text = "✓"
			fallthrough
		default:
			calls = append(calls, d.Call.Tool+" "+string(d.Call.Args))
		}
		state.Steps = append(state.Steps, adapter.Step{Call: d.Call, Result: said(text, strings.HasPrefix(text, "Error"))})
	}
	t.Fatal("the script does not end")
	return nil, ""
}

func TestRules(t *testing.T) {
	const (
		openchrome = "openchrome"
		playwright = "playwright-mcp"
		devtools   = "chrome-devtools-mcp"
		twins      = "[1]<h2/>Bill\n[2]<label/>Name\n[3]<input/>\n[4]<label/>Note\n[5]<input/>\n[6]<h2/>Gift\n[7]<label/>Name\n[8]<input/>\n[9]<button/>Save"
		closed     = "- heading \"Send it\" [ref=e1]\n- textbox \"Name\" [ref=e2]\n- button \"Send it\" [disabled] [ref=e3]"
	)
	open := strings.ReplaceAll(closed, " [disabled]", "")
	fill := intent.Intent{Verb: intent.Fill, Text: "Name", Second: "Ada"}
	gift := fill
	gift.After = "Gift"
	note := intent.Intent{Verb: intent.Fill, Text: "Note", Second: "x"}
	press := func(name string) intent.Intent { return intent.Intent{Verb: intent.Press, Text: name} }
	send := func(name string) intent.Intent { return intent.Intent{Verb: intent.Send, Text: name} }
	for _, test := range []struct {
		name, server, policy string
		intents              []intent.Intent
		pages                []string
		answers              map[string]string
		want                 string // the calls
		why                  string // part of the reason
	}{
		{"words cannot say after which text", openchrome, "form", []intent.Intent{note, gift, send("Save")}, []string{twins}, nil,
			`read|fill_form {"fields":{"Note": "x"}}|read|form_input {"ref":"8","value":"Ada"}|interact {"query":"Save"}`, ""},
		{"nor do they in a call that sends", openchrome, "submit", []intent.Intent{note, gift, send("Save")}, []string{twins}, nil,
			`read|fill_form {"fields":{"Note": "x"}}|read|form_input {"ref":"8","value":"Ada"}|interact {"query":"Save"}`, ""},
		{"a call that sends", openchrome, "submit", []intent.Intent{note, send("Save")}, []string{twins}, nil,
			`read|fill_form {"fields":{"Note": "x"},"submit":"Save"}`, ""},
		{"a button that filling enables", playwright, "ref", []intent.Intent{fill, send("Send it")}, []string{closed, open}, nil,
			`read|browser_type {"element":"Name","target":"e2","text":"Ada"}|read|browser_click {"element":"Send it","target":"e3"}`, ""},
		{"a heading is no button", playwright, "form", []intent.Intent{press("Send it")}, []string{closed}, nil,
			`read|read`, "the control is disabled"},
		{"nor is one by words", openchrome, "form", []intent.Intent{press("Save")}, []string{"[1]<h1/>Save\n[2]<button disabled=\"\"/>Save"}, nil,
			`read|read|read`, "the control is disabled"},
		{"a text that is no control", playwright, "ref", []intent.Intent{press("More")}, []string{"- generic [ref=e1]:\n  - generic [ref=e2]: More"}, nil,
			`read|browser_click {"element":"More","target":"e2"}`, ""},
		{"a control without a reference", playwright, "form", []intent.Intent{press("Add")}, []string{"- generic [ref=e1]:\n  - button \"Add\""}, nil,
			`read|browser_click {"element":"Add","target":"text=\"Add\""}`, ""},
		{"a late control", openchrome, "form", []intent.Intent{press("Save")}, []string{"[1]<p/>Wait", twins}, nil,
			`read|read|interact {"query":"Save"}`, ""},
		{"words find what no answer shows", openchrome, "form", []intent.Intent{press("Pay")}, []string{twins}, nil,
			`read|read|read|interact {"query":"Pay"}`, ""},
		{"but not with check", openchrome, "form+check", []intent.Intent{press("Pay")}, []string{twins}, nil,
			`read|read|read`, "no answer of the server shows such a control"},
		{"check presses in the same way", openchrome, "form+check", []intent.Intent{press("Save")}, []string{twins, twins + "d"}, nil,
			`read|interact {"query":"Save"}|read`, ""},
		{"what is left out", devtools, "form", []intent.Intent{press("Garvick")}, []string{`uid=1_1 button "Pay"`, `uid=1_1 button "Pay"`, `uid=1_2 option "Garvick"`}, nil,
			`read|read|read|click {"uid":"1_2"}`, ""},
		{"what was left out is not looked for there", devtools, "form", []intent.Intent{fill, note}, []string{`uid=1_1 textbox "Note"`, `uid=1_1 textbox "Note"`, `uid=2_1 textbox "Note"` + "\n" + `uid=2_2 textbox "Name"`, ""}, nil,
			`read|read|read|fill_form {"elements":[{"uid":"2_2","value":"Ada"},{"uid":"1_1","value":"x"}]}`, ""},
		{"a text that is left out", openchrome, "form", []intent.Intent{{Verb: intent.Read, Text: "Fare (\\d+)", Second: "fare"}, {Verb: intent.Wait, Text: "{{saved.fare}}"}}, []string{"[1]<p/>…", "[1]<p/>…", `[ref_1] cell: "Fare 27"`}, nil,
			`read|read|read|wait_for {"type":"function","value":"document.body.innerText.includes(\"27\")","timeout":5000}`, ""},
		{"a text that may be empty", openchrome, "form", []intent.Intent{{Verb: intent.Read, Text: "(?:Fare )?([0-9]*)", Second: "n"}, {Verb: intent.Wait, Text: "{{saved.n}}"}}, []string{"[1]<p/>Fare 27"}, nil,
			`read|wait_for {"type":"function","value":"document.body.innerText.includes(\"27\")","timeout":5000}`, ""},
		{"an answer that says what failed", openchrome, "form", []intent.Intent{fill, note}, []string{twins}, map[string]string{"fill_form": "✓ Filled 1 field\nErrors: Could not find field matching \"Note\""},
			`read|fill_form {"fields":{"Name": "Ada","Note": "x"}}|read|form_input {"ref":"5","value":"x"}`, ""},
		{"one that does not say which", openchrome, "form", []intent.Intent{fill, note}, []string{twins}, map[string]string{"fill_form": "✓ Filled 1 field\nErrors: one field"},
			`read|fill_form {"fields":{"Name": "Ada","Note": "x"}}|read|form_input {"ref":"3","value":"Ada"}|form_input {"ref":"5","value":"x"}`, ""},
		{"it may have sent the rest", openchrome, "submit", []intent.Intent{fill, send("Save")}, []string{twins}, map[string]string{"fill_form": "✓\nErrors: no"},
			`read|fill_form {"fields":{"Name": "Ada"},"submit":"Save"}`, "Errors: no"},
		{"the other ways to press", playwright, "form", []intent.Intent{{Verb: intent.Press, Text: "Name", Second: "double"}, {Verb: intent.Press, Text: "Name", Second: "Shift"}}, []string{open}, nil,
			`read|browser_click {"element":"Name","target":"e2","doubleClick":true}|read|browser_click {"element":"Name","target":"e2","modifiers":["Shift"]}`, ""},
		{"one that the server lacks", devtools, "form", []intent.Intent{{Verb: intent.Press, Text: "Pay", Second: "right"}}, []string{`uid=1_1 button "Pay"`}, nil,
			`read`, "the description of chrome-devtools-mcp has no call for it"},
		{"things without a name", playwright, "form", []intent.Intent{{Verb: intent.Press, Place: -2, After: "Ada"}, {Verb: intent.Press, Place: 1, After: "Ada"}},
			[]string{"- generic [ref=e1]: Row\n- generic [ref=e2]\n- generic [ref=e3]\n- text: Ada\n- generic [ref=e4]"}, nil,
			`read|browser_click {"element":"","target":"e2"}|read|browser_click {"element":"","target":"e4"}`, ""},
		{"what is before the line around a text", devtools, "form", []intent.Intent{{Verb: intent.Press, Place: -1, After: "Ada"}},
			[]string{"uid=1_1 generic\n  uid=1_2 generic\n  uid=1_3 generic\n    uid=1_4 \"Ada\"\n      uid=1_5 InlineTextBox \"Ada\""}, nil, `read|click {"uid":"1_2"}`, ""},
		{"none up to the next name", playwright, "form", []intent.Intent{{Verb: intent.Press, Place: 1, After: "Ada"}},
			[]string{"- text: Ada\n- text: Bo\n- generic [ref=e4]"}, nil, `read|read`, "no answer of the server shows such a control"},
		{"keys for a server that cannot drag", openchrome, "form", []intent.Intent{{Verb: intent.Drag, Text: "Note", Second: "Gift", Keys: "space"}}, []string{twins}, nil,
			`read|interact {"query":"Note"}|computer {"action":"key","text":"Space"}`, ""},
		{"a dialog that the server closes", openchrome, "form", []intent.Intent{{Verb: intent.Answer, Text: "dismiss"}, {Verb: intent.Answer, Text: "accept"}}, []string{twins}, nil,
			``, `accept": the description of openchrome has no call for it`},
		{"a file by the id of its field", openchrome, "form", []intent.Intent{{Verb: intent.Upload, Text: "Card", Second: "a.txt"}}, []string{"[1]<label/>Card\n[2]<input type=\"file\" id=\"f\"/>"}, nil,
			`read|file_upload {"selector":"[id=\"f\"]","filePaths":[""]}`, ""},
		{"what no verb can do", openchrome, "form", []intent.Intent{{Verb: intent.Unsupported, Text: "select a word"}}, []string{twins}, nil,
			``, "no verb can do this: select a word"},
		{"the page repeats it", openchrome, "form", []intent.Intent{fill}, []string{twins}, map[string]string{"fill_form": "✓\n[DOM Delta]\nErrors: no"},
			`read|fill_form {"fields":{"Name": "Ada"}}`, ""},
	} {
		calls, why := script(t, server.Named(test.server), test.policy, test.intents, test.pages, test.answers)
		got := strings.NewReplacer(`"tabId": "T", `, "", `"pageId": 1, `, "", `": `, `":`, `, "`, `,"`).Replace(strings.Join(calls, "|"))
		need.Is(t, test.name, strings.NewReplacer(`": `, `":`).Replace(test.want), got)
		if !strings.Contains(why, test.why) || why != "" && test.why == "" {
			t.Errorf("%s: it ends with %q, want %q", test.name, why, test.why)
		}
	}
}

// A call that fills in and presses by references is not made for a field without one. The button is pressed all the same.
func TestSendsWhatOneCallCannot(t *testing.T) {
	s := *server.Named("playwright-mcp")
	submit := s.Policies["form"]
	submit.Send = submit.Form
	s.Policies = server.Policies{"submit": submit}
	s.Words = server.Calls{"fill": s.Words["press"]}
	in := []intent.Intent{{Verb: intent.Fill, Text: "Name", Second: "Ada"}, {Verb: intent.Send, Text: "Save"}}
	calls, why := script(t, &s, "submit", in, []string{"- textbox \"Name\"\n- button \"Save\" [ref=e3]"}, nil)
	need.Is(t, why, 3, len(calls))
	if last := calls[len(calls)-1]; !strings.Contains(last, "e3") {
		t.Errorf("the last call is %s", last)
	}
}

// A call of a tool that the server does not have is a step without a tool: no other policy is tried.
func TestToolIsMissing(t *testing.T) {
	a := quick(server.OpenChrome(), "ref", []intent.Intent{{Verb: intent.Press, Text: "Save"}})
	s := adapter.State{TabID: "T", Steps: []adapter.Step{{}}, Tools: []adapter.Tool{{Name: "read_page"}}}
	for _, answer := range []adapter.Result{said("[1]<button/>Save", false), said("Unknown tool", true)} {
		d, err := a.Next(t.Context(), s)
		need.OK(t, err)
		s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: answer})
	}
	d, err := a.Next(t.Context(), s)
	need.OK(t, err)
	need.Is(t, "", "openchrome has no tool computer", d.NoTool)
}

// A server without references that does not show what fields hold is trusted: no field is repaired.
func TestPlainServer(t *testing.T) {
	f := jsonfile.New("toy.json", []byte(`{"name": "toy", "title": "Toy", "reviewer": "not reviewed", "cites": ["https://toy.test/"],
"page": {"call": {"tool": "see", "args": {}}, "lines": ["^(?P<role>\\w+) (?P<name>.*)$"], "noValues": true},
"open": {"tool": "go", "args": {}}, "calls": {
"press": [{"tool": "hit", "args": {"name": "{{name}}"}}], "fill": [{"tool": "write", "args": {"name": "{{name}}", "text": "{{value}}"}}]},
"policies": {"ref": {}}}`))
	s := server.Read(f)
	need.OK(t, f.Faults.Err())
	for _, policy := range []string{"ref", "ref+check"} {
		intents := []intent.Intent{{Verb: intent.Fill, Text: "Name", Second: "Ada"}, {Verb: intent.Send, Text: "Save"}}
		calls, why := script(t, s, policy, intents, []string{"textbox Name\nbutton Save", "textbox Name\nbutton Save", "text Saved"}, nil)
		want := `write {"name": "Name", "text": "Ada"}|hit {"name": "Save"}`
		got := strings.Join(calls, "|")
		for strings.Contains(got, "read|") {
			got = strings.Replace(got, "read|", "", 1)
		}
		need.Is(t, policy+": calls", want, strings.TrimSuffix(got, "|read"))
		need.Is(t, policy+": it ends with", "", why)
	}
}
