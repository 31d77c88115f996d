package episode

import (
	"context"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
)

// standin is the launcher of the stand-in.
const standin = "standin"

// The waiting rule is the same for every server. Servers wait for different lengths of time
// after an action, and a page may need a moment to change. So the whole contract is judged
// every [judgeEvery], beginning at the answer of the last call. It passes the first time it
// holds on a settled page. Otherwise the last judging counts. The last judging begins
// [settleLimit] after that answer, or at the time cap if that is earlier.
//
// Waiting never changes a status: a timeout means that the adapter was not done at the cap.
// The rule does not wait if facts are missing, the page is gone, or the contract cannot be
// judged, because waiting would not help.
const (
	judgeEvery = 50 * time.Millisecond
	// settleLimit is the longest time from the last call's answer to the last judging.
	settleLimit = 3 * time.Second
	// hangLimit is how much longer one reading may take, for example a screenshot on a busy
	// machine. If it takes longer, the page hangs.
	hangLimit = 2 * time.Second
	// readLimit is hangLimit where the wait is in page time. An observer attaches again to a page that has not
	// answered it for 2 s, and then the page has 3 s.
	readLimit = settleLimit + hangLimit
	// busyMost is how long a page is asked again while the machine is busy, each time for hangLimit.
	busyMost = 20 * time.Second
)

// await judges until a judging counts, the last at this time, and returns that one.
func (r *run) await(ctx, graced context.Context, c *judge.Contract, until time.Time) judging {
	by := until.Add(hangLimit)
	if r.hasPageTime() {
		by = time.Now().Add(readLimit)
	}
	for {
		at := time.Now()
		j := r.ask(ctx, graced, c, by)
		r.waited.Judgings++
		if !at.Before(until) || r.counts(j, at) {
			return j
		}
		pauseUntil(ctx, time.Now().Add(judgeEvery), until)
	}
}

// pauseUntil waits until the first of these times, or until ctx ends, which the next look reports.
func pauseUntil(ctx context.Context, times ...time.Time) {
	select {
	case <-time.After(time.Until(slices.MinFunc(times, time.Time.Compare))):
	case <-ctx.Done():
	}
}

// ask is look. A page that does not answer an observer by then hangs, unless the machine is busy. (Without
// an observer, the server's tools may be slow although the page does not hang.)
func (r *run) ask(ctx, graced context.Context, c *judge.Contract, by time.Time) judging {
	if !r.observed() {
		return r.look(ctx, graced, c)
	}
	for most, limit := by.Add(busyMost), by; ; limit = time.Now().Add(hangLimit) {
		limited, cancel := context.WithDeadline(graced, limit)
		r.hangs = false
		j := r.look(ctx, limited, c)
		cancel()
		if !r.hangs || graced.Err() != nil || time.Now().Add(hangLimit).After(most) || !r.pulse.busy() {
			return j
		}
	}
}

// waitsUntil returns when the last judging begins. It returns now if waiting cannot change
// the result: after a failure of the adapter, and on the stand-in, where only calls change
// a page.
func (r *run) waitsUntil(now time.Time) time.Time {
	until := r.answered.Add(settleLimit)
	if deadline := r.deadline(); deadline.Before(until) {
		until = deadline
	}
	if until.Before(now) || r.end == record.EndAdapter || r.Launcher == standin {
		return now
	}
	return until
}

// counts reports whether a judging that began at this time ends the wait. A server's tools
// do not show what the browser is doing, so a page that they read is not settled before
// judgeEvery has passed since the last call.
func (r *run) counts(j judging, at time.Time) bool {
	if j.judgement == nil || j.judgement.Verdict == judge.Inconclusive || j.facts.NoPage != "" {
		return true
	}
	settled := j.settled && (r.observed() || at.Sub(r.answered) >= judgeEvery)
	return settled && j.judgement.Verdict == judge.Pass
}

// observed reports whether an observer reads the facts.
func (r *run) observed() bool { return r.source.Kind() == record.FactsObserver }
