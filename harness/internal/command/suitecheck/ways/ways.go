// Package ways has adapters that do not know whether a task is done: they wait, make given calls,
// replay lines whatever is answered, or press something.
package ways

import (
	"context"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/args"
	"github.com/openchrome/bench/harness/internal/drive/policy"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/transcript"
)

type decide func(context.Context, adapter.State) (adapter.Decision, error)

// Next implements [adapter.Adapter].
func (d decide) Next(ctx context.Context, s adapter.State) (adapter.Decision, error) {
	return d(ctx, s)
}

func always(a adapter.Adapter) adapter.Factory {
	return func() (adapter.Adapter, error) { return a, nil }
}

// Nothing makes no call.
var Nothing = Waits(0)

// Waits makes no call, and is done after d.
func Waits(d time.Duration) adapter.Factory {
	return always(decide(func(ctx context.Context, _ adapter.State) (adapter.Decision, error) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return adapter.Decision{Done: true}, nil
	}))
}

// Makes makes these calls in the current tab.
func Makes(calls ...func(tab string) adapter.Call) adapter.Factory {
	return func() (adapter.Adapter, error) {
		left := calls
		return decide(func(_ context.Context, s adapter.State) (adapter.Decision, error) {
			if len(left) == 0 {
				return adapter.Decision{Done: true}, nil
			}
			call := left[0](s.TabID)
			left = left[1:]
			return adapter.Decision{Call: call}, nil
		}), nil
	}
}

// InTurn lets each part decide until it is done.
func InTurn(parts ...adapter.Factory) adapter.Factory {
	return func() (adapter.Adapter, error) {
		var left []adapter.Adapter
		for _, part := range parts {
			a, err := part()
			if err != nil {
				return nil, err
			}
			left = append(left, a)
		}
		return decide(func(ctx context.Context, s adapter.State) (adapter.Decision, error) {
			for {
				d, err := left[0].Next(ctx, s)
				if err != nil || !d.Done || len(left) == 1 {
					return d, err
				}
				left = left[1:]
			}
		}), nil
	}
}

// Replays replays the lines and accepts every answer. It is done at the first call that it
// cannot make, for example because a text was not saved. The page is then judged as it is.
func Replays(lines []transcript.Line) adapter.Factory {
	lines = slices.Clone(lines)
	for i := range lines {
		lines[i].Expect = adapter.Expect{}
	}
	replay := transcript.Replay(lines)
	return func() (adapter.Adapter, error) {
		inner, err := replay()
		return decide(func(ctx context.Context, s adapter.State) (adapter.Decision, error) {
			d, err := inner.Next(ctx, s)
			if err != nil || d.Unsupported != "" {
				return adapter.Decision{Done: true}, nil
			}
			return d, nil
		}), err
	}
}

// Opens returns the call that opens a URL in the current tab.
func Opens(s *server.Server, url string) func(tab string) adapter.Call {
	return func(tab string) adapter.Call {
		call := s.Opening(url)
		if s.Tabs.Argument != "" {
			call.Args = args.With(call.Args, s.Tabs.Argument, tab)
		}
		return call
	}
}

// Presses reads the page and presses one of its links and buttons: the first is number 0.
func Presses(on *server.Server, number int) adapter.Factory {
	return func() (adapter.Adapter, error) {
		calls := 0
		return decide(func(ctx context.Context, s adapter.State) (adapter.Decision, error) {
			if calls++; calls == 1 {
				return adapter.Decision{Call: policy.Look(on, s.TabID)}, nil
			}
			targets := policy.Presses(ctx, on, s.TabID, s.Steps[len(s.Steps)-1].Result.Text())
			if calls > 2 || number >= len(targets) {
				return adapter.Decision{Done: true}, nil
			}
			return adapter.Decision{Call: targets[number]}, nil
		}), nil
	}
}
