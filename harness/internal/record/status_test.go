package record_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// The docs have the rules, in their order.
func TestDocumentedStatuses(t *testing.T) {
	page := need.Read(t, "../../../docs/benchmarks/episode-harness.md")
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*) \\| (pass|fail|void) \\|$")
	var got, want []string
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		got = append(got, fmt.Sprintf("%s, %s: %s", m[1], m[3], m[2]))
	}
	for _, r := range record.Rules {
		want = append(want, fmt.Sprintf("%s, %s: %s", r.Status, r.Status.Class(), r.When))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the docs (-rules +docs):\n%s", diff)
	}
}

// Causes are in the order of the rules: each row adds one that comes before
// those of the row above it.
func TestStatusOrder(t *testing.T) {
	var c record.Causes
	for _, step := range []struct {
		add    func()
		status record.Status
		reason string
	}{
		{func() { c.Failing = "other text" }, record.Failed, "other text"},
		{func() { c.StepCap = "steps" }, record.MaxSteps, "steps"},
		{func() { c.Missing = "no facts" }, record.Inconclusive, "no facts"},
		{func() { c.NoPage = "no page" }, record.Failed, "no page"},
		{func() { c.TimeCap = "late" }, record.Timeout, "late"},
		{func() { c.Unsupported = "unsupported: tabs" }, record.Failed, "unsupported: tabs"},
		{func() { c.ChangedAnswer = "drift" }, record.Inconclusive, "no facts"},
		{func() { c.Missing = "" }, record.Failed, "drift"},
		{func() { c.ChangedEnd = "strict" }, record.Failed, "drift"},
		{func() { c.Holds = true }, record.AdapterError, "strict"},
		{func() { c.Holds = false }, record.Failed, "drift"},
		{func() { c.AdapterError = "no key" }, record.AdapterError, "no key"},
		{func() { c.ToolError = "exit 3" }, record.ToolError, "exit 3"},
		{func() { c.Holds = true }, record.ToolError, "exit 3"},
		{func() { c.Outage = "no web" }, record.Inconclusive, "not OpenChrome's fault: no web"},
		{func() { c.ToolError = "" }, record.Inconclusive, "not OpenChrome's fault: no web"},
		{func() { c.ChangedEnd, c.Outage = "", "" }, record.AdapterError, "no key"},
		{func() { c.AdapterError = "" }, record.Passed, ""},
		{func() { c.Interrupted = "stopped" }, record.Interrupted, "stopped"},
	} {
		step.add()
		if rule, reason := c.Rule(); rule.Status != step.status || reason != step.reason {
			t.Errorf("%+v: got %s, %q; want %s, %q", c, rule.Status, reason, step.status, step.reason)
		}
	}
}

// The causes follow from the events.
func TestCauses(t *testing.T) {
	reset := &record.Reset{Task: record.Task{MaxSteps: 5, MaxDurationMs: 10_000}}
	verdict := func(v judge.Verdict) *record.ContractEval {
		return &record.ContractEval{Judgement: judge.Judgement{Verdict: v, InconclusiveReason: "no model"}}
	}
	call := func(c record.Cause) *record.ToolResult {
		return &record.ToolResult{Fault: record.Fault{Cause: c, Failure: "it broke"}}
	}
	changes := func(step int) *record.ToolResult {
		return &record.ToolResult{
			Step: step, Tool: "find", Result: adapter.NewResult(json.RawMessage(`{"content":[{"type":"text","text":"b\u001b[2J"}],"isError":true}`)),
			Drift: &adapter.Drift{Expected: `text with "a"`, At: fmt.Sprintf("transcript.jsonl:%d", step)},
		}
	}
	const changed = `the answer of step 2 changed: transcript.jsonl:2: find: expected text with "a", got the error "b\x1b[2J"`
	for _, test := range []struct {
		name   string
		events []record.Body
		status record.Status
		reason string
	}{
		{"the adapter was done", []record.Body{verdict(judge.Fail), &record.Stop{End: record.EndDone}}, record.Failed, ""},
		{"and the contract holds", []record.Body{verdict(judge.Pass), &record.Stop{End: record.EndStepCap}}, record.Passed, ""},
		{"a status that says otherwise", []record.Body{verdict(judge.Fail), &record.Stop{End: record.EndDone, Status: record.Passed}}, record.Failed, ""},
		{"the server cannot do it", []record.Body{&record.Stop{End: record.EndUnsupported, Error: "it has no tabs"}}, record.Failed, "unsupported: it has no tabs"},
		{"an adapter that gave up", []record.Body{&record.Stop{End: record.EndGaveUp, Error: "it has no tabs"}}, record.Failed, "the adapter gave up: it has no tabs"},
		{"no verdict", []record.Body{verdict(judge.Inconclusive), &record.Stop{End: record.EndDone}}, record.Inconclusive, "no model"},
		{"a console that the session filled", []record.Body{&record.ContractEval{Judgement: judge.Judgement{Verdict: judge.Inconclusive, ErrorCode: judge.Truncated, InconclusiveReason: "cut"}}, &record.Stop{End: record.EndDone}}, record.Failed, "the session filled the log of console messages: cut"},
		{"a console that the session filled until the cap", []record.Body{&record.ContractEval{Judgement: judge.Judgement{Verdict: judge.Inconclusive, ErrorCode: judge.Truncated, InconclusiveReason: "cut"}}, &record.Stop{End: record.EndTimeCap}}, record.Timeout, "not done within 10s"},
		{"no page", []record.Body{&record.Facts{NoPage: "closed"}, &record.Stop{End: record.EndDone}}, record.Failed, "no page to judge: closed"},
		{"no facts", []record.Body{&record.Facts{Missing: "{}"}, &record.Stop{End: record.EndDone}}, record.Inconclusive, "facts are missing: {}"},
		{"no answer until the cap", []record.Body{call(record.CauseTimeCap), verdict(judge.Fail), &record.Stop{End: record.EndNoAnswer}}, record.Timeout, "not done within 10s"},
		{"the cap between calls", []record.Body{verdict(judge.Fail), &record.Stop{End: record.EndTimeCap}}, record.Timeout, "not done within 10s"},
		{"the step cap", []record.Body{verdict(judge.Fail), &record.Stop{End: record.EndStepCap}}, record.MaxSteps, "not done at the step cap of 5"},
		{"OpenChrome died", []record.Body{call(record.CauseOpenChrome), &record.Stop{End: record.EndNoAnswer}}, record.ToolError, "it broke"},
		{"OpenChrome died between steps", []record.Body{&record.Progress{Fault: record.Fault{Cause: record.CauseOpenChrome, Failure: "it broke"}}, &record.Stop{End: record.EndNoAnswer}}, record.ToolError, "it broke"},
		{"OpenChrome died between steps, beside an observer", []record.Body{&record.Progress{Fault: record.Fault{Failure: "it broke"}}, verdict(judge.Pass), &record.Stop{End: record.EndDone, ServerEnded: "it broke"}}, record.Passed, ""},
		{"the adapter was done, and the page hangs until the cap", []record.Body{&record.Facts{NoPage: "it hangs"}, &record.Stop{End: record.EndDone}}, record.Failed, "no page to judge: it hangs"},
		{"OpenChrome was killed", []record.Body{call(record.CauseOutage), &record.Stop{End: record.EndNoAnswer}}, record.Inconclusive, "not OpenChrome's fault: it broke"},
		{"a full disk", []record.Body{verdict(judge.Fail), &record.Stop{End: record.EndDone, Outage: "disk full"}}, record.Inconclusive, "not OpenChrome's fault: disk full"},
		{"an adapter that failed", []record.Body{verdict(judge.Pass), &record.Stop{End: record.EndAdapter, Error: "no key"}}, record.AdapterError, "no key"},
		{"a changed answer, and the contract holds", []record.Body{changes(2), verdict(judge.Pass), &record.Stop{End: record.EndDone}}, record.Passed, ""},
		{"two changed answers, and the contract does not hold", []record.Body{changes(2), changes(3), verdict(judge.Fail), &record.Stop{End: record.EndDone}}, record.Failed, changed},
		{"a changed answer, and no facts", []record.Body{changes(2), &record.Facts{Missing: "{}"}, &record.Stop{End: record.EndDone}}, record.Inconclusive, "facts are missing: {}"},
		{"a changed answer, and no verdict", []record.Body{changes(2), verdict(judge.Inconclusive), &record.Stop{End: record.EndDone}}, record.Inconclusive, "no model"},
		{"a strict changed answer", []record.Body{changes(2), verdict(judge.Fail), &record.Stop{End: record.EndChangedAnswer}}, record.Failed, changed},
		{"a strict changed answer, and the contract holds", []record.Body{changes(2), verdict(judge.Pass), &record.Stop{End: record.EndChangedAnswer}}, record.AdapterError, "-drift=strict, and the answer of step 2 changed"},
		{"a changed answer, and no next call", []record.Body{changes(2), verdict(judge.Fail), &record.Stop{End: record.EndChangedAnswer, Error: "no such text"}}, record.Failed, changed},
		{"a changed answer, no next call, and the contract holds", []record.Body{changes(2), verdict(judge.Pass), &record.Stop{End: record.EndChangedAnswer, Error: "no such text"}}, record.AdapterError, "no such text"},
		{"no start page, and no next call", []record.Body{&record.Facts{NoPage: "no tab"}, &record.Stop{End: record.EndChangedAnswer, Error: "none was opened"}}, record.Failed, "none was opened"},
		{"a changed answer where no file says what is expected", []record.Body{&record.ToolResult{Step: 1, Tool: "find", Drift: &adapter.Drift{Expected: "an error"}}, verdict(judge.Fail), &record.Stop{End: record.EndDone}},
			record.Failed, `the answer of step 1 changed: step 1: find: expected an error, got ""`},
		{"no session", []record.Body{&record.Reset{Error: "no browser"}, &record.Stop{End: record.EndNoSession}}, record.Inconclusive, "the session did not start: no browser"},
		{"stopped before there was one", []record.Body{&record.Reset{Error: "no browser"}, &record.Stop{End: record.EndStopped}}, record.Interrupted, "the run was stopped before the session was ready"},
		{"stopped in a call", []record.Body{call(record.CauseStopped), &record.Stop{End: record.EndNoAnswer}}, record.Interrupted, "the run was stopped"},
		{"stopped between calls", []record.Body{&record.Stop{End: record.EndStopped}}, record.Interrupted, "the run was stopped"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c record.Causes
			for _, b := range append([]record.Body{reset}, test.events...) {
				c.Add(b)
			}
			stop := test.events[len(test.events)-1].(*record.Stop)
			if c.Decide(stop); stop.Status != test.status || stop.Reason != test.reason {
				t.Errorf("got %s, %q; want %s, %q", stop.Status, stop.Reason, test.status, test.reason)
			}
		})
	}
}
