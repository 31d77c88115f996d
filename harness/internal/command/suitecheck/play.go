package suitecheck

import (
	"context"
	"sync"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

// A play is an episode that a check needs. Plays of a task with the same name share one
// episode.
type play struct {
	name    string
	adapter adapter.Factory
	mistake mistake    // zero: none
	spec    *task.Spec // the task with the values of another seed; nil: the task itself
	idle    bool       // it only waits
	right   bool       // the contract must hold after it
	cannot  string     // why it cannot be played; "": it can
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
}

type step struct {
	adapter.Call
	answer string
}

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
		p.cannot = "the check was stopped"
	}
	if p.cannot != "" {
		return played{play: p, fault: p.cannot}
	}
	if p.spec != nil {
		spec = *p.spec
	}
	events, requests, err := s.stage.Play(ctx, transcript.Prepared{Spec: spec}, func(session.Session) adapter.Factory { return p.adapter })
	out := read(events, s.stage.Standin())
	out.play, out.requests = p, requests
	if err != nil {
		out.fault = err.Error()
	}
	return out
}

// read reads the events of an episode. Only the harness's judgement decides whether the
// contract holds; the status does not matter.
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
	return p
}

// proof holds the episodes of one task. Its methods may be called by several goroutines.
type proof struct {
	*suite
	id      string // of the task, without a policy
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
