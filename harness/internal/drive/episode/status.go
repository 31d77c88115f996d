package episode

import (
	"context"
	"errors"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/record"
)

// stop decides how the episode ended. Before a failure counts against OpenChrome or an
// adapter, stop looks for another cause.
func (r *run) stop(ctx context.Context) *record.Stop {
	s := &record.Stop{End: r.end, Steps: max(0, len(r.steps)-1), Looked: r.looked, Found: r.found}
	if r.Session != nil {
		ended := r.answered
		if ended.IsZero() || r.end == record.EndTimeCap {
			ended = time.Now()
		}
		s.DurationMs = ms(ended.Sub(r.began))
		s.ServerMemory = r.Session.Memory()
	}
	if r.serverEnd != nil {
		s.ServerEnded = r.serverEnd.Error()
	}
	if r.adapterErr != nil {
		s.Error = r.adapterErr.Error()
	}
	r.decide(s)
	// Without a session, the server refused to prepare one.
	if r.Session != nil && (s.Status.Class() == record.Fail || s.Status == record.AdapterError) {
		s.Outage = r.outage(ctx)
		r.decide(s)
	}
	return s
}

func (r *run) decide(s *record.Stop) {
	r.causes.Add(s)
	r.causes.Decide(s)
}

// outageTimeout bounds the check that the environment still works.
const outageTimeout = 2 * time.Second

// outage describes a failure of the session's environment or of this process. Without the
// fixture web, for example, OpenChrome still answers, but every page is an error, so
// answers change and no contract holds.
func (r *run) outage(ctx context.Context) string {
	if o, ok := errors.AsType[*session.Outage](r.serverEnd); ok {
		return o.Error()
	}
	asked, cancel := context.WithTimeout(ctx, outageTimeout)
	defer cancel()
	err := r.Session.Outage(asked)
	if o, ok := errors.AsType[*session.Outage](err); ok && ctx.Err() == nil {
		return o.Error()
	}
	if o := r.Session.Observer(); o != nil {
		if err := o.NetworkChange(); err != nil {
			return err.Error()
		}
	}
	return r.pulse.stoodStill()
}
