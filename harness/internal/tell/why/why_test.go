package why_test

import (
	"fmt"
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
func judged(
	t *testing.T, status record.Status, cause record.Cause, reason, success, url, h1 string,
) report.Episode {
	t.Helper()
	c, faults := judge.Parse([]byte(success))
	need.None(t, faults)
	in := judge.Input{Facts: &evidence.Facts{URL: &url, DOMText: &evidence.Text{Of: map[string]*string{"h1": &h1}}}}
	tree := judge.Explain(c, in, judge.Judge(c, in))
	return report.Episode{Status: status, Cause: cause, Reason: reason, Tree: &tree, Explanation: &tree}
}

const sent = `{"kind":"and","children":[{"kind":"url","pattern":"/sent$"},
	{"kind":"and","children":[{"kind":"dom_text","selector":"h1","contains":"Message sent"},{"kind":"no_dialog"}]}]}`

func TestWhy(t *testing.T) {
	wrong := judged(t, record.Failed, record.CauseContract, "want: …; got: …", sent, "https://forms.test/sent", "Message SENT")
	changed := judged(t, record.Failed, record.CauseChangedAnswer, "the answer of step 3 changed: …", sent, "https://forms.test/contact", "Contact us")
	changed.ChangedAnswers = []report.ChangedAnswer{{Step: 3, Tool: "click", Drift: adapter.Drift{Expected: `text with "Clicked"`, At: "transcript.jsonl:3"}, Actual: `"Pressed 17"`}}
	unclear := judged(t, record.Inconclusive, record.CauseMissing, "the server has no tool", `{"kind":"and","children":[{"kind":"url","pattern":"/sent$"},{"kind":"console","schema_version":1,"type":"error","op":"eq","value":0,"max_age_ms":1}]}`,
		"https://forms.test/sent", "")
	wrong.WrongSideEffects = []string{"paid twice (a.test)", "took it back (a.test)"}
	// The end of a long answer says what went wrong: the line keeps it.
	long := report.Episode{Status: record.Failed, Calls: []report.Call{{Step: 1}}, ChangedAnswers: []report.ChangedAnswer{{
		Step: 2, Tool: "fill", Drift: adapter.Drift{Expected: `"submitted"`}, Actual: strings.Repeat("é", 300) + " no button like Jion",
	}}}
	for _, tt := range []struct {
		name       string
		e          report.Episode
		why, cause string
	}{
		{"a long answer", long, "the answer of step 2 changed: fill answered " + strings.Repeat("é", 120) + " … " + strings.Repeat("é", 60) + ` no button like Jion, expected "submitted"`,
			`an answer changed: fill did not answer "submitted"`},
		{"a wrong side effect", wrong, `check 2 of 3 failed: text of h1 is "Message SENT", wanted "Message sent"; wrong side effect: paid twice (a.test), took it back (a.test)`,
			`check 2 of 3 failed, wanted: the text of h1 contains "Message sent"`},
		{"passed", report.Episode{Status: record.Passed, Reason: "x"}, "", ""},
		{"only check", judged(t, record.Failed, record.CauseContract, "want: …", `{"kind":"no_dialog"}`, "", ""), "want: …", "want: …"}, // it holds: the log contradicts itself
		{"a changed answer", changed, `the answer of step 3 changed: click answered "Pressed 17", expected text with "Clicked"; check 1 of 3 failed: url is https://forms.test/contact, wanted …/sent`,
			`an answer changed: click did not answer text with "Clicked"; check 1 of 3 failed, wanted: the URL ends with /sent`},
		{"step cap", judged(t, record.MaxSteps, record.CauseStepCap, "not done at the step cap of 20", sent, "https://forms.test/sent", "Contact us"),
			`not done at the step cap of 20; check 2 of 3 failed: text of h1 is "Contact us", wanted "Message sent"`,
			`not done at the step cap; check 2 of 3 failed, wanted: the text of h1 contains "Message sent"`},
		{"inconclusive", unclear, "check 2 of 2 cannot be judged: evidence.snapshot.contract_facts is missing", "check 2 of 2 cannot be judged: evidence.snapshot.contract_facts is missing"},
		{"ended", report.Episode{Status: record.ToolError, Cause: record.CauseOpenChrome, Calls: []report.Call{{Tool: "look", Failure: "it ended"}}, Reason: "OpenChrome (pid 4711) ended after 1.234s on 127.0.0.1:41234: exit status 3"},
			"OpenChrome (pid 4711) ended after 1.234s on 127.0.0.1:41234: exit status 3", "the server ended, or broke the protocol: look"},
	} {
		whose := ""
		if tt.e.Status.Class() == record.Fail {
			whose = string(why.Diagnose(&tt.e).Whose) + ": "
		}
		need.Is(t, tt.name, tt.why, strings.TrimPrefix(why.Line(&tt.e), whose))
		need.Is(t, tt.name+": cause", tt.cause, strings.TrimPrefix(why.Group(&tt.e), whose))
	}
}

func TestWrongStep(t *testing.T) {
	fine, bad := report.Call{Step: 1}, report.Call{Step: 2, Error: true}
	namesakes := ordered()
	namesakes.Missed[0].Unmet, namesakes.Calls[1].Parts = namesakes.Missed[0].Unmet[:1], nil
	namesakes.Calls[2].Parts = []record.Part{{Asked: "Delivery", Value: "x55", Word: record.AsAsked, Did: "2 fields have this name", Hit: &record.Element{Field: "delivery"}}}
	for _, tt := range []struct {
		name    string
		e       *report.Episode
		call    int
		because string
	}{
		{"no calls", &report.Episode{Status: record.Failed}, -1, "it made no call"},
		{"nothing wrong", &report.Episode{Status: record.Failed, Calls: []report.Call{{}, fine}}, 1, "nothing before the last step explains it"},
		{"an error that was expected, and a changed answer", &report.Episode{
			Status: record.Failed,
			Calls:  []report.Call{fine, bad, {Step: 3}, {Step: 5}}, ChangedAnswers: []report.ChangedAnswer{{Step: 3}},
		}, 2, "it is the first changed answer"},
		{"several fields of this name", namesakes, 2, "the call asked for another value"},
	} {
		d := why.Diagnose(tt.e)
		c, because := d.Call, d.Because
		if because != tt.because || tt.call >= 0 && c != &tt.e.Calls[tt.call] || tt.call < 0 && c != nil {
			t.Errorf("%s: %+v, %s; want call %d, %s", tt.name, c, because, tt.call, tt.because)
		}
	}
}

// A reader who does not know the fixture web sees what its own requests mean.
func TestNote(t *testing.T) {
	for _, test := range []struct {
		name string
		node judge.Node
		want string
	}{
		{"end", judge.Node{Pattern: `^https://a\.test/\.end/paid/k7$`}, "the web writes this request itself at the end: 200 if the task is done then, and nothing forbidden was"},
		{"wrong", judge.Node{Pattern: `/.wrong/`}, "the web writes such a request itself when a forbidden act is done"},
		{"other", judge.Node{Expected: "the URL contains /.end/", Pattern: "/end/"}, ""},
	} {
		need.Is(t, test.name, test.want, why.Note(&test.node))
	}
}

// What is unknown is called unknown, never 0.
func TestAgent(t *testing.T) {
	var many []report.PassAll
	for k := range 12 {
		many = append(many, report.PassAll{K: k + 1, Rate: 1, Tasks: 2 - (k+1)/10})
	}
	sum := func(v float64, known int) *report.AgentSum { return &report.AgentSum{Sum: v, Known: known} }
	for _, tt := range []struct {
		said report.AgentFigures
		want []string
	}{
		{report.AgentFigures{Episodes: 1, PassAll: []report.PassAll{{K: 1, Rate: 1, Tasks: 1}}},
			[]string{"requests unknown; input unknown; cached unknown; written to a cache unknown; output unknown; reasoning unknown", "as it says: unknown; for each pass unknown", "k=1 100.0% of 1 task"}},
		{report.AgentFigures{Episodes: 2, CostUSD: sum(1, 2), OutputTokens: sum(100, 2), CostPerPass: new(1.0), PassAll: []report.PassAll{{K: 1, Rate: 0.5, Tasks: 1}, {K: 2, Tasks: 1}}},
			[]string{"output 100;", "$1.0000; for each pass $1.0000", "k=1 50.0% of 1 task, k=2 0.0%"}},
		{report.AgentFigures{Episodes: 2, CostUSD: sum(0.5, 1), OutputTokens: sum(100, 1)},
			[]string{"output 100 in 1 of 2 episodes, unknown in the others", "$0.5000 in 1 of 2 episodes, unknown in the others; for each pass unknown"}},
		{report.AgentFigures{Episodes: 12, PassAll: many}, []string{"k=9 100.0%, k=12 100.0% of 1 task"}},
	} {
		tt.said.Tools = 23
		r := &report.Report{Agent: &record.PlannedAgent{Name: "x", Confinement: "none"}, Figures: report.Figures{Agent: &tt.said}}
		need.Has(t, fmt.Sprint(why.Agent(r)), append(tt.want, "[agent x, version unknown, model unknown; not confined: "+
			"it could read the tasks and change this log; 23 tools listed; 0 calls after the end]")...)
	}
	need.Equal(t, "without an agent", [][2]string(nil), why.Agent(new(report.Report)))
}
