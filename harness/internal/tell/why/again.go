package why

import (
	"cmp"
	"slices"

	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Again returns the command that runs the episode's task again as its run did. out is the folder
// to write to; empty: the current one. The values of a command line and of an address can be
// secret, so the log does not hold them: COMMAND and ADDRESS stand for them. If the episode replayed a transcript, a second
// command shows each step of it: task:try.
func Again(r *report.Report, e *report.Episode, out string) (commands []string) {
	plan := r.Plan()
	target := "bench:mock"
	instead := map[string]string{}
	if r.Adapter != "mock" {
		target = "bench:episode"
	}
	switch {
	case plan.Launcher == "command":
		instead["server"] = "COMMAND"
	case plan.Launcher == "url":
		instead["server"] = "ADDRESS"
	case r.Package != nil:
		instead["server"] = plan.Launcher + ":" + r.Package.Path
	}
	if r.Agent != nil && !r.Agent.Preset && r.Agent.Command != "" {
		instead["adapter"] = "agent:COMMAND"
	}
	if e.Policy != "" {
		plan.Adapter = report.PolicyAdapter + e.Policy
	}
	command := func(target string, more ...string) {
		args := slices.Concat([]string{display.Program, target, display.Setting("task", cmp.Or(e.Of, e.TaskID), "")}, option.Repeat(plan, target, instead), more)
		commands = append(commands, display.Visible(display.Command(args...)))
	}
	command(target, display.Setting("out", out, "."))
	switch {
	case r.Adapter == "mock":
		command("task:try")
	case e.Policy != "" && plan.Options.Profile == "": // task:try has the built-in profiles only
		command("task:try", display.Setting("policy", e.Policy, ""))
	}
	return commands
}
