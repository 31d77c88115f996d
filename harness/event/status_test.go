package event_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
)

// The docs have the rules, in their order.
func TestDocumentedStatuses(t *testing.T) {
	page, err := os.ReadFile("../../docs/benchmarks/episode-harness.md")
	if err != nil {
		t.Fatal(err)
	}
	row := regexp.MustCompile("(?m)^\\| `(\\w+)` \\| (.*) \\| (pass|fail|void) \\|$")
	var got, want []string
	for _, m := range row.FindAllStringSubmatch(string(page), -1) {
		got = append(got, fmt.Sprintf("%s, %s: %s", m[1], m[3], m[2]))
	}
	for _, r := range event.Rules {
		want = append(want, fmt.Sprintf("%s, %s: %s", r.Status, r.Status.Class(), r.When))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the docs (-rules +docs):\n%s", diff)
	}
}

// Causes are in the order of the rules: each row adds one that comes before
// those of the row above it.
func TestStatusOrder(t *testing.T) {
	var c event.Causes
	for _, step := range []struct {
		add    func()
		status event.Status
		reason string
	}{
		{func() { c.Failing = "other text" }, event.Failed, "other text"},
		{func() { c.StepCap = "steps" }, event.MaxSteps, "steps"},
		{func() { c.Missing = "no facts" }, event.Inconclusive, "no facts"},
		{func() { c.NoPage = "no page" }, event.Failed, "no page"},
		{func() { c.TimeCap = "late" }, event.Timeout, "late"},
		{func() { c.Unsupported = "unsupported: tabs" }, event.Failed, "unsupported: tabs"},
		{func() { c.Drift = "drift" }, event.Inconclusive, "no facts"},
		{func() { c.Missing = "" }, event.Failed, "drift"},
		{func() { c.DriftEnd = "strict" }, event.Failed, "drift"},
		{func() { c.Holds = true }, event.AdapterError, "strict"},
		{func() { c.Holds = false }, event.Failed, "drift"},
		{func() { c.Disagreement = "pass, fail" }, event.Inconclusive, "pass, fail"},
		{func() { c.AdapterError = "no key" }, event.AdapterError, "no key"},
		{func() { c.ToolError = "exit 3" }, event.ToolError, "exit 3"},
		{func() { c.Holds = true }, event.ToolError, "exit 3"},
		{func() { c.Outage = "no web" }, event.Inconclusive, "not OpenChrome's fault: no web"},
		{func() { c.ToolError = "" }, event.Inconclusive, "not OpenChrome's fault: no web"},
		{func() { c.DriftEnd, c.Outage = "", "" }, event.AdapterError, "no key"},
		{func() { c.AdapterError = "" }, event.Passed, ""},
		{func() { c.Interrupted = "stopped" }, event.Interrupted, "stopped"},
	} {
		step.add()
		if status, reason := c.Status(); status != step.status || reason != step.reason {
			t.Errorf("%+v: got %s, %q; want %s, %q", c, status, reason, step.status, step.reason)
		}
	}
}

// The causes follow from the events.
func TestCauses(t *testing.T) {
	reset := &event.Reset{Task: event.Task{MaxSteps: 5, MaxDurationMs: 10_000}}
	verdict := func(v contract.Verdict) *event.ContractEval {
		return &event.ContractEval{Judgement: contract.Judgement{Verdict: v, InconclusiveReason: "no model"}}
	}
	disagree := verdict(contract.Pass)
	disagree.Upstream = &contract.Judgement{Verdict: contract.Fail}
	acquit := verdict(contract.Fail)
	acquit.Upstream = &contract.Judgement{Verdict: contract.Pass}
	const acquitted = "the judges disagree: the harness says fail, OpenChrome's oc_assert says pass"
	call := func(c event.Cause) *event.ToolResult {
		return &event.ToolResult{Fault: event.Fault{Cause: c, Failure: "it broke"}}
	}
	drift := func(step int) *event.ToolResult {
		return &event.ToolResult{
			Step: step, Tool: "find", Result: event.NewResult(json.RawMessage(`{"content":[{"type":"text","text":"b\u001b[2J"}],"isError":true}`)),
			Drift: &event.Drift{Expected: `text with "a"`, At: fmt.Sprintf("transcript.jsonl:%d", step)},
		}
	}
	const drifted = `the answer of step 2 drifted: transcript.jsonl:2: find: expected text with "a", got the error "b\x1b[2J"`
	for _, test := range []struct {
		name   string
		events []event.Body
		status event.Status
		reason string
	}{
		{"the adapter was done", []event.Body{verdict(contract.Fail), &event.Stop{End: event.EndDone}}, event.Failed, ""},
		{"and the contract holds", []event.Body{verdict(contract.Pass), &event.Stop{End: event.EndStepCap}}, event.Passed, ""},
		{"a status that says otherwise", []event.Body{verdict(contract.Fail), &event.Stop{End: event.EndDone, Status: event.Passed}}, event.Failed, ""},
		{"judges that disagree at the time cap", []event.Body{call(event.CauseTimeCap), disagree, &event.Stop{End: event.EndNoAnswer}}, event.Inconclusive, "the judges disagree: the harness says pass, OpenChrome's oc_assert says fail"},
		{"a fail that oc_assert would pass", []event.Body{acquit, &event.Stop{End: event.EndDone}}, event.Failed, acquitted},
		{"a fail at the time cap that oc_assert would pass", []event.Body{call(event.CauseTimeCap), acquit, &event.Stop{End: event.EndNoAnswer}}, event.Timeout, "not done within 10s; " + acquitted},
		{"a fail at the step cap that oc_assert would pass", []event.Body{acquit, &event.Stop{End: event.EndStepCap}}, event.MaxSteps, "not done at the step cap of 5; " + acquitted},
		{"a full disk, and a fail that oc_assert would pass", []event.Body{acquit, &event.Stop{End: event.EndDone, Outage: "disk full"}}, event.Inconclusive, "not OpenChrome's fault: disk full"},
		{"the server cannot do it", []event.Body{&event.Stop{End: event.EndUnsupported, Error: "it has no tabs"}}, event.Failed, "unsupported: it has no tabs"},
		{"an adapter that gave up", []event.Body{&event.Stop{End: event.EndGaveUp, Error: "it has no tabs"}}, event.Failed, "the adapter gave up: it has no tabs"},
		{"no verdict", []event.Body{verdict(contract.Inconclusive), &event.Stop{End: event.EndDone}}, event.Inconclusive, "no model"},
		{"a console that the session filled", []event.Body{&event.ContractEval{Judgement: contract.Judgement{Verdict: contract.Inconclusive, ErrorCode: "TRUNCATED", InconclusiveReason: "cut"}}, &event.Stop{End: event.EndDone}}, event.Failed, "the session filled the log of console messages: cut"},
		{"a console that the session filled until the cap", []event.Body{&event.ContractEval{Judgement: contract.Judgement{Verdict: contract.Inconclusive, ErrorCode: "TRUNCATED", InconclusiveReason: "cut"}}, &event.Stop{End: event.EndTimeCap}}, event.Timeout, "not done within 10s"},
		{"no page", []event.Body{&event.Facts{NoPage: "closed"}, &event.Stop{End: event.EndDone}}, event.Failed, "no page to judge: closed"},
		{"no facts", []event.Body{&event.Facts{Missing: "{}"}, &event.Stop{End: event.EndDone}}, event.Inconclusive, "facts are missing: {}"},
		{"no answer until the cap", []event.Body{call(event.CauseTimeCap), verdict(contract.Fail), &event.Stop{End: event.EndNoAnswer}}, event.Timeout, "not done within 10s"},
		{"the cap between calls", []event.Body{verdict(contract.Fail), &event.Stop{End: event.EndTimeCap}}, event.Timeout, "not done within 10s"},
		{"the step cap", []event.Body{verdict(contract.Fail), &event.Stop{End: event.EndStepCap}}, event.MaxSteps, "not done at the step cap of 5"},
		{"OpenChrome died", []event.Body{call(event.CauseOpenChrome), &event.Stop{End: event.EndNoAnswer}}, event.ToolError, "it broke"},
		{"OpenChrome died between steps", []event.Body{&event.Progress{Fault: event.Fault{Cause: event.CauseOpenChrome, Failure: "it broke"}}, &event.Stop{End: event.EndNoAnswer}}, event.ToolError, "it broke"},
		{"OpenChrome died between steps, beside an observer", []event.Body{&event.Progress{Fault: event.Fault{Failure: "it broke"}}, verdict(contract.Pass), &event.Stop{End: event.EndDone, ServerEnded: "it broke"}}, event.Passed, ""},
		{"the adapter was done, and the page hangs until the cap", []event.Body{&event.Facts{NoPage: "it hangs"}, &event.Stop{End: event.EndDone}}, event.Failed, "no page to judge: it hangs"},
		{"the adapter was not done, and the page hangs", []event.Body{&event.Facts{NoPage: "it hangs"}, &event.Stop{End: event.EndTimeCap}}, event.Timeout, "not done within 10s"},
		{"OpenChrome died as a judge", []event.Body{&event.ContractEval{Judgement: contract.Judgement{Verdict: contract.Pass}, Fault: event.Fault{Cause: event.CauseOpenChrome, Failure: "it broke"}}, &event.Stop{End: event.EndDone}}, event.ToolError, "it broke"},
		{"OpenChrome was killed", []event.Body{call(event.CauseOutage), &event.Stop{End: event.EndNoAnswer}}, event.Inconclusive, "not OpenChrome's fault: it broke"},
		{"a full disk", []event.Body{verdict(contract.Fail), &event.Stop{End: event.EndDone, Outage: "disk full"}}, event.Inconclusive, "not OpenChrome's fault: disk full"},
		{"an adapter that failed", []event.Body{verdict(contract.Pass), &event.Stop{End: event.EndAdapter, Error: "no key"}}, event.AdapterError, "no key"},
		{"drift, and the contract holds", []event.Body{drift(2), verdict(contract.Pass), &event.Stop{End: event.EndDone}}, event.Passed, ""},
		{"drift twice, and the contract does not hold", []event.Body{drift(2), drift(3), verdict(contract.Fail), &event.Stop{End: event.EndDone}}, event.Failed, drifted},
		{"drift, and the step cap", []event.Body{drift(2), verdict(contract.Fail), &event.Stop{End: event.EndStepCap}}, event.Failed, drifted},
		{"drift, and the time cap", []event.Body{drift(2), call(event.CauseTimeCap), verdict(contract.Fail), &event.Stop{End: event.EndNoAnswer}}, event.Failed, drifted},
		{"drift, and no page", []event.Body{drift(2), &event.Facts{NoPage: "closed"}, &event.Stop{End: event.EndDone}}, event.Failed, drifted},
		{"drift, and no facts", []event.Body{drift(2), &event.Facts{Missing: "{}"}, &event.Stop{End: event.EndDone}}, event.Inconclusive, "facts are missing: {}"},
		{"drift, and no facts at the time cap", []event.Body{drift(2), &event.Facts{Missing: "{}"}, &event.Stop{End: event.EndTimeCap}}, event.Inconclusive, "facts are missing: {}"},
		{"drift, and no verdict", []event.Body{drift(2), verdict(contract.Inconclusive), &event.Stop{End: event.EndDone}}, event.Inconclusive, "no model"},
		{"drift, and judges that disagree", []event.Body{drift(2), disagree, &event.Stop{End: event.EndDone}}, event.Inconclusive, "the judges disagree: the harness says pass, OpenChrome's oc_assert says fail"},
		{"drift, and the server cannot do it", []event.Body{drift(2), &event.Stop{End: event.EndUnsupported, Error: "it has no tabs"}}, event.Failed, drifted},
		{"drift, and OpenChrome died", []event.Body{drift(2), call(event.CauseOpenChrome), &event.Stop{End: event.EndNoAnswer}}, event.ToolError, "it broke"},
		{"drift, and OpenChrome was killed", []event.Body{drift(2), call(event.CauseOutage), &event.Stop{End: event.EndNoAnswer}}, event.Inconclusive, "not OpenChrome's fault: it broke"},
		{"drift, and the adapter failed", []event.Body{drift(2), verdict(contract.Fail), &event.Stop{End: event.EndAdapter, Error: "no tab"}}, event.AdapterError, "no tab"},
		{"strict drift", []event.Body{drift(2), verdict(contract.Fail), &event.Stop{End: event.EndDrift}}, event.Failed, drifted},
		{"strict drift, and no page", []event.Body{drift(2), &event.Facts{NoPage: "closed"}, &event.Stop{End: event.EndDrift}}, event.Failed, drifted},
		{"strict drift, and no facts", []event.Body{drift(2), &event.Facts{Missing: "{}"}, &event.Stop{End: event.EndDrift}}, event.Inconclusive, "facts are missing: {}"},
		{"strict drift, and a full disk", []event.Body{drift(2), verdict(contract.Fail), &event.Stop{End: event.EndDrift, Outage: "disk full"}}, event.Inconclusive, "not OpenChrome's fault: disk full"},
		{"strict drift, and the contract holds", []event.Body{drift(2), verdict(contract.Pass), &event.Stop{End: event.EndDrift}}, event.AdapterError, "-drift=strict, and the answer of step 2 drifted"},
		{"strict drift in an old log", []event.Body{drift(2), verdict(contract.Fail), &event.Stop{End: event.EndAdapter, Error: event.Misfit + "2: …"}}, event.Failed, drifted},
		{"drift, and no next call", []event.Body{drift(2), verdict(contract.Fail), &event.Stop{End: event.EndDrift, Error: "no such text"}}, event.Failed, drifted},
		{"drift, no next call, and the contract holds", []event.Body{drift(2), verdict(contract.Pass), &event.Stop{End: event.EndDrift, Error: "no such text"}}, event.AdapterError, "no such text"},
		{"no start page, and no next call", []event.Body{&event.Facts{NoPage: "no tab"}, &event.Stop{End: event.EndDrift, Error: "none was opened"}}, event.Failed, "none was opened"},
		{"drift, and stopped", []event.Body{drift(2), &event.Stop{End: event.EndStopped}}, event.Interrupted, "the run was stopped"},
		{"drift where no file says what is expected", []event.Body{&event.ToolResult{Step: 1, Tool: "find", Drift: &event.Drift{Expected: "an error"}}, verdict(contract.Fail), &event.Stop{End: event.EndDone}},
			event.Failed, `the answer of step 1 drifted: step 1: find: expected an error, got ""`},
		{"stopped in a call", []event.Body{call(event.CauseStopped), &event.Stop{End: event.EndNoAnswer}}, event.Interrupted, "the run was stopped"},
		{"stopped between calls", []event.Body{&event.Stop{End: event.EndStopped}}, event.Interrupted, "the run was stopped"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var c event.Causes
			for _, b := range append([]event.Body{reset}, test.events...) {
				c.Add(b)
			}
			if status, reason := c.Status(); status != test.status || reason != test.reason {
				t.Errorf("got %s, %q; want %s, %q", status, reason, test.status, test.reason)
			}
		})
	}
	var c event.Causes
	c.Add(&event.Reset{Error: "no browser"})
	c.Add(&event.Stop{End: event.EndNoSession})
	if status, reason := c.Status(); status != event.Inconclusive || reason != "the session did not start: no browser" {
		t.Errorf("no session: %s, %q", status, reason)
	}
	c.Add(&event.Stop{End: event.EndStopped})
	if status, reason := c.Status(); status != event.Interrupted || reason != "the run was stopped before the session was ready" {
		t.Errorf("stopped before there was one: %s, %q", status, reason)
	}
}
