package ways

import (
	"context"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/policy"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// maxWander is how many links and buttons the wanderer clicks.
const maxWander = 6

// Wanders reads the page and clicks its links and buttons, each on a page that was just
// opened. It knows nothing of the task. The page after the last click is judged.
func Wanders(on *server.Server, start string) adapter.Factory {
	return always(decide(func(ctx context.Context, s adapter.State) (adapter.Decision, error) {
		n := len(s.Steps) - 1
		if n%3 == 0 {
			return adapter.Decision{Call: policy.Look(on, s.TabID)}, nil
		}
		targets := policy.Presses(ctx, on, s.TabID, s.Steps[n-n%3+1].Result.Text())
		targets = targets[:min(maxWander, len(targets))]
		switch clicked := (n + 1) / 3; {
		case n%3 == 1 && clicked < len(targets):
			return adapter.Decision{Call: targets[clicked]}, nil
		case clicked >= len(targets):
			return adapter.Decision{Done: true}, nil
		}
		return adapter.Decision{Call: Opens(on, start)(s.TabID)}, nil
	}))
}
