package episode

import (
	"context"
	"time"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
)

// standin is the launcher of the stand-in.
const standin = "standin"

// The waiting rule, the same for every server. Servers differ in how long they wait
// themselves after an action, and a page may need a moment after the last one. So the
// whole contract is judged every [judgeEvery], from the answer of the last call. It
// passes the first time it holds on a settled page. Otherwise the last judging counts. It
// begins [settleLimit] after that answer, or at the time cap if that is earlier.
//
// Waiting never changes a status: a timeout means that the adapter was not done at the
// cap. Nothing waits for missing facts, for a page that is gone, or for a contract that
// cannot be judged: they do not come back.
const (
	judgeEvery = 50 * time.Millisecond
	// settleLimit is how long after the last call's answer the page is judged at most.
	settleLimit = 3 * time.Second
	// hangLimit is how much longer one reading may take, such as a screenshot on a busy
	// machine. A page that needs more hangs.
	hangLimit = 2 * time.Second
)

// await judges until a judging counts, and returns that one. Its facts say how long the
// wait took.
func (r *run) await(ctx, graced context.Context, c *contract.Contract) judging {
	began := time.Now()
	until := r.waitsUntil(began)
	if r.observed() { // a server's tools may be slow without a page that hangs
		limited, cancel := context.WithDeadline(graced, until.Add(hangLimit))
		defer cancel()
		graced = limited
	}
	for n := 1; ; n++ {
		at := time.Now()
		j := r.look(ctx, graced, c)
		j.facts.Judgings, j.facts.WaitMs = n, ms(time.Since(began))
		if !at.Before(until) || r.counts(j, at) {
			return j
		}
		select {
		case <-time.After(min(judgeEvery, time.Until(until))):
		case <-ctx.Done(): // the next look says so
		}
	}
}

// waitsUntil returns when the last judging begins. That is now if a later one could change
// nothing: after an adapter's failure, and on the stand-in, whose pages change only by calls.
func (r *run) waitsUntil(now time.Time) time.Time {
	deadline := r.began.Add(r.Task.MaxDuration())
	until := r.answered.Add(settleLimit)
	if deadline.Before(until) {
		until = deadline
	}
	if until.Before(now) || r.end == event.EndAdapter || r.Launcher == standin {
		return now
	}
	return until
}

// counts reports whether a judging that began at this time ends the wait. A server's tools
// do not show what the browser is doing, so a page that they read is not settled before
// judgeEvery has passed since the last call.
func (r *run) counts(j judging, at time.Time) bool {
	if j.judgement == nil || j.judgement.Verdict == contract.Inconclusive {
		return true
	}
	settled := j.settled && (r.observed() || at.Sub(r.answered) >= judgeEvery)
	return settled && j.judgement.Verdict == contract.Pass
}

// observed reports whether an observer reads the facts.
func (r *run) observed() bool { return r.source.Kind() == event.FactsObserver }
