package policy

import (
	"slices"
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
