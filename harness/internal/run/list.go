package run

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/internal/subject"
)

// List prints the tasks of a selection.
func List(_ context.Context, o Selection) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	p, err := newPlan(Options{Selection: o, Options: subject.Options{OpenChrome: "auto"}})
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(o.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TASK\tCATEGORY\tSTEPS\tTIME\tTAGS\tTITLE")
	for _, s := range p.tasks {
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", s.ID, s.Category, s.MaxSteps, s.MaxDuration(),
			display.Visible(strings.Join(s.Tags, ",")), display.Visible(s.Title))
	}
	return w.Flush()
}

// Check reads all task files and transcripts and runs nothing. Every fault of
// every file is printed, and the error is then a [*program.ExitError] of
// [program.ExitUsage]. Check prints warnings too; they are not errors.
func Check(_ context.Context, o Selection) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	p, err := newPlan(Options{Selection: o, Options: subject.Options{OpenChrome: "auto"}})
	if err != nil {
		return err
	}
	warnings := 0
	for _, s := range p.tasks {
		for _, f := range s.Warnings {
			fmt.Fprintln(o.Stderr, "warning:", f)
			warnings++
		}
	}
	fmt.Fprintf(o.Stdout, "%s valid, %s\n", display.Count(len(p.tasks), "task"), display.Count(warnings, "warning"))
	return nil
}
