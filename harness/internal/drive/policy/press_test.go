package policy

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// A press is sent again only in another way, and only after an answer that says that it failed.
func TestPressIsNotRepeated(t *testing.T) {
	profile := server.OpenChrome()
	press := intent.Intent{Verb: intent.Press, Text: "Save all", At: "intents.jsonl:1"}
	after := press
	after.After = "Gift"
	keys := intent.Intent{Verb: intent.Keys, Text: "Home", Second: "Save all", After: "Gift", At: "intents.jsonl:1"}
	for _, test := range []struct {
		in      intent.Intent
		policy  string
		fails   []string // the tools that answer with an error
		presses string
		gaveUp  bool
	}{
		{press, server.ByForm, nil, "interact", false},
		{press, server.ByForm, []string{"interact"}, "interact computer", false},
		{press, server.ByForm, []string{"interact", "computer"}, "interact computer", true},
		{press, server.ByRef, []string{"computer"}, "computer", true},
		{press, server.ByForm + check, []string{"interact"}, "interact", true}, // check changes only the checking
		{after, server.ByForm, nil, "computer", false},                         // words cannot say it
		{keys, server.ByForm, nil, "computer", false},
	} {
		a := quick(profile, test.policy, []intent.Intent{test.in})
		s := adapter.State{TabID: "T", Steps: []adapter.Step{{}}}
		var presses []string
		var last adapter.Decision
		for reads := 0; ; {
			d, err := a.Next(t.Context(), s)
			need.OK(t, err)
			if last = d; d.Call.Tool == "" {
				break
			}
			answer := said("✓", slices.Contains(test.fails, d.Call.Tool))
			switch {
			case d.Call.Tool == "read_page":
				reads++
				answer = said(page+strings.Repeat("\n[99]<p/>new", reads), false)
			case strings.Contains(string(d.Call.Args), "click") || d.Call.Tool == "interact":
				presses = append(presses, d.Call.Tool)
			}
			s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: answer})
		}
		if got := strings.Join(presses, " "); got != test.presses || (last.GaveUp != "") != test.gaveUp {
			t.Errorf("%s, %s, %v fail: pressed by %s, %+v; want %s", test.in.Verb, test.policy, test.fails, got, last, test.presses)
		}
	}
}

// After an answer that the reference is of an element that is gone, a policy looks again, and presses the element
// that is there now, once. That answer counts only if it is an error, and not what the page says.
func TestStaleReference(t *testing.T) {
	profile := server.Named("chrome-devtools-mcp")
	const gone = "Element with uid %s no longer exists on the page."
	for _, test := range []struct {
		name    string
		policy  string
		in      intent.Intent
		answers []string // to the calls by reference; after them, all is well. A ! begins an error
		acts    string
		gaveUp  bool
	}{
		{"press", server.ByForm, intent.Intent{Verb: intent.Press, Text: "Pay"}, []string{"!" + gone}, "click 1_2; click 2_2", false},
		{"with check", server.ByRef + check, intent.Intent{Verb: intent.Press, Text: "Pay"}, []string{"!" + gone}, "click 1_2; click 2_2", false},
		{"by place", server.ByForm, intent.Intent{Verb: intent.Press, Text: "1", Place: 1, After: "Total"}, []string{"!" + gone}, "click 1_4; click 2_4", false},
		{"gone twice", server.ByForm, intent.Intent{Verb: intent.Press, Text: "Pay"}, []string{"!" + gone, "!" + gone}, "click 1_2; click 2_2", true},
		{"another error", server.ByForm, intent.Intent{Verb: intent.Press, Text: "Pay"}, []string{"!It timed out."}, "click 1_2", true},
		{"the page says it", server.ByForm, intent.Intent{Verb: intent.Press, Text: "Pay"}, []string{gone}, "click 1_2", false},
		{"hover", server.ByForm, intent.Intent{Verb: intent.Hover, Text: "Pay"}, []string{"!" + gone}, "hover 1_2; hover 2_2", false},
		{"drag", server.ByForm, intent.Intent{Verb: intent.Drag, Text: "Pay", Second: "Bin"}, []string{"!" + gone}, "drag 1_2 1_5; drag 2_2 2_5", false},
		{"one field", server.ByRef, intent.Intent{Verb: intent.Fill, Text: "Sum", Second: "5"}, []string{"!" + gone}, "fill 1_6; fill 2_6", false},
	} {
		test.in.At = "intents.jsonl:1"
		a := quick(profile, test.policy, []intent.Intent{test.in})
		s := adapter.State{TabID: "T", Steps: []adapter.Step{{}}}
		var acts []string
		var last adapter.Decision
		for reads := 0; ; {
			d, err := a.Next(t.Context(), s)
			need.OK(t, err)
			if last = d; d.Call.Tool == "" || len(acts) > 4 {
				break
			}
			answer := said("ok", false)
			if d.Call.Tool == "take_snapshot" {
				reads++
				lines := "uid=N_2 button \"Pay\"\nuid=N_3 StaticText \"Total\"\nuid=N_4 generic\nuid=N_5 button \"Bin\"\nuid=N_6 textbox \"Sum\" value=\"5\"" +
					strings.Repeat("\nuid=N_7 StaticText \"Paid\"", len(acts))
				answer = said(strings.ReplaceAll(lines, "N", strconv.Itoa(reads)), false)
			} else {
				var args struct {
					UID  string `json:"uid"`
					From string `json:"from_uid"`
					To   string `json:"to_uid"`
				}
				need.OK(t, json.Unmarshal(d.Call.Args, &args))
				acts = append(acts, strings.Join(strings.Fields(d.Call.Tool+" "+args.UID+" "+args.From+" "+args.To), " "))
				if n := len(acts) - 1; n < len(test.answers) {
					text, isError := strings.CutPrefix(test.answers[n], "!")
					answer = said(text, isError)
				}
			}
			s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: answer})
		}
		if got := strings.Join(acts, "; "); got != test.acts || (last.GaveUp != "") != test.gaveUp {
			t.Errorf("%s: %s, %+v; want %s", test.name, got, last, test.acts)
		}
	}
}

// Some servers stop waiting early, so a text is waited for twice, and no more.
func TestWaitsTwice(t *testing.T) {
	profile := server.OpenChrome()
	for fails, want := range []int{1, 2, 2} {
		a := quick(profile, server.ByForm, []intent.Intent{{Verb: intent.Wait, Text: "Done", At: "intents.jsonl:1"}})
		s := adapter.State{TabID: "T", Steps: []adapter.Step{{}}}
		for waits := 0; ; waits++ {
			d, err := a.Next(t.Context(), s)
			need.OK(t, err)
			if d.Call.Tool == "" {
				if waits != want || (d.GaveUp != "") != (fails == 2) {
					t.Errorf("%d fail: waited %d times, want %d; %+v", fails, waits, want, d)
				}
				break
			}
			s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: said("", waits < fails)})
		}
	}
}

// A tab may open late, so a policy looks again once.
func TestTabOpensLate(t *testing.T) {
	profile := server.OpenChrome()
	const list = `"tabId": "A", "workerId": "w", "url": "https://x.test/", "title": "First"`
	const both = list + `, "tabId": "B", "workerId": "w", "url": "https://x.test/2", "title": "Second"`
	for _, test := range []struct {
		answers []string
		gaveUp  bool
	}{{[]string{both}, false}, {[]string{list, both}, false}, {[]string{list, list, both}, true}} {
		a := quick(profile, server.ByForm, []intent.Intent{{Verb: intent.Tab, Text: "Second", At: "intents.jsonl:1"}, {Verb: intent.Reload, At: "intents.jsonl:2"}})
		s := adapter.State{TabID: "A", Steps: []adapter.Step{{}}}
		var last adapter.Decision
		for lists, reloaded := 0, false; !reloaded; {
			d, err := a.Next(t.Context(), s)
			need.OK(t, err)
			if last = d; d.Call.Tool == "" {
				break
			}
			answer := "✓"
			if d.Call.Tool == "tabs_context" {
				answer, lists = test.answers[lists], lists+1
			}
			reloaded = d.Call.Tool == "page_reload"
			s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: said(answer, false)})
		}
		if (last.GaveUp != "") != test.gaveUp || !test.gaveUp && !strings.Contains(string(last.Call.Args), `"B"`) {
			t.Errorf("%d answers: %+v", len(test.answers), last)
		}
	}
}
