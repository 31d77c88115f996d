package episode

import (
	"context"
	"errors"
	"time"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/openchrome"
)

// judge reads the facts off the live page, logs them, judges them, and logs
// that. graced is ctx with the last deadline of the episode.
func (r *run) judge(ctx, graced context.Context) {
	success := r.Task.Success.Live()
	facts, err := openchrome.ReadFacts(graced, r.Session, openchrome.FactsRequest{
		Needs: success.Needs(), TabID: r.tab, Last: r.lastCall,
	})
	if err == nil {
		err = ctx.Err() // a run that was stopped meanwhile judges nothing
	}
	body := &event.Facts{
		Facts: facts, SessionID: openchrome.SessionID, NowMs: time.Now().UnixMilli(),
		Provenance: &contract.Provenance{TargetID: r.tab},
	}
	if facts != nil && facts.URL != nil {
		body.FinalURL = *facts.URL
	}
	if err != nil {
		body.Missing = err.Error()
		r.missing = "facts are missing: " + err.Error()
		r.gone(ctx, err)
	}
	if graced.Err() != nil {
		r.timedOut = true
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
	switch {
	case eval.Disagreement != "":
		r.disagreement = eval.Disagreement
	case eval.Judgement.Verdict == contract.Pass:
		r.passed = true
	case eval.Judgement.Verdict == contract.Inconclusive:
		r.missing = eval.Judgement.InconclusiveReason
	default:
		if f := contract.FirstFailing(success, in, eval.Judgement); f != nil {
			r.failing = "want: " + f.Expected + "; is: " + f.Observed
		}
	}
}

// gone notes what an error of a call of the harness's own says of the episode:
// OpenChrome is gone, or the run was stopped. Other errors are answers, or the
// end of the call's own time.
func (r *run) gone(ctx context.Context, err error) {
	if _, ok := errors.AsType[*openchrome.Error](err); ok || ctx.Err() != nil {
		r.failed(ctx, err)
	}
}

// crossJudge has the server judge the same facts where it can. Two judges who
// disagree leave no verdict; one who says nothing leaves that of the other.
func (r *run) crossJudge(ctx, graced context.Context, c *contract.Contract, in contract.Input, eval *event.ContractEval) {
	if !openchrome.Has(r.Session, "oc_assert") {
		return
	}
	limited, cancel := context.WithTimeout(graced, assertTimeout)
	defer cancel()
	upstream, missing, err := openchrome.Assert(limited, r.Session, c, in)
	if err != nil {
		r.gone(ctx, err)
		missing = "oc_assert gave no answer: " + err.Error()
		if errors.Is(err, context.DeadlineExceeded) {
			missing = "oc_assert gave no answer in time"
		}
	}
	eval.UpstreamMissing = missing
	if eval.Upstream = upstream; upstream != nil && upstream.Verdict != eval.Judgement.Verdict {
		eval.Disagreement = "the judges disagree: here " + string(eval.Judgement.Verdict) +
			", OpenChrome's oc_assert " + string(upstream.Verdict)
	}
}
