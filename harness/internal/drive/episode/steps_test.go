package episode_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// What the harness asks between two steps keeps no step from the adapter: here
// the page says nothing until it is clicked.
func TestSilenceBetweenSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clicked := false
		tools := page("Example")
		answer := tools["javascript_tool"]
		tools["javascript_tool"] = func(ctx context.Context, args string) (adapter.Result, error) {
			if !clicked {
				return silent(ctx, args)
			}
			return answer(ctx, args)
		}
		tools["click"] = func(context.Context, string) (adapter.Result, error) {
			clicked = true
			return textResult("clicked", false), nil
		}
		var log []record.Event
		began := time.Now()
		stop, err := episode.Run(t.Context(), options(t, tools, calls("read_page", "click"), &log))
		need.OK(t, err)
		if stop.Status != record.Passed || stop.Steps != 2 {
			t.Errorf("got %s after %d steps (%s)", stop.Status, stop.Steps, stop.Reason)
		}
		if took := time.Since(began); took != 5*time.Second+50*time.Millisecond {
			t.Errorf("took %s", took)
		}
		var known []bool
		for _, e := range log {
			if p, ok := e.Body.(*record.Progress); ok {
				known = append(known, p.URL != "")
			}
		}
		need.Equal(t, "what was learned", []bool{false, true}, known)
	})
}

// A server that is gone shows between two steps, too.
func TestEndBetweenSteps(t *testing.T) {
	var log []record.Event
	stop, err := episode.Run(t.Context(), options(t, with(page("Example"), "javascript_tool", dead), calls("find", "find"), &log))
	if err != nil || stop.Status != record.ToolError || stop.Steps != 1 || !strings.Contains(stop.Reason, "exit status 3") {
		t.Errorf("got %+v, error %v", stop, err)
	}
}

// An adapter that answers at the very moment of the cap is late, each time.
func TestAnswerAtTheCap(t *testing.T) {
	for name, decision := range map[string]adapter.Decision{
		"done": {Done: true}, "a call": {Call: adapter.Call{Tool: "find"}},
	} {
		for range 100 {
			synctest.Test(t, func(t *testing.T) {
				var log []record.Event
				o := options(t, page("Other"), decide(func(context.Context, adapter.State) (adapter.Decision, error) {
					<-time.After(10 * time.Second)
					return decision, nil
				}), &log)
				stop, err := episode.Run(t.Context(), o)
				if err != nil || stop.Status != record.Timeout || stop.Steps != 0 {
					t.Errorf("%s: got %+v, error %v", name, stop, err)
				}
			})
		}
	}
}

// An adapter gets the paths of the task's files, also in the goal. The log has the goal as
// the task has it, because the paths differ from run to run.
func TestFiles(t *testing.T) {
	var log []record.Event
	var got adapter.State
	o := options(t, page("Example"), decide(func(_ context.Context, s adapter.State) (adapter.Decision, error) {
		got = s
		return adapter.Decision{Done: true}, nil
	}), &log)
	o.Task.Goal = "Send {{upload.a.txt}}."
	o.Files = map[string]string{"a.txt": "/home/x/task-files/a.txt"}
	need.OK(t, need.Err(episode.Run(t.Context(), o)))
	need.Is(t, "goal", "Send /home/x/task-files/a.txt.", got.Goal)
	need.Equal(t, "files", o.Files, got.Files)
	if goal := log[0].Body.(*record.Reset).Task.Goal; goal != o.Task.Goal {
		t.Errorf("the log has the goal %q", goal)
	}
}
