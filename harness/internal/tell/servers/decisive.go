package servers

import (
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/policy"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// decisive names the call that made an episode fail, and says why it failed. The call is the one that
// the traces blame, else the first with a false success, an unreported side effect or an error, else the
// last one if the policy gave up on its answer, else the one that sent the wrong request.
func decisive(e *report.Episode) (call, why string) {
	why = explain.Why(e)
	m := explain.Missed(e)
	if m != nil {
		if c, _ := explain.Blamed(e, m); c != nil {
			return name(c), why
		}
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		if at := slices.IndexFunc(c.Parts, func(p record.Part) bool { return p.Untrue }); at >= 0 {
			return name(c), explain.Part(&c.Parts[at]) + "; " + why
		}
	}
	if i := slices.IndexFunc(e.Calls, func(c report.Call) bool { return c.Error }); i >= 0 {
		return name(&e.Calls[i]), why
	}
	if n := len(e.Calls); n > 0 && e.Outcome == policy.GaveUp {
		return name(&e.Calls[n-1]), why
	}
	if e.Outcome == policy.NoTool {
		return "none: the profile lacks it", why
	}
	if m != nil && m.Sent != "" {
		if i := slices.IndexFunc(e.Calls, func(c report.Call) bool { return c.Step == m.Step }); i >= 0 {
			return name(&e.Calls[i]), why
		}
	}
	return "not known", why
}

func name(c *report.Call) string { return fmt.Sprintf("step %d, %s", c.Step, c.Tool) }
