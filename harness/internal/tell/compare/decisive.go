package compare

import (
	"fmt"

	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/policy"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// decisive names the call that made an episode fail, and says why it failed.
func decisive(e *report.Episode) (call, why string) {
	d, why := explain.Diagnose(e), explain.Why(e)
	switch {
	case e.Outcome == policy.NoTool:
		return "none: the profile lacks it", why
	case d.Kind == explain.AtNothing || d.Kind == explain.AtLast:
		return "not known", why
	case d.Kind == explain.AtUntrue:
		why = explain.Part(d.Part) + "; " + why
	}
	return fmt.Sprintf("step %d, %s", d.Call.Step, d.Call.Tool), why
}
