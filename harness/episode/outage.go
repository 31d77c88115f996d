package episode

import (
	"context"
	"errors"
	"time"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/openchrome"
)

// outageTimeout bounds the question whether the session's web is still there.
const outageTimeout = 2 * time.Second

// acquit makes a stop that counts against OpenChrome, or an adapter, inconclusive
// where what the session runs on is gone. Without the fixture web OpenChrome still
// answers: every page is an error then, a transcript drifts and no contract holds.
func (r *run) acquit(ctx context.Context, s *event.Stop) {
	asked, cancel := context.WithTimeout(ctx, outageTimeout)
	defer cancel()
	_, err := r.Session.Requests(asked)
	if o, ok := errors.AsType[*openchrome.Outage](err); ok && ctx.Err() == nil {
		s.Status, s.Reason, s.Drift = event.Inconclusive, notItsDoing(o), nil
	}
}

func notItsDoing(outage error) string { return "not OpenChrome's doing: " + outage.Error() }
