package episode

import (
	"context"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/web"
)

// A script, a timer or an open request may act after the last call. So the verdict waits until
// nothing was called, the fixture web had no request and the observer saw no page act for restFor,
// and at most restMost. These waits do not count towards the task's time cap.
const (
	restFor  = 2 * time.Second
	restMost = 10 * time.Second

	followTimeout = 3 * time.Second        // for a page that the tab was left for
	settleEvery   = 100 * time.Millisecond // how often we look whether it has loaded
)

// rest waits until the web rests, and judges again with all of its requests. The facts of the
// page stay as they are, because a message may vanish, unless the page has another address now.
// It returns the wrong acts.
func (r *run) rest(ctx context.Context, c *judge.Contract, last *judging) (wrong []string) {
	if last.judgement == nil || r.LiveWeb {
		return nil
	}
	address := r.address(ctx)
	log, err := r.quiet(ctx, last)
	if ctx.Err() == nil && last.judgement.Verdict == judge.Pass && c.Needs().Page && r.address(ctx) != address {
		r.follow(ctx, c, last)
	}
	if ctx.Err() == nil && last.judgement != nil && last.judgement.Verdict != judge.Inconclusive {
		switch f := last.in.Facts; {
		case !c.Needs().Network:
		case err != nil:
			f.Network = nil
			f.SetUnavailable(evidence.FactNetwork, err.Error())
		default:
			facts.SetNetwork(f, log)
		}
		*last.judgement = judge.Judge(c, last.in)
		r.discount(c, last)
	}
	for _, entry := range log.Own {
		if reason, ok := entry.WrongAct(); ok {
			wrong = append(wrong, reason+" ("+entry.Host+")")
		}
	}
	return wrong
}

// address is that of the tab, as an observer knows it. Without one it is "": a server's tools
// would have to be called for it.
func (r *run) address(ctx context.Context) string {
	if !r.observed() {
		return ""
	}
	url, _ := r.source.URL(ctx, r.tab())
	return url
}

// follow judges the page again: the tab was left during the wait, so the episode ended on another
// page.
func (r *run) follow(ctx context.Context, c *judge.Contract, last *judging) {
	limited, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	next := r.ask(ctx, ctx, c, time.Now().Add(followTimeout))
	for !next.settled && next.judgement != nil {
		select {
		case <-time.After(settleEvery):
		case <-limited.Done():
		}
		again := r.look(ctx, limited, c)
		if again.judgement == nil { // the deadline cut it off
			break
		}
		next = again
	}
	next.facts.WaitMs, next.facts.Judgings = last.facts.WaitMs, last.facts.Judgings
	next.facts.RestMs, next.facts.Restless = last.facts.RestMs, last.facts.Restless
	*last = next
}

// quiet returns the log of a web that rests, or the last one. A call sends no request if it only
// sets a timer, so the time since the last call counts too. On a busy machine the request of a page
// comes up to a second after the page acted, so what the observer saw counts as well.
func (r *run) quiet(ctx context.Context, last *judging) (log web.Log, err error) {
	began := time.Now()
	defer func() { last.facts.RestMs = ms(time.Since(began)) }()
	asked, cancel := context.WithTimeout(ctx, restMost+whyTimeout) // the last question has time for its answer
	defer cancel()
	for {
		log, err = r.Session.Requests(asked)
		left := restFor - min(time.Since(log.Active), time.Since(r.answered), time.Since(r.source.Active()))
		if err != nil || left <= 0 || r.Launcher == standin {
			return log, err
		}
		if r.Resting != nil {
			r.Resting()
		}
		most := restMost - time.Since(began)
		if most <= 0 {
			last.facts.Restless = true
			return log, nil
		}
		select {
		case <-time.After(min(left, most)):
		case <-ctx.Done():
			return log, ctx.Err()
		}
	}
}
