package episode

import (
	"context"
	"sort"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
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
func (r *run) rest(ctx context.Context, clock *observer.PageTime, c *judge.Contract, last *judging) (wrong []string) {
	if last.judgement == nil || r.LiveWeb {
		return nil
	}
	began := time.Now()
	var log web.Log
	var err error
	if clock != nil {
		log, err = r.late(ctx, clock, c, last)
		r.waited.PageMs = ms(clock.Now)
	} else {
		address := r.address(ctx)
		log, err = r.quiet(ctx, nil)
		r.follow(ctx, nil, c, last, address)
	}
	r.waited.RestMs = ms(time.Since(began))
	if ctx.Err() == nil && last.judgement != nil && last.judgement.Verdict != judge.Inconclusive {
		f, before := *last.in.Facts, last.judgement.Verdict
		switch {
		case !c.Needs().Network:
		case err != nil:
			f.Network = nil
			f.SetUnavailable(evidence.FactNetwork, err.Error())
		default:
			facts.SetNetwork(&f, log, r.Session.Observer())
		}
		in := last.in
		in.Facts = &f
		again := judge.Judge(c, in)
		if clock == nil || before != judge.Fail || again.Verdict != judge.Pass { // no late act makes a failure a pass
			*last.in.Facts, *last.judgement = f, again
			r.discount(c, last)
		}
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

// follow judges the page again if the tab was left during the wait, so that the episode ended on another
// page. The address is the one before.
func (r *run) follow(ctx context.Context, clock *observer.PageTime, c *judge.Contract, last *judging, address string) {
	if ctx.Err() != nil || last.judgement.Verdict != judge.Pass || !c.Needs().Page || r.address(ctx) == address {
		return
	}
	limited, cancel := context.WithTimeout(ctx, followTimeout)
	defer cancel()
	next := r.ask(ctx, ctx, c, time.Now().Add(followTimeout))
	for !next.settled && next.judgement != nil {
		if clock == nil {
			pauseUntil(limited, time.Now().Add(settleEvery))
		} else if clock.Step(limited, settleStep) != nil {
			break
		}
		again := r.look(ctx, limited, c)
		if again.judgement == nil { // the deadline cut it off
			break
		}
		next = again
	}
	*last = next
}

// quiet returns the log of a web that rests, or the last one. A call sends no request if it only
// sets a timer, so the time since the last call counts too. On a busy machine the request of a page
// comes up to a second after the page acted, so what the observer saw counts as well.
func (r *run) quiet(ctx context.Context, clock *observer.PageTime) (log web.Log, err error) {
	began := time.Now()
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
			r.waited.Restless = true
			return log, nil
		}
		if clock == nil || clock.Step(ctx, settleStep) != nil { // the next look at the log reports the error
			pauseUntil(ctx, time.Now().Add(min(left, most)))
		}
		if ctx.Err() != nil {
			return log, ctx.Err()
		}
	}
}

// whyTimeout bounds the last question to the fixture web, which takes milliseconds.
const whyTimeout = 2 * time.Second

// askWeb adds the requests of the fixture web to s, and why the receipts that the contract asks for
// were missed. It is asked only after the verdict, because the answer has the values that were wanted.
func (r *run) askWeb(ctx context.Context, s *record.Stop) {
	if r.Session == nil || r.LiveWeb || ctx.Err() != nil {
		return
	}
	limited, cancel := context.WithTimeout(ctx, whyTimeout)
	defer cancel()
	log, err := r.Session.Why(limited)
	if err != nil {
		return
	}
	for _, q := range log.Requests {
		s.Requests = append(s.Requests, record.Request{Step: r.stepAt(q.Time), Method: q.Method, URL: q.URL, Status: q.Status, Type: q.Type, Body: q.Body})
	}
	for _, m := range log.Missed {
		if m.Kind != record.MissedWrong && !r.Task.Success.Asks(m.End) {
			continue
		}
		if !m.At.IsZero() {
			m.Step = r.stepAt(m.At)
		}
		s.Missed = append(s.Missed, m)
	}
}

// stepAt returns the step in which something happened.
func (r *run) stepAt(at time.Time) int {
	return max(0, sort.Search(len(r.sent), func(i int) bool { return r.sent[i].After(at) })-1)
}
