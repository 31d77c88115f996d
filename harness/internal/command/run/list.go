package run

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/openchrome/bench/harness/internal/command/lint"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// list prints tasks. A task without a family shows its category.
func list(out io.Writer, tasks []transcript.Prepared) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TASK\tSUITE\tFAMILY\tSTEPS\tTIME\tOTHER TAGS\tTITLE")
	for _, s := range tasks {
		suite, family := s.Suite(), record.Family(s.Tags, s.Category)
		others := slices.DeleteFunc(slices.Clone(s.Tags), func(tag string) bool { return tag == suite || tag == family })
		fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%s\t%s\t%s\n", s.ID, cmp.Or(suite, "-"), family, s.MaxSteps, s.MaxDuration(),
			display.Visible(cmp.Or(strings.Join(others, ","), "-")), display.Visible(s.Title))
	}
	return w.Flush()
}

// Check reads the sites, all task files and transcripts, and runs nothing. It prints every
// fault of every file, and also the mistakes that package lint finds in the selected tasks;
// the error is then a [*program.ExitError] of [program.ExitUsage]. Check prints warnings too;
// they are not errors. With Verbose it lists the selected tasks.
func Check(_ context.Context, o Options) error {
	if err := o.NoAgent("task:check runs nothing"); err != nil {
		return err
	}
	verbose := o.Verbose
	o.Values = o.Values.WithDefaults()
	o.Server = "auto" // it is not used
	p, err := readPlan(o, true, "run")
	if err != nil {
		return err
	}
	warnings := p.warnings
	var faults jsonfile.Faults
	for _, s := range p.tasks {
		more, meant := lint.Task(s.Spec)
		faults = append(faults, more...)
		warnings = slices.Concat(warnings, s.Warnings, meant)
	}
	for _, f := range warnings {
		fmt.Fprintln(o.Stderr, "warning:", f)
	}
	if len(faults) > 0 {
		faults.Sort()
		fmt.Fprintln(o.Stderr, faults)
		return usage(fmt.Errorf("%s in task files", display.Count(len(faults), "fault")))
	}
	if verbose {
		if err := list(o.Stdout, p.tasks); err != nil {
			return err
		}
	}
	fmt.Fprintf(o.Stdout, "%s valid, %s\n", display.Count(len(p.tasks), "task"), display.Count(len(warnings), "warning"))
	return nil
}

// One returns the one task that o selects, with its drawn values.
func One(o Options) (task.Spec, error) {
	if o.Task == "" || strings.Contains(o.Task, ",") {
		return task.Spec{}, usage(fmt.Errorf("-task: name one task, as in -task=example-h1; %s task:check -verbose lists them", display.Program))
	}
	o.Server = "auto" // it is not used
	p, err := newPlan(o)
	if err != nil {
		return task.Spec{}, err
	}
	return p.tasks[0].Spec, nil
}
