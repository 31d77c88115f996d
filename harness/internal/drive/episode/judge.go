package episode

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
)

// judge waits for the page, and logs the last judging: the facts and, if there are any, the
// verdicts. graced is ctx with the last deadline of the episode.
func (r *run) judge(ctx, graced context.Context) {
	c := r.Task.Success.Live()
	last := r.await(ctx, graced, c)
	eval := new(record.ContractEval)
	if last.judgement != nil {
		r.askServer(graced, c, last.in, eval)
	}
	r.judged = time.Now()
	if r.observed() && r.end != record.EndNoAnswer && r.end != record.EndTimeCap {
		limited, cancel := context.WithTimeout(graced, serverEndTimeout)
		defer cancel()
		r.serverEnd = facts.ServerEnd(limited, r.Session)
	}
	deadline, _ := graced.Deadline()
	left := time.Until(deadline) // the wait for late acts does not count
	before := last.facts
	wrong := r.rest(ctx, c, &last)
	if last.facts != before {
		eval.Server = nil // it is of a page that was left
	}
	r.emit(record.ByHarness, last.facts)
	if last.judgement == nil || r.logErr != nil {
		return
	}
	eval.Judgement = *last.judgement
	eval.Harm = append(wrong, judge.Forbidden(c, last.in)...)
	rested, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	r.crossJudge(ctx, rested, c, last.in, eval)
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

// If an observer read the facts, askServer judges the same contract on the facts that the
// server itself returns. A difference is shown but does not affect the status.
func (r *run) askServer(graced context.Context, c *judge.Contract, in judge.Input, eval *record.ContractEval) {
	limited, cancel := context.WithTimeout(graced, assertTimeout)
	defer cancel()
	own := r.source.ServerFacts(limited, r.request(c))
	if own == nil {
		return
	}
	facts := *in.Facts
	facts.ScreenshotPNG, facts.ContractFacts = own.ScreenshotPNG, own.ContractFacts
	facts.Unavailable = map[string]string{}
	maps.Copy(facts.Unavailable, in.Facts.Unavailable)
	for _, name := range []string{evidence.FactScreenshot, evidence.FactPerformance, evidence.FactConsole} {
		delete(facts.Unavailable, name)
	}
	maps.Copy(facts.Unavailable, own.Unavailable)
	in.Facts = &facts
	eval.Server = &record.ServerFacts{Facts: own, Verdict: judge.Judge(c, in).Verdict}
}

// crossJudge lets the server judge the same facts if it has oc_assert. If the server does not
// confirm a pass, there is no verdict; it cannot change a fail. If it gives no verdict, ours
// stands.
func (r *run) crossJudge(ctx, graced context.Context, c *judge.Contract, in judge.Input, eval *record.ContractEval) {
	limited, cancel := context.WithTimeout(graced, assertTimeout)
	defer cancel()
	if !r.Session.Reach(limited, "oc_assert") {
		return
	}
	upstream, missing, err := facts.Assert(limited, r.Session, c, in)
	if err != nil {
		eval.Fault = r.own(ctx, err)
		missing = "oc_assert gave no answer: " + err.Error()
		if errors.Is(err, context.DeadlineExceeded) {
			missing = "oc_assert gave no answer in time"
		}
	}
	eval.UpstreamMissing = missing
	eval.Upstream = upstream
	eval.Disagreement = eval.Disagree()
}
