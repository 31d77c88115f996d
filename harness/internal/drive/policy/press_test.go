package policy

import (
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/intent"
)

// A press is sent again only in another way, and only after an answer that says that it failed.
func TestPressIsNotRepeated(t *testing.T) {
	profile, err := Find(session.OpenChromeName, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		policy  string
		fails   []string // the tools that answer with an error
		presses string
		gaveUp  bool
	}{
		{byForm, nil, "interact", false},
		{byForm, []string{"interact"}, "interact computer", false},
		{byForm, []string{"interact", "computer"}, "interact computer", true},
		{byRef, []string{"computer"}, "computer", true},
		{byForm + check, []string{"computer"}, "computer", true},
	} {
		a, _ := profile.New(test.policy, []intent.Intent{{Verb: intent.Press, Text: "Save all", At: "intents.jsonl:1"}}, nil)()
		s := adapter.State{TabID: "T", Steps: []adapter.Step{{}}}
		var presses []string
		var last adapter.Decision
		for reads := 0; ; {
			d, err := a.Next(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
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
			t.Errorf("%s, %v fail: pressed by %s, %+v; want %s", test.policy, test.fails, got, last, test.presses)
		}
	}
}
