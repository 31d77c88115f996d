package report

import (
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Again is the command that runs the episode's task again as its run did. out is the folder
// to write to; empty: the current one. The values of a command line and of an address can be
// secret, so the log does not hold them: COMMAND and ADDRESS stand for them. KEYFILE stands
// for the file with the key of a private draw.
func Again(r *Report, e *Episode, out string) string {
	plan := r.Plan()
	target := "bench:mock"
	instead := map[string]string{}
	if r.Adapter == "mock" {
		instead["adapter"] = ""
	} else {
		target = "bench:episode"
	}
	switch {
	case plan.Launcher == "command":
		instead["openchrome"] = "COMMAND"
	case plan.Launcher == "url":
		instead["openchrome"] = "ADDRESS"
	case r.Package != nil:
		instead["openchrome"] = plan.Launcher + ":" + r.Package.Path
	}
	if r.Private() {
		instead["seedKey"] = "KEYFILE"
	}
	args := append([]string{"mage", target, display.Setting("task", e.TaskID, "")}, option.Repeat(plan, instead)...)
	return display.Visible(display.Command(append(args, display.Setting("out", out, "."))...))
}

// Plan is the plan of the run, as far as the report knows it: without the tasks, and without
// options that only a log has.
func (r *Report) Plan() *record.RunStart {
	s := &record.RunStart{Adapter: r.Adapter, Web: r.Web, Options: r.Options}
	if r.Subject != nil {
		s.Launcher = r.Subject.Launcher
	}
	s.Options.Path, s.Options.Seed, s.Options.SeedKey, s.Options.Drift = r.Path, r.Seed, r.SeedKey, r.Drift
	return s
}
