package episode

import (
	"context"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

// Where an observer watches, the verdict waits in the pages' own time, which is faster than real time
// and does not depend on the machine: see [observer.PageTime]. The server goes on for serverGrace after
// its last answer, in real time. Then it stops, and the pages get page time: up to settleLimit until
// the contract holds, then lateLimit for what is forbidden.
const (
	serverGrace = 300 * time.Millisecond
	settleStep  = 100 * time.Millisecond
	lateLimit   = 30 * time.Second
	lateStep    = 200 * time.Millisecond
	// addressLimit is how long another address of the page counts.
	addressLimit = 10 * time.Second

	// The longest real time that the page time of each part may take. A page that takes more is judged
	// where it is.
	settleMost = 10 * time.Second
	lateMost   = 5 * time.Second
	// flush is how long a request of the last moment takes to reach the web.
	flush = 100 * time.Millisecond
)

// hasPageTime reports whether the verdict waits in page time. After a call that was cancelled at the
// time cap it does not wait.
func (r *run) hasPageTime() bool {
	isCut := r.end == record.EndNoAnswer && !time.Now().Before(r.deadline())
	return r.observed() && r.Session.Observer() != nil && !r.LiveWeb && !isCut
}

// stopTime stops the server and the time of the pages. Without a clock the pages stay in real time.
func (r *run) stopTime(ctx, limited context.Context) (clock *observer.PageTime, resume func()) {
	resume = func() {}
	goOn, err := r.Session.Halt(limited)
	if err == nil {
		resume = func() { goOn(ctx) } // if it fails, the server does not answer
		clock, err = r.Session.Observer().StartPageTime(limited)
	}
	if err != nil {
		resume()
		r.waited.RealTime = err.Error()
		return nil, func() {}
	}
	return clock, resume
}

// settle judges in page time until a judging counts, and returns that one.
func (r *run) settle(ctx, limited context.Context, clock *observer.PageTime, c *judge.Contract) (last judging) {
	began := time.Now()
	for more := true; ; {
		var err error
		if clock.Now < settleLimit {
			err = clock.Step(limited, settleStep)
		} else { // for the frames, which are slower
			more = clock.RunsFrames(limited) && time.Since(began) < settleLimit
		}
		last = r.ask(ctx, ctx, c, time.Now().Add(readLimit))
		r.waited.Judgings++
		if r.waited.Restless = err != nil; r.counts(last, time.Now()) || err != nil || !more {
			return last
		}
	}
}

// late lets the pages act, and returns the log of the web. If the page has another address, it is
// judged again.
func (r *run) late(ctx context.Context, clock *observer.PageTime, c *judge.Contract, last *judging) (log web.Log, err error) {
	limited, cancel := context.WithTimeout(ctx, lateMost)
	defer cancel()
	clock.Late = true
	from, address := clock.Now, r.address(ctx)
	looked := false
	for err == nil && clock.Now-from < lateLimit && !clock.Paced() {
		err = clock.Step(limited, lateStep)
		if !looked && (err != nil || clock.Now-from >= addressLimit) {
			looked = true
			r.follow(ctx, clock, c, last, address)
		}
	}
	if err == nil && clock.Now-from < lateLimit {
		log, err = r.quiet(ctx, clock)
		if !looked {
			r.follow(ctx, clock, c, last, address)
		}
		return log, err
	}
	r.waited.Restless = err != nil
	asked, cancel := context.WithTimeout(ctx, whyTimeout)
	defer cancel()
	if err := clock.Answered(asked); err != nil && ctx.Err() != nil {
		return log, ctx.Err()
	}
	time.Sleep(flush)
	return r.Session.Requests(asked)
}
