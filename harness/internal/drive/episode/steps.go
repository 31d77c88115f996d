package episode

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/record"
)

// allSteps makes step 0 and then the adapter's steps, and returns why they ended. The error
// comes from the adapter. The clock starts before step 0; with a program it starts again when
// the program has started.
func (r *run) allSteps(ctx context.Context) (record.End, error) {
	capped, cancel := context.WithDeadline(ctx, r.deadline())
	defer cancel()
	first := r.Session.Server().Opening(r.Task.StartURL)
	first.Tool = r.Session.Server().Listed(first.Tool, r.Session.Tools())
	if !r.call(ctx, capped, first, adapter.Expect{}) {
		return record.EndNoAnswer, nil
	}
	a, err := bounded(capped, r.Adapter)
	if err != nil && over(ctx, capped) == "" {
		return record.EndAdapter, err
	}
	if p, ok := a.(adapter.Program); ok && over(ctx, capped) == "" {
		if err := r.startProgram(ctx, p); err != nil && ctx.Err() == nil {
			return record.EndAdapter, err
		}
		clock, cancel := context.WithDeadline(ctx, r.deadline())
		defer cancel()
		capped = clock
	}
	return r.step(ctx, capped, a)
}

// step makes the adapter's steps. capped is ctx with the episode's deadline.
func (r *run) step(ctx, capped context.Context, a adapter.Adapter) (record.End, error) {
	state := r.state()
	for {
		if end := over(ctx, capped); end != "" {
			return end, nil
		}
		if len(r.steps)-1 >= r.Task.MaxSteps {
			return record.EndStepCap, nil
		}
		state.TabID, state.Steps, state.Tools = r.tab(), r.steps, r.Session.Listed(capped)
		decision, err := bounded(capped, func() (adapter.Decision, error) { return a.Next(capped, state) })
		end := over(ctx, capped)
		if err == nil {
			r.looked, r.found = decision.Looked, decision.Found
		}
		switch {
		case end != "": // even if the adapter answered at the same moment
			return end, nil
		case err != nil:
			return r.failed(err), err
		case decision.Unsupported != "" && r.Replays:
			return record.EndUnsupported, errors.New(decision.Unsupported)
		case decision.Unsupported != "":
			r.unjudged = true
			return record.EndGaveUp, errors.New(decision.Unsupported)
		case decision.GaveUp != "":
			return record.EndGaveUp, errors.New(decision.GaveUp)
		case decision.NoTool != "":
			return record.EndNoTool, errors.New(decision.NoTool)
		case decision.Done:
			return record.EndDone, nil
		case decision.Call.Tool == "":
			err := errors.New("the adapter chose neither a call nor an end; set Call.Tool or Done")
			return record.EndAdapter, err
		}
		if !r.call(ctx, capped, decision.Call, decision.Expect) {
			return record.EndNoAnswer, nil
		}
		r.progress(ctx, capped)
		if r.logErr != nil || r.causes.ToolError != "" || r.causes.Outage != "" {
			return record.EndNoAnswer, nil
		}
		if r.Strict && r.causes.ChangedAnswer != "" {
			return record.EndChangedAnswer, nil
		}
	}
}

// failed returns why the steps end if the adapter has no next call. If no answer has what the
// call needs, that is the server's doing after an answer that changed, or if the start page
// could not be opened. Otherwise the adapter may be wrong.
func (r *run) failed(err error) record.End {
	_, unmet := errors.AsType[*adapter.UnmetError](err)
	unopened := r.tab() == "" && r.steps[0].Result.IsError()
	if unmet && (r.causes.ChangedAnswer != "" || unopened) {
		return record.EndChangedAnswer
	}
	return record.EndAdapter
}

// over returns why the steps must end: the run was stopped, or the time of capped is up.
// Otherwise it returns "". At the deadline itself capped may not have ended yet.
func over(ctx, capped context.Context) record.End {
	deadline, ok := capped.Deadline()
	switch {
	case ctx.Err() != nil:
		return record.EndStopped
	case capped.Err() != nil || ok && !time.Now().Before(deadline):
		return record.EndTimeCap
	}
	return ""
}

// state returns everything that an adapter may know. It holds nothing of the contract.
func (r *run) state() adapter.State {
	return adapter.State{
		Goal: task.FillUploads(r.Task.Goal, r.Files), Files: r.Files, StartURL: r.Task.StartURL, Tools: r.Session.Tools(),
		MaxSteps: r.Task.MaxSteps, MaxDuration: r.Task.MaxDuration(), Refs: r.Session.Server().Answers.Refs,
		Server: r.Session.Server().Name,
	}
}

// bounded calls a function of the adapter, but waits only until ctx ends, even if the adapter
// ignores ctx. A panic of the adapter becomes an error.
func bounded[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		var got answer
		defer func() {
			if p := recover(); p != nil {
				got.err = fmt.Errorf("the adapter panicked: %v", p)
			}
			done <- got
		}()
		got.value, got.err = f()
	}()
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}

// call makes one counted call and logs both sides of it, and whether the answer changed. It
// reports whether the episode goes on: after an error answer it does, without an answer it
// does not.
func (r *run) call(ctx, capped context.Context, c adapter.Call, expect adapter.Expect) bool {
	number := len(r.steps)
	r.emit(record.ByAdapter, &record.ToolCall{Step: number, Call: c})
	if r.logErr != nil {
		return false
	}
	tab := r.tab() // before the call, which may close it
	on := tabOf(tab, c)
	node := r.node(capped, on, c)
	r.lastCall = time.Now()
	r.sent = append(r.sent, r.lastCall)
	result, err := r.Session.Call(capped, c)
	body := &record.ToolResult{Step: number, Tool: c.Tool, DurationMs: ms(time.Since(r.lastCall)), Result: result}
	if err != nil {
		body.Fault = fault(ctx, err)
	} else {
		body.Drift = expect.Drift(result)
	}
	r.answered = time.Now()
	r.steps = append(r.steps, adapter.Step{Call: c, Result: result})
	r.forget()
	r.tabs.after(r.Session.Server(), c, result, r.tabAfter(capped, tab, c, result))
	r.emit(record.ByAdapter, body)
	r.trace(capped, on, node)
	return err == nil && r.logErr == nil
}

// maxKept is how many bytes of answers an episode keeps for its adapter.
const maxKept = 32 << 20

// forget empties the oldest answers but that to step 0, if there are too many bytes. The log has them.
func (r *run) forget() {
	last := len(r.steps) - 1
	for r.kept += len(r.steps[last].Result.Raw); r.kept > maxKept && r.forgot < last-1; {
		r.forgot++
		old := &r.steps[r.forgot].Result
		r.kept -= len(old.Raw)
		*old = adapter.NewResult(json.RawMessage(fmt.Sprintf(`{"content":[],"isError":%t}`, old.IsError())))
	}
}

// tabsTimeout is how long we wait for the observer to see a tab that the server already
// knows.
const tabsTimeout = 500 * time.Millisecond

// tabAfter returns the current tab after a call; tab was current before it. It is the tab that
// the answer names, by its id or position. If the answer names none, it is the tab that the
// observer last saw open or load a document.
func (r *run) tabAfter(ctx context.Context, tab string, c adapter.Call, result adapter.Result) string {
	s, watch := r.Session.Server(), r.Session.Observer()
	if s.Tabs.Argument != "" {
		return TabAfter(s, tab, c, result)
	}
	if tool, _ := s.ToolOf(c); watch == nil || tool.Does != server.Opens {
		return tab
	}
	if index, n := s.CurrentTab(result.Text()); index >= 0 {
		limited, cancel := context.WithTimeout(ctx, tabsTimeout)
		defer cancel()
		tick := time.Tick(5 * time.Millisecond)
		for limited.Err() == nil {
			if open := watch.Open(); len(open) == n {
				return open[index]
			}
			select {
			case <-tick:
			case <-limited.Done():
			}
		}
	}
	return cmp.Or(watch.Tab(r.lastCall), tab)
}

// progress reads the page's URL. It does not affect the status. If it takes too long,
// progress is recorded as unknown.
func (r *run) progress(ctx, capped context.Context) {
	limited, cancel := context.WithTimeout(capped, progressTimeout)
	defer cancel()
	body := &record.Progress{Step: len(r.steps) - 1}
	var err error
	if tab := r.tab(); tab != "" {
		body.URL, err = r.source.URL(limited, tab)
	}
	if err != nil {
		body.Fault = r.own(ctx, err)
	}
	body.Words = r.countWords(limited)
	r.emit(record.ByHarness, body)
}

// countWords counts the words of the page that the last answer contains. It returns nil if the
// last call did not ask for the whole page.
func (r *run) countWords(ctx context.Context) *record.Words {
	last := r.steps[len(r.steps)-1]
	watch := r.Session.Observer()
	s := r.Session.Server()
	if watch == nil || s.FirstName(last.Call.Tool) != s.Page.Call.Tool || last.Result.IsError() {
		return nil
	}
	page := watch.Words(ctx, r.tab())
	if len(page) == 0 {
		return nil
	}
	w := &record.Words{Page: len(page)}
	answer := observer.Words(last.Result.Text())
	for word := range page {
		if answer[word] {
			w.Held++
		}
	}
	return w
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
