package compare

import (
	"fmt"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Notes say how two runs that can be compared differ all the same.
func Notes(base, head *report.Report) (notes []string) {
	if words, certain := base.Harness.Differs(head.Harness); certain {
		notes = append(notes, "different builds measured the runs: "+words)
	}
	if b, h := base.Server, head.Server; b != nil && h != nil {
		for _, f := range []struct{ what, base, head string }{
			{"server", b.Name, h.Name},
			{"launcher", b.Launcher, h.Launcher},
			{"Chromium", b.Chromium, h.Chromium},
			{"MCP version", b.Protocol, h.Protocol},
			{"isolation", b.Isolation, h.Isolation},
			{"reader of the facts", b.Facts, h.Facts},
			{"confinement", b.Confinement, h.Confinement},
		} {
			if f.base != f.head {
				notes = append(notes, fmt.Sprintf("the %s differs: %s in the base, %s in the head", f.what, Value(f.base), Value(f.head)))
			}
		}
	}
	for _, words := range base.Agent.Differ(head.Agent) {
		notes = append(notes, display.Visible(words))
	}
	if base.Web.Mode == "live" {
		notes = append(notes, "the runs saw the live web, which may have changed between them")
	}
	return notes
}

// Missing says which run is a canonical report and lacks something: it leaves out all that differs
// between runs that did the same. Empty: neither is.
func Missing(base, head *report.Report, what string) string {
	for _, side := range []struct {
		what string
		*report.Report
	}{{"base", base}, {"head", head}} {
		if side.RunID == "" {
			return fmt.Sprintf("the %s is a canonical report, which has no %s", side.what, what)
		}
	}
	return ""
}
