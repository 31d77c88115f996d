package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/internal/program"
	"github.com/openchrome/bench/harness/internal/run"
	"github.com/openchrome/bench/harness/report"
)

// DefaultSubjects are what bench:parity compares by default.
const DefaultSubjects = "standin,local,container"

// ParityOptions are the options of the runs, and the subjects to compare.
type ParityOptions struct {
	run.Options        // OpenChrome is not used; Package is for the OpenChromes without one of their own
	Subjects    string // separated by commas; empty: DefaultSubjects
}

// Parity runs the tasks on several subjects. For each episode and subject it prints
// status, steps, tool calls, verdict and failing assertion. The error is nil if the
// subjects agree, whatever the statuses are, and [program.ExitDifference] if they do
// not. A subject that does not work here is an error, and so is a void episode. The
// runs of the subjects are named -1, -2 and so on, after the run's id.
func Parity(ctx context.Context, asks ParityOptions) error {
	asks.OpenChrome = "auto" // a placeholder: each run below sets its own
	o, err := asks.Options.WithDefaults()
	if err != nil {
		return err
	}
	ctx, stop := program.Interruptible(ctx, false)
	defer stop()
	names := strings.Split(cmp.Or(asks.Subjects, DefaultSubjects), ",")
	if len(names) < 2 {
		return program.Usage(errors.New("bench:parity compares at least two subjects, such as -subjects=standin,local"))
	}
	var runs []run.Options
	var missing []error
	standin := false
	for i, name := range names {
		one := o
		one.OpenChrome, one.Package = strings.TrimSpace(name), ""
		names[i] = one.Shown()
		one.Options = one.Options.WithDefaults() // NAME:PACKAGE
		if one.Package == "" && one.Drives() {
			one.Package = o.Package
		}
		standin = standin || one.OpenChrome == "standin"
		one.RunID = fmt.Sprintf("%s-%d", o.RunID, i+1)
		if err := run.CheckRunID(one.RunID); err != nil {
			return program.Usage(fmt.Errorf("bench:parity: %w", err))
		}
		same := func(other run.Options) bool {
			return other.OpenChrome == one.OpenChrome && other.Package == one.Package
		}
		if slices.ContainsFunc(runs, same) {
			return program.Usage(fmt.Errorf("bench:parity: %s is named twice", names[i]))
		}
		if err := cmp.Or(one.Options.Check(false, *one.Parallel), one.Works(ctx)); err != nil {
			missing = append(missing, fmt.Errorf("bench:parity: %s: %w", names[i], err))
		}
		runs = append(runs, one)
	}
	if len(missing) > 0 {
		return program.Usage(errors.Join(missing...))
	}
	var reports []*report.Report
	for i, one := range runs {
		one.NoScripts = standin // all subjects run the same tasks
		fmt.Fprintln(o.Stdout, "==", display.Visible(names[i]))
		r, err := run.Episodes(ctx, one)
		if err != nil {
			return err
		}
		if !r.Totals.Complete() || r.Totals.Void > 0 {
			return run.VerdictError(r.Totals) // an episode without a verdict cannot be compared
		}
		reports = append(reports, r)
	}
	differ := parityTable(o, names, reports)
	if differ > 0 {
		return &program.ExitError{Code: program.ExitDifference, Err: fmt.Errorf("DIFFERENT: %s of %d", display.Count(differ, "episode"), len(reports[0].Episodes))}
	}
	fmt.Fprintf(o.Stdout, "IDENTICAL: %s on %s\n", display.Count(len(reports[0].Episodes), "episode"), strings.Join(names, ", "))
	return nil
}

// parityTable prints a row for each episode and subject. It returns the number of
// episodes in which the subjects differ.
func parityTable(o run.Options, names []string, reports []*report.Report) (differ int) {
	w := tabwriter.NewWriter(o.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nEPISODE\tSUBJECT\tSTATUS\tSTEPS\tCALLS\tVERDICT\tFAILING")
	for i := range reports[0].Episodes {
		first, same := outcome(&reports[0].Episodes[i]), true
		for n, r := range reports {
			got, mark := outcome(&r.Episodes[i]), ""
			if got != first {
				same, mark = false, "\tdiffers"
			}
			fmt.Fprintf(w, "%s\t%s\t%s%s\n", r.Episodes[i].Name, display.Visible(names[n]), got, mark)
		}
		if !same {
			differ++
		}
	}
	w.Flush()
	return differ
}

// outcome is what must be the same on every subject, as cells of a table.
func outcome(e *report.Episode) string {
	verdict := "none"
	switch {
	case e.Success:
		verdict = "pass"
	case e.Explanation != nil:
		verdict = string(e.Explanation.Verdict)
	}
	failing := "-"
	if e.FailedContract != nil {
		failing = e.FailedContract.Kind + " " + e.FailedContract.Path
	}
	return fmt.Sprintf("%s\t%d\t%d\t%s\t%s", e.Status, e.Steps, e.ToolCalls, verdict, display.Visible(failing))
}
