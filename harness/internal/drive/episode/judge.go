package episode

import (
	"context"
	"errors"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
)

// judge waits for the page, and logs the last judging: the facts and, if there are any, the
// verdicts. graced is ctx with the last deadline of the episode.
func (r *run) judge(ctx, graced context.Context) {
	c := r.Task.Success.Live()
	began := time.Now()
	until, timed := r.waitsUntil(began), r.hasPageTime()
	if timed { // the time cap bounds the calls
		graced, until = ctx, began
		if grace := r.answered.Add(serverGrace); grace.After(began) {
			until = grace
		}
	}
	last := r.await(ctx, graced, c, until)
	if timed {
		pauseUntil(ctx, until)
	}
	if r.observed() && r.end != record.EndNoAnswer && r.end != record.EndTimeCap {
		limited, cancel := context.WithTimeout(graced, serverEndTimeout)
		defer cancel()
		r.serverEnd = facts.ServerEnd(limited, r.Session)
	}
	var clock *observer.PageTime
	resume := func() {}
	if timed && last.judgement != nil {
		limited, cancel := context.WithTimeout(ctx, settleMost)
		defer cancel()
		clock, resume = r.stopTime(ctx, limited)
		if !r.counts(last, time.Now()) && r.end != record.EndAdapter {
			if clock != nil {
				last = r.settle(ctx, limited, clock, c)
			} else {
				last = r.await(ctx, ctx, c, r.waitsUntil(time.Now()))
			}
		}
	}
	r.waited.WaitMs = ms(time.Since(began))
	wrong := r.rest(ctx, clock, c, &last)
	resume()
	last.facts.Waited = r.waited
	r.emit(record.ByHarness, last.facts)
	if last.judgement == nil || r.logErr != nil {
		return
	}
	eval := &record.ContractEval{Judgement: *last.judgement, WrongSideEffects: append(wrong, judge.Forbidden(c, last.in)...)}
	r.emit("", eval)
	if f := judge.FirstFailing(c, last.in, eval.Judgement); f != nil && eval.Judgement.Verdict == judge.Fail {
		r.causes.Failing = "want: " + f.Expected + "; got: " + f.Observed
	}
}

// request says which facts the contract needs.
func (r *run) request(c *judge.Contract) facts.Request {
	return facts.Request{Needs: c.Needs(), TabID: r.tab(), Last: r.lastCall, LiveWeb: r.LiveWeb}
}

// A judging is one reading of the page and the verdict on it.
type judging struct {
	facts     *record.Facts
	in        judge.Input
	judgement *judge.Judgement // nil: there was nothing to judge
	settled   bool
	late      bool // see [observer.Reading]
}

// discount drops a pass that the page has only since we closed a dialog: it is not the server's doing.
func (r *run) discount(c *judge.Contract, j *judging) {
	if j.late && !r.held && c.Needs().Page && j.judgement.Verdict == judge.Pass {
		j.judgement, j.facts.Facts = nil, nil
		j.facts.NoPage = "it answered only after the harness had closed its dialog, and what it shows since then does not count"
	}
}

// look reads the page and judges it once. If the page closes its tab meanwhile, look goes on
// with the tab that is current then.
func (r *run) look(ctx, graced context.Context, c *judge.Contract) judging {
	request := r.request(c)
	reading, err := r.source.Read(graced, request)
	if err != nil && r.tab() != request.TabID {
		return r.look(ctx, graced, c)
	}
	if ctx.Err() != nil { // a run that was stopped meanwhile is not judged
		err = ctx.Err()
	}
	body := &record.Facts{
		Facts: reading.Facts, SessionID: facts.SessionID, NowMs: time.Now().UnixMilli(),
		Provenance: &judge.Provenance{TargetID: request.TabID}, Dialogs: reading.Dialogs, Classes: r.Task.Classes,
	}
	if err != nil {
		body.Facts = nil
		r.without(ctx, graced, err, body)
		if body.Facts = r.known(ctx, c, body); body.Facts == nil {
			return judging{facts: body}
		}
	} else if url := reading.Facts.URL; url != nil {
		body.FinalURL = *url
	}
	j := judging{facts: body, settled: reading.Settled, late: reading.Late}
	j.in = judge.Input{
		Facts: body.Facts, Provenance: *body.Provenance, SessionID: body.SessionID,
		Now: time.UnixMilli(body.NowMs), Classes: body.Classes, ClassesDir: r.ClassesDir,
	}
	j.judgement = new(judge.Judge(c, j.in))
	if !reading.Late {
		r.held = j.judgement.Verdict == judge.Pass
	}
	r.discount(c, &j)
	return j
}

// without records in body why there are no facts. A page that hangs until the deadline
// counts as no page and not as a timeout, because the adapter was done in time.
func (r *run) without(ctx, graced context.Context, err error, body *record.Facts) {
	r.hangs = graced.Err() != nil
	if none, ok := errors.AsType[*facts.NoPage](err); ok {
		body.NoPage, body.Off, body.FinalURL = none.Why, none.Off, none.URL
		return
	}
	if body.Fault = r.own(ctx, err); body.Cause == "" && graced.Err() != nil {
		body.NoPage = "it did not answer in time"
		return
	}
	body.Missing = err.Error()
}

// known returns what the fixture web knows when there is no page, for example because the adapter
// closed it after its work. It returns nil if the contract also looks at a page, or would hold
// without any request.
func (r *run) known(ctx context.Context, c *judge.Contract, body *record.Facts) *evidence.Facts {
	f := &evidence.Facts{Network: []evidence.Request{}}
	if body.NoPage == "" || c.Needs().Page || r.LiveWeb || judge.Judge(c, judge.Input{Facts: f}).Verdict == judge.Pass {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, whyTimeout) // a page that hangs has used up the episode's time
	defer cancel()
	facts.ReadOwn(limited, r.Session, r.request(c), f)
	return f
}
