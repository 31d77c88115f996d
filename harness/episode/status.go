package episode

import (
	"errors"
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/event"
)

// stop decides how the episode ended: the first status that applies.
func (r *run) stop() event.Stop {
	s := event.Stop{Steps: max(0, len(r.steps)-1), DurationMs: ms(time.Since(r.began))}
	if r.Session == nil {
		s.DurationMs = 0
	}
	switch {
	case r.interrupted != "":
		s.Status, s.Reason = event.Interrupted, r.interrupted
	case r.toolErr != nil:
		s.Status, s.Reason = event.ToolError, r.toolErr.Error()
	case r.adapterErr != nil:
		s.Status, s.Reason = event.AdapterError, r.adapterErr.Error()
		if d, ok := errors.AsType[*event.Drift](r.adapterErr); ok {
			s.Drift = d
		}
	case r.passed:
		s.Status = event.Passed
	case r.disagreement != "": // also at a cap: it does not hang on how fast the other was
		s.Status, s.Reason = event.Inconclusive, r.disagreement
	case r.outage != nil:
		s.Status, s.Reason = event.Inconclusive, notItsDoing(r.outage)
	case r.timedOut:
		s.Status, s.Reason = event.Timeout, fmt.Sprintf("not done within %s", r.Task.MaxDuration())
	case r.missing != "":
		s.Status, s.Reason = event.Inconclusive, r.missing
	case r.reachedSteps:
		s.Status, s.Reason = event.MaxSteps, fmt.Sprintf("not done at the step cap of %d", r.Task.MaxSteps)
	default:
		s.Status, s.Reason = event.Failed, r.failing
	}
	return s
}
