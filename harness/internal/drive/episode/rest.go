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
// nothing was called and the fixture web had no request for restFor, and at most restMost. These
// waits do not count towards the task's time cap.
const (
	restFor  = 2 * time.Second
	restMost = 10 * time.Second
)

// rest waits until the web rests, and judges again with all of its requests. The facts of the
// page stay as they are. It returns the wrong acts.
func (r *run) rest(ctx context.Context, c *judge.Contract, last *judging) (wrong []string) {
	if last.judgement == nil || r.LiveWeb {
		return nil
	}
	log, err := r.quiet(ctx, last)
	switch f := last.in.Facts; {
	case ctx.Err() != nil, last.judgement.Verdict == judge.Inconclusive, !c.Needs().Network:
	case err != nil:
		f.Network = nil
		f.SetUnavailable(evidence.FactNetwork, err.Error())
		*last.judgement = judge.Judge(c, last.in)
	default:
		facts.SetNetwork(f, log)
		*last.judgement = judge.Judge(c, last.in)
	}
	for _, entry := range log.Own {
		if reason, ok := entry.WrongAct(); ok {
			wrong = append(wrong, reason+" ("+entry.Host+")")
		}
	}
	return wrong
}

// quiet returns the log of a web that rests, or the last one. A call sends no request if it only
// sets a timer, so the time since the last call counts too.
func (r *run) quiet(ctx context.Context, last *judging) (log web.Log, err error) {
	began := time.Now()
	defer func() { last.facts.RestMs = ms(time.Since(began)) }()
	asked, cancel := context.WithTimeout(ctx, restMost+whyTimeout) // the last question has time for its answer
	defer cancel()
	for {
		log, err = r.Session.Requests(asked)
		left := restFor - min(time.Since(log.Active), time.Since(r.answered))
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
