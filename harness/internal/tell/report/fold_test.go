package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

const success = `{"kind":"dom_text","selector":"h1","contains":"Example Domain"}`

// script builds the log of a run.
type script struct {
	events []record.Event
	seq    map[string]int
	start  time.Time
	runID  string
}

func newScript(runID string, episodes int) *script {
	s := &script{seq: map[string]int{}, start: time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC), runID: runID}
	s.events = append(s.events, record.Event{TS: s.start, Body: &record.RunStart{
		SchemaVersion: record.SchemaVersion, RunID: runID, Launcher: "standin", Adapter: "mock", Web: record.Web{Mode: "hermetic"}, Episodes: episodes,
	}})
	return s
}

func (s *script) add(episode string, by record.By, body record.Body) {
	s.seq[episode]++
	ts := s.start.Add(time.Duration(len(s.events)) * time.Millisecond)
	s.events = append(s.events, record.Event{Seq: s.seq[episode], TS: ts, Episode: episode, By: by, Body: body})
}

func (s *script) begin(id string, n int) string {
	name := fmt.Sprintf("%s#%d", id, n)
	s.add(name, "", &record.Reset{
		Task: record.Task{ID: id, Title: "T", Category: "recovery", MaxSteps: 5, MaxDurationMs: 1000}, Repetition: n,
		Server: &record.Server{Launcher: "standin", Name: "s", Version: "1", Protocol: "2025-06-18", Isolation: "fresh"},
	})
	return name
}

func (s *script) call(episode string, step int, tool, args, text string, isError bool) {
	s.add(episode, record.ByAdapter, &record.ToolCall{Step: step, Call: adapter.Call{Tool: tool, Args: json.RawMessage(args)}})
	raw, _ := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}, "isError": isError})
	s.add(episode, record.ByAdapter, &record.ToolResult{Step: step, Tool: tool, DurationMs: float64(step), Result: adapter.NewResult(raw)})
}

func (s *script) judge(t *testing.T, episode, h1 string) judge.Verdict {
	t.Helper()
	c, faults := judge.Parse([]byte(success))
	need.None(t, faults)
	url := "https://example.com/"
	facts := &evidence.Facts{URL: &url, DOMText: &evidence.Text{Of: map[string]*string{"h1": &h1}}}
	waited := len(s.runID) // it differs from run to run
	s.add(episode, record.ByHarness, &record.Facts{FinalURL: url, Facts: facts, NowMs: 1, Waited: record.Waited{WaitMs: float64(waited), Judgings: waited}})
	j := judge.Judge(c.Live(), judge.Input{Facts: facts})
	s.add(episode, "", &record.ContractEval{Judgement: j})
	return j.Verdict
}

func (s *script) stop(episode string, status record.Status, steps int) {
	reset := new(record.Reset)
	for _, e := range s.events {
		if b, ok := e.Body.(*record.Reset); ok && e.Episode == episode {
			reset = b
		}
	}
	s.add(episode, "", &record.Stop{
		Status: status, Steps: steps, DurationMs: 12.5, Success: json.RawMessage(success),
		Page:         record.Page(s.runID, reset.Task.ID, reset.Repetition, max(reset.Attempt, 1)),
		ServerMemory: int64(len(s.runID)), // it differs from run to run
	})
}

func (s *script) end() {
	s.events = append(s.events, record.Event{TS: s.start, Body: &record.RunEnd{}})
}

func (s *script) report(t *testing.T) *report.Report {
	t.Helper()
	var f report.Fold
	for _, e := range s.events {
		need.OK(t, f.Add(e))
	}
	r, err := f.Report()
	need.OK(t, err)
	return r
}

const tabA, tabB = "55D204C83A89332D6F1694E6F5844B05", "0123456789ABCDEF0123456789ABCDEF"

// run is a log of two episodes: one recovers and passes, one fails.
func run(t *testing.T, runID, tab string) *script {
	s := newScript(runID, 3)
	one := s.begin("b", 1)
	two := s.begin("a", 1)
	s.call(one, 0, "navigate", `{"url":"https://example.com/"}`, `{"tabId":"`+tab+`"}`, false)
	s.call(two, 0, "navigate", `{"url":"https://example.com/"}`, `{"tabId":"`+tab+`"}`, false)
	s.call(one, 1, "find", `{"tabId":"`+tab+`"}`, "No elements found", true)
	s.add(one, record.ByHarness, &record.Progress{Step: 1, URL: "https://example.com/"})
	s.call(two, 1, "read_page", `{"tabId":"`+tab+`"}`, "[page_stats]\n  [12]<h1/>Nope", false)
	s.add(two, record.ByHarness, &record.Progress{Step: 1, URL: "https://example.com/"})
	if v := s.judge(t, one, "Example Domain"); v != judge.Pass {
		t.Fatalf("verdict %s", v)
	}
	s.stop(one, record.Passed, 1)
	if v := s.judge(t, two, "Another Domain"); v != judge.Fail {
		t.Fatalf("verdict %s", v)
	}
	s.stop(two, record.Failed, 1)
	s.end()
	return s
}

// A call that was cancelled at the time cap is an error. One without an answer for another reason is not.
func TestFoldOfACancelledCall(t *testing.T) {
	for cause, want := range map[record.Cause]int{record.CauseTimeCap: 1, record.CauseOutage: 0, record.CauseStopped: 0} {
		s := newScript("r1", 1)
		one := s.begin("b", 1)
		s.add(one, record.ByAdapter, &record.ToolCall{Call: adapter.Call{Tool: "click", Args: json.RawMessage("{}")}})
		s.add(one, record.ByAdapter, &record.ToolResult{Tool: "click", Fault: record.Fault{Cause: cause, Failure: "cancelled"}})
		s.stop(one, record.Timeout, 1)
		r := s.report(t)
		e := r.Episodes.At(0)
		if e.OpenchromeErrors != want || r.Totals.Errors != want || r.Figures.Tools[0].Errors != want || e.Calls[0].Cancelled() != (want > 0) {
			t.Errorf("%s: %d errors, %d in all, tools %+v", cause, e.OpenchromeErrors, r.Totals.Errors, r.Figures.Tools)
		}
	}
}

// An episode that began is not one that was not run, also where the run was killed.
func TestFoldOfAKilledRun(t *testing.T) {
	s := newScript("r1", 3)
	one := s.begin("b", 1)
	s.begin("a", 1)
	s.judge(t, one, "Example Domain")
	s.stop(one, record.Passed, 1)
	got := s.report(t).Totals
	need.Is(t, "", "NOT FINISHED: 1 passed, 0 failed, 0 void of 3, 0 interrupted, 1 cut off, 1 not run", got.Verdict())
	need.Is(t, "rate", "unknown: the run did not finish", got.Rate())
}

// The last attempt counts. The earlier ones are shown, and only those that -retries repeated
// are in the canonical report.
func TestFoldOfAttempts(t *testing.T) {
	canonical := func(s *script) string {
		var b bytes.Buffer
		need.OK(t, report.Canonical(&b, s.report(t)))
		return b.String()
	}
	whole := func(attempt int, s *script) *script {
		s.events[0].Body.(*record.RunStart).Options.Retries = 1
		name := s.begin("a", 1)
		s.events[len(s.events)-1].Body.(*record.Reset).Attempt = attempt
		s.call(name, 0, "navigate", `{"url":"https://example.com/"}`, `{"tabId":"`+tabB+`"}`, false)
		s.judge(t, name, "Example Domain")
		s.stop(name, record.Passed, 0)
		s.end()
		return s
	}
	cutOff := func() *script {
		s := newScript("r", 1)
		name := s.begin("a", 1)
		s.call(name, 0, "navigate", `{"url":"https://example.com/"}`, `{"tabId":"`+tabA+`"}`, false)
		s.call(name, 1, "find", `{}`, "No", true)
		s.events = append(s.events, record.Event{Body: &record.RunResume{Dropped: 9}})
		s.seq[name] = 0
		return s
	}
	void := func() *script {
		s := newScript("r", 1)
		s.events[0].Body.(*record.RunStart).Options.Retries = 1
		name := s.begin("a", 1)
		s.stop(name, record.Inconclusive, 3)
		s.seq[name] = 0
		return s
	}
	once := whole(0, newScript("r", 1))
	if got, want := canonical(whole(2, cutOff())), canonical(once); got != want {
		t.Errorf("an attempt that was cut off is in the canonical report:\n%s\n%s", want, got)
	}
	if got := canonical(whole(2, void())); !strings.Contains(got, `"retries": 1`) || strings.Contains(canonical(once), "retries") {
		t.Errorf("the canonical report does not count the retry:\n%s", got)
	}
	r := whole(2, cutOff()).report(t)
	need.Equal(t, "history", []string{"resumed once", "the last line of the event log was incomplete when the run was resumed; its 9 bytes were removed", "cut off in the middle, and run again: a#1"}, r.History)
	if diff := cmp.Diff([]string{"attempt 1: cut off, because the run was killed, after 1 step"}, r.Episodes.At(0).Earlier()); diff != "" || r.Totals.Errors != 0 {
		t.Errorf("%d errors; attempts (-want +got):\n%s", r.Totals.Errors, diff)
	}
	twice := void()
	name := twice.begin("a", 1)
	twice.events[len(twice.events)-1].Body.(*record.Reset).Attempt = 2
	twice.events, twice.seq[name] = append(twice.events, record.Event{Body: &record.RunResume{}}), 0
	r = whole(3, twice).report(t)
	earlier := []string{"attempt 1: inconclusive after 3 steps", "attempt 2: cut off, because the run was killed, after 0 steps"}
	if diff := cmp.Diff(earlier, r.Episodes.At(0).Earlier()); diff != "" || r.Totals.Void != 0 || r.Totals.Passed != 1 {
		t.Errorf("%+v; attempts (-want +got):\n%s", r.Totals, diff)
	}
}

func TestFold(t *testing.T) {
	r := run(t, "r1", tabA).report(t)
	wantTotals := report.Totals{
		Families: []report.FamilyTotals{{Family: "recovery", Counts: report.Counts{Passed: 1, Failed: 1}}}, Planned: 3, Finished: 2, Counts: report.Counts{Passed: 1, Failed: 1}, Lost: 1, SuccessRate: report.SuccessRate{Low: 1. / 3, High: 2. / 3},
		Recovered: 1, Steps: 2, ToolCalls: 4, Errors: 1, DurationMs: 25,
	}
	need.Equal(t, "totals", wantTotals, r.Totals)
	if r.Episodes.Len() != 2 || r.Episodes.At(0).Name != "a#1" || r.Episodes.At(1).Name != "b#1" {
		t.Fatalf("episodes are not sorted: %+v", r.Episodes)
	}
	failed, passed := r.Episodes.At(0), r.Episodes.At(1)
	if f := failed.FailedContract; f == nil || f.Kind != "dom_text" || f.TextPreview == nil || *f.TextPreview != "Another Domain" {
		t.Errorf("failedContract is %+v", f)
	}
	if failed.Explanation == nil || passed.Explanation != nil || passed.FailedContract != nil {
		t.Error("only what did not pass is explained")
	}
	if !passed.Recovered || passed.OpenchromeErrors != 1 || failed.Recovered {
		t.Errorf("recovered: %v with %d errors, %v", passed.Recovered, passed.OpenchromeErrors, failed.Recovered)
	}
	need.Equal(t, "last tool call", &adapter.Call{Tool: "read_page", Args: json.RawMessage(`{"tabId":"TAB1"}`)}, failed.LastToolCall)
}

func TestFoldRefusesWhatNoHarnessWrites(t *testing.T) {
	begin := func(s *script) { s.begin("t", 1) }
	stop := func(s *script) { s.stop("t#1", record.Failed, 0) }
	pass := func(s *script) { s.stop("t#1", record.Passed, 0) }
	for _, test := range []struct {
		name  string
		steps []func(s *script)
		want  string
	}{
		{"no reset", []func(*script){stop}, `stop of "t#1" before its reset`},
		{"a gap", []func(*script){begin, func(s *script) { s.seq["t#1"]++ }, stop}, `stop of "t#1" has seq 3, want 2: events are missing`},
		{"an endless duration", []func(*script){begin, stop, func(s *script) {
			s.events[2].Body.(*record.Stop).DurationMs = 1e308
		}}, `stop of "t#1" has a duration of 1e+308 ms`},
		{"passed unjudged", []func(*script){begin, pass}, `stop of "t#1" says passed, and no judgement does`},
		{"passed, but judged as failed", []func(*script){begin, func(s *script) { s.judge(t, "t#1", "Another Domain") }, pass}, `stop of "t#1" says passed, and no judgement does`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScript("r", 1)
			for _, step := range test.steps {
				step(s)
			}
			var f report.Fold
			last := len(s.events) - 1
			for _, e := range s.events[:last] {
				need.OK(t, f.Add(e))
			}
			need.Is(t, "", test.want, fmt.Sprint(f.Add(s.events[last])))
		})
	}
	if _, err := new(report.Fold).Report(); err == nil {
		t.Error("a report of nothing")
	}
}
