package episode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

func TestStatus(t *testing.T) {
	const changed = `the answer of step 1 changed: transcript.jsonl:1: read_page: expected text with "Menu", got "[page_stats] url: https://example.com/"`
	tests := []struct {
		name    string
		tools   map[string]tool
		a       adapter.Factory
		status  record.Status
		steps   int
		reason  string // part of it
		strict  bool
		changed int // in the log
	}{
		{name: "the contract holds", tools: page("Example Domain"), a: calls("read_page"), status: record.Passed, steps: 1},
		{name: "the contract does not hold", tools: page("Nothing"), a: calls("read_page"), status: record.Failed, steps: 1},
		{
			name: "error answers are observations", tools: with(page("Example"), "find", failing("No elements found")),
			a: calls("find", "no_such_tool", "read_page"), status: record.Passed, steps: 3,
		},
		{
			name: "a start page that does not load is counted, not the end", a: calls("read_page"), steps: 1,
			tools: with(page("Example"), "navigate", failing("Navigation error: net::ERR_NAME_NOT_RESOLVED")), status: record.Failed,
			reason: "no page to judge: no tab was opened",
		},
		{name: "the step cap", tools: page("Nothing"), a: calls("read_page", "read_page", "read_page", "read_page", "read_page", "read_page"), status: record.MaxSteps, steps: 5, reason: "not done at the step cap of 5"},
		{name: "passed at the step cap", tools: page("Example"), a: calls("read_page", "read_page", "read_page", "read_page", "read_page", "read_page"), status: record.Passed, steps: 5},
		{name: "OpenChrome dies in a step", tools: with(page("Example"), "find", dead), a: calls("find"), status: record.ToolError, steps: 1, reason: "exit status 3"},
		{name: "OpenChrome dies at the first navigation", tools: with(page("Example"), "navigate", dead), a: calls("find"), status: record.ToolError, reason: "exit status 3"},
		{name: "OpenChrome dies while facts are read", tools: with(page("Example"), "javascript_tool", dead), a: calls(), status: record.ToolError, reason: "exit status 3"},
		{name: "an answer as expected", tools: page("Nothing"), a: expects("page_stats", "read_page"), status: record.Failed, steps: 1},
		{name: "a changed answer, and the contract holds", tools: page("Example"), a: expects("Menu", "read_page", "read_page"), status: record.Passed, steps: 2, changed: 2},
		{name: "a changed answer, and it does not hold", tools: page("Nothing"), a: expects("Menu", "read_page", "read_page"), status: record.Failed, steps: 2, reason: changed, changed: 2},
		{name: "a changed answer at the step cap", tools: page("Nothing"), a: expects("Menu", "read_page", "read_page", "read_page", "read_page", "read_page"), status: record.Failed, steps: 5, reason: changed, changed: 5},
		{name: "a changed answer before the time cap", tools: with(page("Nothing"), "find", silent), a: expects("Menu", "read_page", "find"), status: record.Failed, steps: 2, reason: changed, changed: 1},
		{name: "a changed answer before OpenChrome dies", tools: with(page("Nothing"), "find", dead), a: expects("Menu", "read_page", "find"), status: record.ToolError, steps: 2, reason: "exit status 3", changed: 1},
		{name: "no answer is no changed answer", tools: with(page("Nothing"), "find", silent), a: expects("Menu", "find"), status: record.Timeout, steps: 1},
		{name: "a strict changed answer, and it does not hold", strict: true, tools: page("Nothing"), a: expects("Menu", "read_page", "read_page"), status: record.Failed, steps: 1, reason: changed, changed: 1},
		{name: "a strict changed answer, and it holds", strict: true, tools: page("Example"), a: expects("Menu", "read_page", "read_page"), status: record.AdapterError, steps: 1, reason: "-drift=strict, and the answer of step 1 changed", changed: 1},
		{name: "an unmet call", tools: page("Nothing"), a: inTurn(calls("read_page"), unmet), status: record.AdapterError, steps: 1, reason: "no such text"},
		{name: "an unmet call after a changed answer", tools: page("Nothing"), a: inTurn(expects("Menu", "read_page"), unmet), status: record.Failed, steps: 1, reason: changed, changed: 1},
		{name: "another error after a changed answer", tools: page("Nothing"), a: inTurn(expects("Menu", "read_page"), decide(func(context.Context, adapter.State) (adapter.Decision, error) {
			return adapter.Decision{}, errors.New("no credit")
		})), status: record.AdapterError, steps: 1, reason: "no credit", changed: 1},
		{name: "an unmet call without a start page", tools: with(page("Nothing"), "navigate", failing("Navigation error")), a: unmet, status: record.Failed, reason: "no such text"},
		{name: "strict, without one", strict: true, tools: page("Example"), a: expects("page_stats", "read_page", "read_page"), status: record.Passed, steps: 2},
		{name: "an adapter that panics", tools: page("Example"), a: decide(func(context.Context, adapter.State) (adapter.Decision, error) { panic("oh") }), status: record.AdapterError, reason: "panicked: oh"},
		{name: "an adapter that cannot start", tools: page("Example"), a: func() (adapter.Adapter, error) { return nil, errors.New("no key") }, status: record.AdapterError, reason: "no key"},
		{name: "an adapter that panics while it starts", tools: page("Example"), a: func() (adapter.Adapter, error) { panic("oh") }, status: record.AdapterError, reason: "panicked: oh"},
		{name: "an adapter that starts for ever", tools: page("Nothing"), a: func() (adapter.Adapter, error) { <-time.After(time.Hour); return nil, nil }, status: record.Timeout},
		{name: "facts are missing", tools: with(page("Example"), "javascript_tool", failing("JavaScript error: gone")), a: calls("read_page"), status: record.Inconclusive, steps: 1, reason: "JavaScript error: gone"},
		{name: "facts that are none", tools: with(page("Example"), "javascript_tool", text("{}[")), a: calls("read_page"), status: record.Inconclusive, steps: 1, reason: "did not return the facts"},
		{name: "no session", a: calls("read_page"), status: record.Inconclusive, reason: "the session did not start: no browser"},
		{name: "a silent call", tools: with(page("Nothing"), "find", silent), a: calls("find"), status: record.Timeout, steps: 1, reason: "not done within 10s"},
		{name: "the page passes although a call was silent", tools: with(page("Example"), "find", silent), a: calls("find"), status: record.Passed, steps: 1},
		{name: "silent facts", tools: with(page("Example"), "javascript_tool", silent), a: calls(), status: record.Failed, reason: "no page to judge: it did not answer in time"},
		{name: "silent facts at the cap", tools: with(with(page("Example"), "javascript_tool", silent), "find", silent), a: calls("find"), status: record.Timeout, steps: 1},
		{
			name: "a silent adapter that minds no context", tools: page("Nothing"), status: record.Timeout,
			a: decide(func(ctx context.Context, s adapter.State) (adapter.Decision, error) {
				<-time.After(time.Hour)
				return adapter.Decision{}, nil
			}),
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log []record.Event
				o := options(t, test.tools, test.a, &log)
				o.LaunchErr, o.Strict = errors.New("no browser"), test.strict
				began := time.Now()
				stop, err := episode.Run(t.Context(), o)
				need.OK(t, err)
				if stop.Status != test.status || stop.Steps != test.steps || !strings.Contains(stop.Reason, test.reason) {
					t.Errorf("got %s after %d steps (%s), want %s after %d (%s)", stop.Status, stop.Steps, stop.Reason, test.status, test.steps, test.reason)
				}
				if took, most := time.Since(began), o.Task.MaxDuration()+250*time.Millisecond; took > most {
					t.Errorf("took %s, want at most %s", took, most)
				}
				if last := log[len(log)-1].Body; last.Type() != record.TypeStop {
					t.Errorf("the last event is %s", last.Type())
				}
				seq := 0
				for i, e := range log {
					if e.Body.Type() != record.TypeTrace { // it has the seq of the answer
						seq++
					}
					if e.Seq != seq || e.Episode != "t#1" {
						t.Errorf("event %d has seq %d of %q", i, e.Seq, e.Episode)
					}
				}
				changed := 0
				for _, e := range log {
					if r, ok := e.Body.(*record.ToolResult); ok && r.Drift != nil {
						changed++
					}
				}
				need.Is(t, "the log has", test.changed, changed)
				<-time.After(2 * time.Hour) // of the bubble's clock: what was left behind ends
			})
		})
	}
}

// unmet finds no answer that has what its call needs.
var unmet = decide(func(context.Context, adapter.State) (adapter.Decision, error) {
	return adapter.Decision{}, fmt.Errorf("transcript.jsonl:2: %w", &adapter.UnmetError{Err: errors.New("no such text")})
})

// inTurn lets the first adapter decide until it is done, and then the second.
func inTurn(first, second adapter.Factory) adapter.Factory {
	a, _ := first()
	b, _ := second()
	return decide(func(ctx context.Context, s adapter.State) (adapter.Decision, error) {
		if d, err := a.Next(ctx, s); err != nil || !d.Done {
			return d, err
		}
		return b.Next(ctx, s)
	})
}

func TestEventsInOrder(t *testing.T) {
	var log []record.Event
	need.OK(t, need.Err(episode.Run(t.Context(), options(t, page("Example"), calls("read_page"), &log))))
	var got []string
	for _, e := range log {
		got = append(got, strings.TrimSuffix(string(e.Body.Type())+" "+string(e.By), " "))
	}
	want := []string{
		"reset", "tool_call adapter", "tool_result adapter", "trace", // step 0
		"tool_call adapter", "tool_result adapter", "trace", "progress harness",
		"facts harness", "contract_eval", "stop",
	}
	need.Equal(t, "", want, got)
}

func TestHarnessCallsAreNoWandering(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []record.Event
		o := options(t, page("Example"), calls("find", "find"), &log)
		need.OK(t, need.Err(episode.Run(t.Context(), o)))
		// The last two read the facts: at once, and 50 ms after the last call.
		want := []string{"navigate", "find", "javascript_tool", "find", "javascript_tool", "javascript_tool", "javascript_tool"}
		need.Equal(t, "calls", want, o.Session.(*canned).calls)
	})
}

// An episode whose run is stopped ends at once and judges nothing.
func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var log []record.Event
		o := options(t, with(page("Example"), "find", func(ctx context.Context, _ string) (adapter.Result, error) {
			cancel()
			return silent(ctx, "")
		}), calls("find"), &log)
		stop, err := episode.Run(ctx, o)
		need.OK(t, err)
		if stop.Status != record.Interrupted || stop.Steps != 1 {
			t.Errorf("got %+v", stop)
		}
		for _, e := range log {
			if e.Body.Type() == record.TypeContractEval {
				t.Error("an interrupted episode was judged")
			}
		}
	})
}

func TestWhatCannotBeLoggedDoesNotGoOn(t *testing.T) {
	full := errors.New("disk full")
	for after := range 9 {
		var log []record.Event
		o := options(t, page("Example"), calls("find"), &log)
		emit := o.Emit
		o.Emit = func(e record.Event) error {
			if len(log) == after {
				return full
			}
			return emit(e)
		}
		if _, err := episode.Run(t.Context(), o); !errors.Is(err, full) {
			t.Errorf("after %d events: got %v", after, err)
		}
		need.Is(t, "events were written after the log failed at", after, len(log))
	}
}

// An adapter is told everything of the task but how it is judged.
func TestAdapterSeesNoContract(t *testing.T) {
	var seen adapter.State
	var log []record.Event
	o := options(t, page("Example"), decide(func(_ context.Context, s adapter.State) (adapter.Decision, error) {
		seen = s
		return adapter.Decision{Done: true}, nil
	}), &log)
	need.OK(t, need.Err(episode.Run(t.Context(), o)))
	if seen.Goal != "G" || seen.StartURL != "https://example.com/" || seen.MaxSteps != 5 || seen.MaxDuration != 10*time.Second ||
		seen.TabID != tab || len(seen.Steps) != 1 || len(seen.Tools) != 3 {
		t.Errorf("the adapter saw %+v", seen)
	}
}

// The contract is logged when the episode has ended and not before, since a
// server may read the log; then always, also when nothing was judged.
func TestContractIsLoggedAtTheEnd(t *testing.T) {
	tests := []struct {
		name  string
		tools map[string]tool
	}{
		{"judged", page("Nothing")},
		{"not judged", with(page("Example"), "find", dead)},
		{"no session", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log []record.Event
			o := options(t, tt.tools, calls("find", "read_page"), &log)
			o.LaunchErr = errors.New("no browser")
			need.OK(t, need.Err(episode.Run(t.Context(), o)))
			contract := string(o.Task.Success.Raw())
			for i, e := range log {
				line, err := e.MarshalJSON()
				need.OK(t, err)
				_, ended := e.Body.(*record.Stop)
				if holds := strings.Contains(string(line), contract); holds != ended || ended != (i == len(log)-1) {
					t.Errorf("%s, event %d of %d: it holds the contract: %t", e.Body.Type(), i+1, len(log), holds)
				}
			}
		})
	}
}

// A server that answered and lacks a tool that prepares a session has failed, under its name. An error before
// that is not its failure.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []record.Event
		o := options(t, nil, calls("read_page"), &log)
		o.LaunchErr = fmt.Errorf("prepare: %w", &facts.Refused{
			Server: record.Server{Name: "old", Version: "2"}, Err: errors.New("old 2: unknown tool"),
		})
		stop, err := episode.Run(t.Context(), o)
		need.OK(t, err)
		need.Is(t, "status", record.ToolError, stop.Status)
		for _, e := range log {
			if r, ok := e.Body.(*record.Reset); ok {
				need.Is(t, "server", "old 2", r.Server.Name+" "+r.Server.Version)
			}
		}
	})
}
