package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// list is a table of tasks. A task without a family shows its category.
func list(tasks []transcript.Prepared) page.Table {
	table := page.Table{Header: []string{"task", "suite", "family", "steps", "time", "other tags", "title"}}
	for _, s := range tasks {
		suite, family := s.Suite(), record.Family(s.Tags, s.Category)
		others := slices.DeleteFunc(slices.Clone(s.Tags), func(tag string) bool { return tag == suite || tag == family })
		table.Add(s.ID, cmp.Or(suite, "-"), family, s.MaxSteps, s.MaxDuration(), cmp.Or(strings.Join(others, ","), "-"), s.Title)
	}
	return table
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
	o.Server, o.lints = "auto", true // the server is not used
	p, err := readPlan(o, true, "run")
	if p == nil {
		return err
	}
	warnings := p.warnings
	for _, s := range p.tasks {
		warnings = append(warnings, s.Warnings...)
	}
	for _, f := range warnings {
		fmt.Fprintln(o.Stderr, "warning:", f)
	}
	if err != nil {
		return err
	}
	if verbose {
		program.Print(o.Stdout, list(p.tasks))
	}
	fmt.Fprintf(o.Stdout, "%s valid, %s\n", display.Count(len(p.tasks), "task"), display.Count(len(warnings), "warning"))
	return nil
}

// OneTask returns an error if o does not name one task.
func (o Options) OneTask() error {
	if o.Task == "" || strings.Contains(o.Task, ",") {
		return usage(fmt.Errorf("-task: name one task, as in -task=example-h1; %s task:check -verbose lists them", display.Program))
	}
	return nil
}

// One returns the one task that o selects, with its drawn values. Other tasks are not read.
func One(o Options) (task.Spec, error) {
	if err := o.OneTask(); err != nil {
		return task.Spec{}, err
	}
	o.Server, o.Adapter = "auto", transcript.None // they are not used
	p, err := readPlan(o, false, "run")
	if err != nil {
		return task.Spec{}, err
	}
	return p.tasks[0].Spec, nil
}
