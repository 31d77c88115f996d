package suitecheck

import (
	"context"
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/suitecheck/args"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/normal"
	"github.com/openchrome/bench/harness/internal/web"
)

// A play is an episode that a check needs. Plays of a task with the same name share one
// episode.
type play struct {
	name    string
	adapter adapter.Factory
	place   string     // what printing with a private key may show of the name, such as "line 2"
	mistake mistake    // zero: none
	spec    *task.Spec // the task with the values of another draw; nil: the task itself
	idle    bool       // it only waits
}

// A played is what the checks know about an episode.
type played struct {
	play
	holds   bool   // the contract holds on the last page
	fault   string // why the last page was not judged; "": it was
	refused bool   // it was not judged, because the stand-in cannot play the episode

	status   record.Status
	reason   string // of the status
	ms       float64
	steps    []step // the first is step 0
	facts    *record.Facts
	requests []web.Request
	digest   [sha256.Size]byte // of the canonical events, if the episode passed
}

// A step is a call and the text of its answer.
type step struct {
	adapter.Call
	answer string
}

// perform plays an episode as soon as there is a slot for it.
func (s *suite) perform(ctx context.Context, spec task.Spec, p play) played {
	// A stand-in that waits uses almost no memory and processor time.
	if !p.idle || !s.stage.Standin() {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return played{play: p, fault: "the check was stopped"}
	}
	if p.spec != nil {
		spec = *p.spec
	}
	events, requests, err := s.stage.Play(ctx, spec, func(session.Session) adapter.Factory { return p.adapter })
	out := read(events, s.stage.Standin())
	out.play, out.requests = p, requests
	if err != nil {
		out.fault = err.Error()
	}
	return out
}

// read reads the events of an episode. Only the harness's judgement decides whether the
// contract holds; the status and the server's verdict do not matter.
func read(events []record.Event, standin bool) played {
	p := played{fault: "the page was not judged"}
	beyond := false // the stand-in's last answer needs a real browser
	for _, e := range events {
		switch b := e.Body.(type) {
		case *record.ToolCall:
			p.steps = append(p.steps, step{Call: b.Call})
		case *record.ToolResult:
			p.steps[len(p.steps)-1].answer = b.Text()
			beyond = facts.NeedsBrowser(b.Result)
		case *record.Facts:
			p.facts = b
			switch {
			case b.Off: // then no contract holds
				p.fault = ""
			case b.NoPage != "":
				p.fault = b.NoPage
			case b.Missing != "":
				p.fault = b.Missing
			}
		case *record.ContractEval:
			p.holds = b.Judgement.Verdict == judge.Pass
			p.fault = ""
			if b.Judgement.Verdict == judge.Inconclusive {
				p.fault = b.Judgement.InconclusiveReason
			}
		case *record.Stop:
			p.status, p.reason, p.ms = b.Status, b.Reason, b.DurationMs
			if p.facts == nil && b.Reason != "" {
				p.fault = b.Reason
			}
		}
	}
	p.refused = standin && p.fault != "" && beyond
	if p.status == record.Passed {
		var form normal.Normaliser
		var lines []byte
		for _, e := range events {
			lines = append(lines, form.Line(e)...)
		}
		p.digest = sha256.Sum256(lines)
	}
	return p
}

// decide is an adapter that is a function.
type decide func(context.Context, adapter.State) (adapter.Decision, error)

// Next implements [adapter.Adapter].
func (d decide) Next(ctx context.Context, s adapter.State) (adapter.Decision, error) {
	return d(ctx, s)
}

func always(a adapter.Adapter) adapter.Factory {
	return func() (adapter.Adapter, error) { return a, nil }
}

// nothing makes no call.
var nothing = waits(0)

// waits makes no call, and is done after d.
func waits(d time.Duration) adapter.Factory {
	return always(decide(func(ctx context.Context, _ adapter.State) (adapter.Decision, error) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
		return adapter.Decision{Done: true}, nil
	}))
}

// makes makes these calls in the current tab.
func makes(calls ...func(tab string) adapter.Call) adapter.Factory {
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

// inTurn lets each part decide until it is done.
func inTurn(parts ...adapter.Factory) adapter.Factory {
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

// replays replays the lines and accepts every answer. It is done at the first call that it
// cannot make, for example because a text was not saved. The page is then judged as it is.
func replays(lines []transcript.Line) adapter.Factory {
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

// opens returns the call that opens a URL in the current tab.
func opens(server session.Server, url string) func(tab string) adapter.Call {
	return func(tab string) adapter.Call {
		call := server.Open(url)
		if server.Name == "" {
			call.Args = args.With(call.Args, "tabId", tab)
		}
		return call
	}
}

// proof holds the episodes of one task. Its methods may be called by several goroutines.
type proof struct {
	*suite
	task    transcript.Prepared
	signed  signedOff
	oracle  []transcript.Line // empty: the server has no path to the goal
	defect  string            // why there is no path
	forbids map[string][]transcript.Line

	mu     sync.Mutex
	played map[string]func() played
}

// play returns the episodes in order. It plays each of them once.
func (p *proof) play(ctx context.Context, plays ...play) []played {
	out := make([]played, len(plays))
	var wg sync.WaitGroup
	for i, one := range plays {
		wg.Go(func() { out[i] = p.once(ctx, one)() })
	}
	wg.Wait()
	return out
}

func (p *proof) once(ctx context.Context, one play) func() played {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.played[one.name] == nil {
		p.played[one.name] = sync.OnceValue(func() played { return p.perform(ctx, p.task.Spec, one) })
	}
	return p.played[one.name]
}
