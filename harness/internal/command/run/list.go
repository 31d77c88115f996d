package run

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/openchrome/bench/harness/internal/command/lint"
	"github.com/openchrome/bench/harness/internal/command/subject"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// List prints the tasks of a selection. A task without a family shows its category.
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
	fmt.Fprintln(w, "TASK\tSUITE\tFAMILY\tSTEPS\tTIME\tOTHER TAGS\tTITLE")
	for _, s := range p.tasks {
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
// they are not errors.
func Check(_ context.Context, o Selection) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	p, err := readPlan(Options{Selection: o, Options: subject.Options{OpenChrome: "auto"}}, true)
	if err != nil {
		return err
	}
	if o.SeedKey != "" { // its messages quote the files, so they get the values of the public draw
		o.SeedKey = ""
		if p, err = readPlan(Options{Selection: o, Options: subject.Options{OpenChrome: "auto"}}, true); err != nil {
			return err
		}
	}
	warnings := p.warnings
	var faults jsonfile.Faults
	for _, s := range p.tasks {
		more, meant := lint.Task(s)
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
	fmt.Fprintf(o.Stdout, "%s valid, %s\n", display.Count(len(p.tasks), "task"), display.Count(len(warnings), "warning"))
	return nil
}
