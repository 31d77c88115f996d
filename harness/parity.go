package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/openchrome/bench/harness/report"
)

// DefaultSubjects are what bench:parity compares unless told otherwise.
const DefaultSubjects = "standin,local,container"

// Parity runs the tasks on several subjects (a list separated by commas;
// [DefaultSubjects] when empty) and prints what each made of each episode:
// status, steps, tool calls, verdict and failing assertion. The error is nil
// when the subjects agree; [ExitDifference] when they do not, whatever the
// statuses are. A subject that does not work here is an error: parity of fewer
// than was asked for says nothing.
func Parity(ctx context.Context, o Options, subjects string) error {
	o.OpenChrome = "auto" // each run has its own
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	names := strings.Split(cmp.Or(subjects, DefaultSubjects), ",")
	if len(names) < 2 {
		return usage(errors.New("bench:parity compares at least two subjects, such as -subjects=standin,local"))
	}
	var runs []Options
	for i, name := range names {
		one := o
		one.OpenChrome, one.RunID = strings.TrimSpace(name), o.RunID+"-"+fileName(name)
		if one.OpenChrome == "standin" {
			one.Package = "" // it is for the others
		}
		if slices.Contains(names[:i], name) {
			return usage(fmt.Errorf("bench:parity: %s is named twice", name))
		}
		if err := one.works(ctx); err != nil {
			return usage(fmt.Errorf("bench:parity: %s: %w", name, err))
		}
		runs = append(runs, one)
	}
	var reports []*report.Report
	for i, one := range runs {
		name := names[i]
		fmt.Fprintln(o.Stdout, "==", report.Visible(name))
		r, err := runEpisodes(ctx, one)
		if err != nil {
			return err
		}
		if r.Totals.Finished < r.Totals.Planned {
			return verdictError(r.Totals)
		}
		reports = append(reports, r)
	}
	differ := parityTable(o, names, reports)
	if differ > 0 {
		return &ExitError{ExitDifference, fmt.Errorf("DIFFERENT: %s of %d", count(differ, "episode"), len(reports[0].Episodes))}
	}
	fmt.Fprintf(o.Stdout, "IDENTICAL: %s on %s\n", count(len(reports[0].Episodes), "episode"), strings.Join(names, ", "))
	return nil
}

// parityTable prints a row for each episode and subject and returns in how many
// episodes the subjects differ.
func parityTable(o Options, names []string, reports []*report.Report) (differ int) {
	w := tabwriter.NewWriter(o.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nEPISODE\tSUBJECT\tSTATUS\tSTEPS\tCALLS\tVERDICT\tFAILING\t")
	for i := range reports[0].Episodes {
		first := outcome(&reports[0].Episodes[i])
		mark := ""
		for n, r := range reports {
			got := outcome(&r.Episodes[i])
			if got != first {
				mark = "differs"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", r.Episodes[i].Name, report.Visible(names[n]), got, mark)
		}
		if mark != "" {
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
	return fmt.Sprintf("%s\t%d\t%d\t%s\t%s", e.Status, e.Steps, e.ToolCalls, verdict, report.Visible(failing))
}

// fileName makes a subject's name a part of a run id.
func fileName(subject string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("._-", r)) {
			return r
		}
		return '-'
	}, strings.TrimSpace(subject))
}
