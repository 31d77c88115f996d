package report

import (
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Again is the command that runs the episode's task again as its run did. out is the folder
// to write to; empty: the current one. The values of a command line and of an address can be
// secret, so the log does not hold them: COMMAND and ADDRESS stand for them. KEYFILE stands
// for the file with the key of a private draw.
func Again(r *Report, e *Episode, out string) string {
	target, adapter := "bench:mock", ""
	if r.Adapter != "mock" {
		target, adapter = "bench:episode", r.Adapter
	}
	openchrome := ""
	if r.Subject != nil {
		openchrome = r.Subject.Launcher
	}
	switch {
	case openchrome == "command":
		openchrome = "COMMAND"
	case openchrome == "url":
		openchrome = "ADDRESS"
	case r.Package != nil:
		openchrome += ":" + r.Package.Path
	}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	limit := ""
	if ms := r.Options.MaxDurationMs; ms > 0 {
		limit = (time.Duration(ms) * time.Millisecond).String()
	}
	key := ""
	if r.Private() {
		key = "KEYFILE"
	}
	return display.Visible(display.Command("mage", target, display.Setting("task", e.TaskID, ""), display.Setting("adapter", adapter, ""),
		display.Setting("openchrome", openchrome, ""), display.Setting("tasks", r.Options.Tasks, ""), display.Setting("sites", r.Options.Sites, ""),
		display.Setting("seed", number(r.Seed), ""), display.Setting("seedKey", key, ""), display.Setting("path", r.Path, "oracle"), display.Setting("drift", r.Drift, record.DriftCount), display.Setting("web", r.Web.Mode, "hermetic"),
		display.Setting("maxSteps", number(r.Options.MaxSteps), ""), display.Setting("maxDuration", limit, ""), display.Setting("out", out, ".")))
}
