package episode

import (
	"context"
	"errors"
	"time"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/openchrome"
)

// judge reads the facts from the live page and judges them, and logs both. graced
// is ctx with the last deadline of the episode.
func (r *run) judge(ctx, graced context.Context) {
	success := r.Task.Success.Live()
	facts, err := openchrome.ReadFacts(graced, r.Session, openchrome.FactsRequest{
		Needs: success.Needs(), TabID: r.tab, Last: r.lastCall,
	})
	if err == nil {
		err = ctx.Err() // a run that was stopped meanwhile is not judged
	}
	body := &event.Facts{
		Facts: facts, SessionID: openchrome.SessionID, NowMs: time.Now().UnixMilli(),
		Provenance: &contract.Provenance{TargetID: r.tab},
	}
	if facts != nil && facts.URL != nil {
		body.FinalURL = *facts.URL
	}
	if none, ok := errors.AsType[*openchrome.NoPage](err); ok {
		body.NoPage, body.FinalURL = none.Why, none.URL
	} else if err != nil {
		body.Missing, body.Fault = err.Error(), own(ctx, err)
	}
	if graced.Err() != nil && body.Cause == "" {
		body.Fault = event.Fault{Cause: event.CauseTimeCap, Failure: "read until after the time cap"}
	}
	r.emit(event.ByHarness, body)
	if facts == nil || err != nil || r.logErr != nil {
		return
	}
	in := contract.Input{
		Facts: facts, Provenance: *body.Provenance, SessionID: body.SessionID,
		Now: time.UnixMilli(body.NowMs), ClassesDir: r.ClassesDir,
	}
	eval := &event.ContractEval{Judgement: contract.Judge(success, in)}
	r.crossJudge(ctx, graced, success, in, eval)
	r.emit("", eval)
	if f := contract.FirstFailing(success, in, eval.Judgement); f != nil && eval.Judgement.Verdict == contract.Fail {
		r.causes.Failing = "want: " + f.Expected + "; is: " + f.Observed
	}
}

// crossJudge lets the server judge the same facts if it has oc_assert. If the two
// disagree there is no verdict; if the server gives none, ours stands.
func (r *run) crossJudge(ctx, graced context.Context, c *contract.Contract, in contract.Input, eval *event.ContractEval) {
	if !openchrome.Has(r.Session, "oc_assert") {
		return
	}
	limited, cancel := context.WithTimeout(graced, assertTimeout)
	defer cancel()
	upstream, missing, err := openchrome.Assert(limited, r.Session, c, in)
	if err != nil {
		eval.Fault = own(ctx, err)
		missing = "oc_assert gave no answer: " + err.Error()
		if errors.Is(err, context.DeadlineExceeded) {
			missing = "oc_assert gave no answer in time"
		}
	}
	eval.UpstreamMissing = missing
	eval.Upstream = upstream
	eval.Disagreement = eval.Disagree()
}
