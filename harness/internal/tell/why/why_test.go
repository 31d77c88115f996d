package why_test

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
)

// judged returns an episode with its contract explained.
func judged(t *testing.T, status record.Status, reason, success, url, h1 string) report.Episode {
	t.Helper()
	c, faults := judge.Parse([]byte(success))
	need.None(t, faults)
	in := judge.Input{Facts: &evidence.Facts{URL: &url, DOMText: &evidence.Text{Of: map[string]*string{"h1": &h1}}}}
	tree := judge.Explain(c, in, judge.Judge(c, in))
	return report.Episode{Status: status, Cause: causeOf(status, reason), Reason: reason, Tree: &tree, Explanation: &tree}
}

func causeOf(s record.Status, reason string) record.Cause {
	c, _ := record.CauseOf(s, reason)
	return c
}

const sent = `{"kind":"and","children":[{"kind":"url","pattern":"/sent$"},
	{"kind":"and","children":[{"kind":"dom_text","selector":"h1","contains":"Message sent"},{"kind":"no_dialog"}]}]}`

func TestWhy(t *testing.T) {
	failed := judged(t, record.Failed, "want: …; got: …", sent, "https://forms.test/contact", "Contact us")
	elsewhere := judged(t, record.Failed, "want: …; got: …", sent, "https://forms.test/contact?n=7", "Contact us")
	second := judged(t, record.Failed, "want: …; got: …", sent, "https://forms.test/sent", "Message SENT")
	changed := judged(t, record.Failed, "the answer of step 3 changed: …", sent, "https://forms.test/contact", "Contact us")
	changed.ChangedAnswers = []report.ChangedAnswer{{Step: 3, Tool: "click", Drift: adapter.Drift{Expected: `text with "Clicked"`, At: "transcript.jsonl:3"}, Actual: `"Pressed 17"`}}
	unclear := judged(t, record.Inconclusive, "the server has no tool", `{"kind":"and","children":[{"kind":"url","pattern":"/sent$"},{"kind":"console","schema_version":1,"type":"error","op":"eq","value":0,"max_age_ms":1}]}`,
		"https://forms.test/sent", "")
	wrong := second
	wrong.WrongSideEffects = []string{"paid twice (a.test)", "took it back (a.test)"}
	tests := []struct {
		name       string
		e          report.Episode
		why, cause string
	}{
		{"a wrong side effect", wrong, `check 2 of 3 failed: text of h1 is "Message SENT", wanted "Message sent" (only the case differs: the text has "Message SENT"); 3 was not judged; wrong side effect: paid twice (a.test), took it back (a.test)`,
			`check 2 of 3 failed, wanted: the text of h1 contains "Message sent"`},
		{"passed", report.Episode{Status: record.Passed, Reason: "x"}, "", ""},
		{"first check", failed, "check 1 of 3 failed: url is https://forms.test/contact, wanted …/sent; 2 and 3 were not judged",
			"check 1 of 3 failed, wanted: the URL ends with /sent"},
		{"the page varies", elsewhere, "check 1 of 3 failed: url is https://forms.test/contact?n=7, wanted …/sent; 2 and 3 were not judged",
			"check 1 of 3 failed, wanted: the URL ends with /sent"},
		{"second check", second, `check 2 of 3 failed: text of h1 is "Message SENT", wanted "Message sent" (only the case differs: the text has "Message SENT"); 3 was not judged`,
			`check 2 of 3 failed, wanted: the text of h1 contains "Message sent"`},
		{"only check", judged(t, record.Failed, "want: …", `{"kind":"no_dialog"}`, "", ""), "want: …", "want: …"}, // it holds: the log contradicts itself
		{"a changed answer", changed, `the answer of step 3 changed: click answered "Pressed 17", expected text with "Clicked"; check 1 of 3 failed: url is https://forms.test/contact, wanted …/sent; 2 and 3 were not judged`,
			`an answer changed: click did not answer text with "Clicked"; check 1 of 3 failed, wanted: the URL ends with /sent`},
		{"step cap", judged(t, record.MaxSteps, "not done at the step cap of 20", sent, "https://forms.test/sent", "Contact us"),
			`not done at the step cap of 20; check 2 of 3 failed: text of h1 is "Contact us", wanted "Message sent"; 3 was not judged`,
			`not done at the step cap; check 2 of 3 failed, wanted: the text of h1 contains "Message sent"`},
		{"inconclusive", unclear, "check 2 of 2 cannot be judged: evidence.snapshot.contract_facts is missing", "check 2 of 2 cannot be judged: evidence.snapshot.contract_facts is missing"},
		{"ended", report.Episode{Status: record.ToolError, Cause: record.CauseOpenChrome, Calls: []report.Call{{Tool: "look", Failure: "it ended"}}, Reason: "OpenChrome (pid 4711) ended after 1.234s on 127.0.0.1:41234: exit status 3"},
			"OpenChrome (pid 4711) ended after 1.234s on 127.0.0.1:41234: exit status 3", "the server ended, or broke the protocol: look"},
		{"unsupported", report.Episode{Status: record.Failed, Reason: "unsupported: it has no such tool", Unsupported: "it has no such tool"}, "the server cannot do this task: it has no such tool", "the server cannot do this task: it has no such tool"},
		{"not reached at all", report.Episode{Status: record.Interrupted, Reason: "the run was stopped"}, "the run was stopped", "the run was stopped"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			need.Is(t, "why", tt.why, why.Line(&tt.e))
			need.Is(t, "cause", tt.cause, why.Group(&tt.e))
		})
	}
}

func TestWrongStep(t *testing.T) {
	fine, bad, silent := report.Call{Step: 1}, report.Call{Step: 2, Error: true}, report.Call{Step: 4, Failure: "no answer"}
	changed := []report.ChangedAnswer{{Step: 3}}
	tests := []struct {
		name    string
		calls   []report.Call
		changed []report.ChangedAnswer
		step    int
		why     string
	}{
		{"no calls", nil, nil, -1, ""},
		{"nothing wrong", []report.Call{{}, fine}, nil, 1, "the last step"},
		{"an error", []report.Call{fine, bad, {Step: 3}, {Step: 5}}, nil, 2, "the first error"},
		{"an error that was expected, and a changed answer", []report.Call{fine, bad, {Step: 3}, {Step: 5}}, changed, 3, "the first changed answer"},
		{"no answer", []report.Call{fine, bad, silent}, nil, 4, "it has no answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, why := why.WrongStep(&report.Episode{Calls: tt.calls, ChangedAnswers: tt.changed})
			step := -1
			if c != nil {
				step = c.Step
			}
			if step != tt.step || why != tt.why {
				t.Errorf("step %d, %s; want %d, %s", step, why, tt.step, tt.why)
			}
		})
	}
}

// The end of a long answer says what went wrong: the line keeps it.
func TestWhyOfALongAnswer(t *testing.T) {
	e := report.Episode{Status: record.Failed, Reason: "the answer of step 2 changed: …", ChangedAnswers: []report.ChangedAnswer{{
		Step: 2, Tool: "fill_form", Drift: adapter.Drift{Expected: `text with "submitted"`}, Actual: `"Filled ` + strings.Repeat("é", 300) + ` no button like Jion"`,
	}}}
	why := why.Line(&e)
	if !strings.Contains(why, `é no button like Jion", expected text with "submitted"`) || !strings.Contains(why, `answered "Filled é`) {
		t.Error(why)
	}
}
