package episode_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// programmed is a program whose functions are its fields.
type programmed struct {
	next
	start func(context.Context, adapter.State) error
	end   func(context.Context, adapter.State) adapter.Agent
	hide  []string
}

func (p *programmed) Start(ctx context.Context, s adapter.State) error { return p.start(ctx, s) }
func (p *programmed) Secrets() []string                                { return p.hide }
func (p *programmed) End(ctx context.Context, s adapter.State) adapter.Agent {
	return p.end(ctx, s)
}

// program is a program that reads the page n times and then is done, and says this at its end.
func program(n int, said adapter.Agent) *programmed {
	reads := make([]string, n)
	for i := range reads {
		reads[i] = "read_page"
	}
	a, _ := calls(reads...)()
	return &programmed{
		next:  next(a.Next),
		start: func(context.Context, adapter.State) error { return nil },
		end:   func(context.Context, adapter.State) adapter.Agent { return said },
	}
}

func of(p *programmed) adapter.Factory { return func() (adapter.Adapter, error) { return p, nil } }

// A program starts after step 0, the clock starts when it has started, and it ends before the stop.
func TestProgramStartsBeforeTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []record.Event
		var order []string
		p := program(2, adapter.Agent{Exit: "exit status 0", Answer: "done"})
		p.start = func(_ context.Context, s adapter.State) error {
			time.Sleep(time.Minute) // longer than the cap
			order = append(order, "start after "+s.Steps[len(s.Steps)-1].Call.Tool+" in "+s.TabID)
			return nil
		}
		p.end = func(_ context.Context, s adapter.State) adapter.Agent {
			order = append(order, "end after "+s.Steps[len(s.Steps)-1].Call.Tool+", "+string(log[len(log)-1].Body.Type()))
			return adapter.Agent{Exit: "exit status 0", Answer: "done"}
		}
		stop, err := episode.Run(t.Context(), options(t, page("Example Domain"), of(p), &log))
		if err != nil || stop.Status != record.Passed || stop.DurationMs > 10_000 {
			t.Errorf("got %+v, %v", stop, err)
		}
		need.Equal(t, "order", []string{"start after navigate in " + tab, "end after read_page, contract_eval"}, order)
		if e := log[len(log)-2]; e.Body.Type() != record.TypeAgent || e.Body.(*record.Agent).Answer != "done" {
			t.Errorf("before the stop there is %+v", e.Body)
		}
	})
}

// What a program's event says decides the status, also if the contract holds.
func TestProgramStatus(t *testing.T) {
	const h1 = "Example Domain"
	tests := []struct {
		name    string
		h1      string
		said    adapter.Agent
		change  func(*programmed)
		steps   int
		status  record.Status
		cause   record.Cause
		reasons string
	}{
		{name: "it did the task", h1: h1, steps: 1, status: record.Passed},
		{name: "it did not", h1: "x", steps: 1, status: record.Failed, cause: record.CauseContract},
		{name: "it failed, and the contract holds", h1: h1, steps: 1, said: adapter.Agent{Error: "exit status 3"}, status: record.AdapterError, cause: record.CauseAdapter, reasons: "exit status 3"},
		{name: "an outage, and the contract holds", h1: h1, steps: 1, said: adapter.Agent{Outage: "429"}, status: record.Inconclusive, cause: record.CauseOutage, reasons: "not OpenChrome's fault: 429"},
		{name: "an outage at the cap", h1: "x", steps: 9, said: adapter.Agent{Outage: "429"}, status: record.Inconclusive, cause: record.CauseOutage, reasons: "429"},
		{name: "a cap without a call", h1: "x", steps: 9, said: adapter.Agent{Error: "it made no call"}, status: record.AdapterError, cause: record.CauseAdapter, reasons: "it made no call"},
		{name: "a cap", h1: "x", steps: 9, status: record.MaxSteps, cause: record.CauseStepCap},
		{name: "it does not start", h1: h1, status: record.AdapterError, cause: record.CauseAdapter, reasons: "no program",
			change: func(p *programmed) {
				p.start = func(context.Context, adapter.State) error { return errors.New("no program") }
			}},
		{name: "its end panics", h1: h1, steps: 1, status: record.AdapterError, cause: record.CauseAdapter, reasons: "the adapter panicked: oh",
			change: func(p *programmed) {
				p.end = func(context.Context, adapter.State) adapter.Agent { panic("oh") }
			}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log []record.Event
			p := program(tt.steps, tt.said)
			if tt.change != nil {
				tt.change(p)
			}
			stop, err := episode.Run(t.Context(), options(t, page(tt.h1), of(p), &log))
			if err != nil || stop.Status != tt.status || stop.Cause != tt.cause || !strings.Contains(stop.Reason, tt.reasons) {
				t.Errorf("got %s by %s: %s, %v", stop.Status, stop.Cause, stop.Reason, err)
			}
		})
	}
}

// The secrets of a program are in no event and no file, and it is told nothing else than before.
func TestSecretsOfProgram(t *testing.T) {
	const secret = "s3cr3t-key"
	var log []record.Event
	var heard string
	tools := page("Example Domain")
	tools["read_page"] = func(_ context.Context, args string) (adapter.Result, error) {
		heard = args
		return textResult("you sent "+args, false), nil
	}
	p := program(0, adapter.Agent{Answer: "I used " + secret, Output: []byte("key: " + secret + "\n\x1b[31m")})
	p.hide = []string{secret}
	p.next = func(_ context.Context, s adapter.State) (adapter.Decision, error) {
		if len(s.Steps) > 1 {
			need.Has(t, s.Steps[1].Result.Text(), secret)
			return adapter.Decision{}, errors.New("it failed with " + secret)
		}
		return adapter.Decision{Call: adapter.Call{Tool: "read_page", Args: json.RawMessage(`{"` + secret + `":"` + secret + `"}`)}}, nil
	}
	o := options(t, tools, of(p), &log)
	o.Out, o.Page = t.TempDir(), "events/r/t-1"
	stop, err := episode.Run(t.Context(), o)
	if err != nil || !strings.Contains(heard, secret) || stop.Reason != "it failed with [hidden]" {
		t.Errorf("the server heard %s; reason %q, %v", heard, stop.Reason, err)
	}
	for _, e := range log {
		if line, err := json.Marshal(e); err != nil || strings.Contains(string(line), secret) {
			t.Errorf("%s, %v", line, err)
		}
	}
	raw, err := os.ReadFile(filepath.Join(o.Out, "events", "r", "t-1", record.AgentLog))
	if diff := cmp.Diff("key: [hidden]\n\\x1b[31m", string(raw)); err != nil || diff != "" {
		t.Errorf("%v, agent.log (-want +got):\n%s", err, diff)
	}
}

// A secret that is a name in the log would take a field with it.
func TestSecretIsAName(t *testing.T) {
	var log []record.Event
	p := program(1, adapter.Agent{})
	p.hide = []string{"missing"} // of a trace
	o := options(t, page("Example Domain"), of(p), &log)
	o.Out, o.Page = t.TempDir(), "events/r/t-1"
	need.Fails(t, need.Err(episode.Run(t.Context(), o)), "trace: a field is a secret of the agent: a name in the log is that of a secret; choose another secret")
}

// A program sees the tools that the server lists now.
func TestToolsOfState(t *testing.T) {
	var log []record.Event
	var seen []int
	p := program(0, adapter.Agent{})
	p.next = func(_ context.Context, s adapter.State) (adapter.Decision, error) {
		seen = append(seen, len(s.Tools))
		return adapter.Decision{Done: len(s.Steps) > 1, Call: adapter.Call{Tool: "read_page"}}, nil
	}
	o := options(t, page("Example Domain"), of(p), &log)
	o.Session = &growing{Session: o.Session}
	need.OK(t, need.Err(episode.Run(t.Context(), o)))
	need.Equal(t, "numbers of tools", []int{1, 2}, seen)
}

// growing is a session that lists one tool more each time.
type growing struct {
	session.Session
	n int
}

func (g *growing) Listed(context.Context) []adapter.Tool {
	g.n++
	return make([]adapter.Tool, g.n)
}
