package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
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
// statuses are. A subject that does not work here is an error, and so is one with a
// void episode: parity of fewer than was asked for says nothing. The subjects' run
// ids are the run's with -1, -2 and so on.
func Parity(ctx context.Context, o Options, subjects string) error {
	o.OpenChrome = "auto" // each run has its own
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	ctx, stop := interruptible(ctx, false)
	defer stop()
	names := strings.Split(cmp.Or(subjects, DefaultSubjects), ",")
	if len(names) < 2 {
		return usage(errors.New("bench:parity compares at least two subjects, such as -subjects=standin,local"))
	}
	var runs []Options
	var missing []error
	for i, name := range names {
		one := o
		one.OpenChrome = strings.TrimSpace(name)
		names[i] = shownSubject(one.OpenChrome)
		one.RunID = fmt.Sprintf("%s-%d", o.RunID, i+1)
		if err := checkRunID(one.RunID); err != nil {
			return usage(fmt.Errorf("bench:parity: %w", err))
		}
		if one.OpenChrome == "standin" {
			one.Package = "" // it is for the others
		}
		if slices.ContainsFunc(runs, func(other Options) bool { return other.OpenChrome == one.OpenChrome }) {
			return usage(fmt.Errorf("bench:parity: %s is named twice", names[i]))
		}
		if err := one.works(ctx); err != nil {
			missing = append(missing, fmt.Errorf("bench:parity: %s: %w", names[i], err))
		}
		runs = append(runs, one)
	}
	if len(missing) > 0 {
		return usage(errors.Join(missing...))
	}
	var reports []*report.Report
	for i, one := range runs {
		fmt.Fprintln(o.Stdout, "==", report.Visible(names[i]))
		r, err := runEpisodes(ctx, one)
		if err != nil {
			return err
		}
		if !r.Totals.Complete() || r.Totals.Void > 0 {
			return verdictError(r.Totals) // what cannot be said of one cannot be compared
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
	fmt.Fprintln(w, "\nEPISODE\tSUBJECT\tSTATUS\tSTEPS\tCALLS\tVERDICT\tFAILING")
	for i := range reports[0].Episodes {
		first, same := outcome(&reports[0].Episodes[i]), true
		for n, r := range reports {
			got, mark := outcome(&r.Episodes[i]), ""
			if got != first {
				same, mark = false, "\tdiffers"
			}
			fmt.Fprintf(w, "%s\t%s\t%s%s\n", r.Episodes[i].Name, report.Visible(names[n]), got, mark)
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
	return fmt.Sprintf("%s\t%d\t%d\t%s\t%s", e.Status, e.Steps, e.ToolCalls, verdict, report.Visible(failing))
}

// shownSubject is a subject without what of an address may be secret.
func shownSubject(subject string) string {
	u, err := url.Parse(subject)
	if err != nil || !isAddress(subject) {
		return subject
	}
	return u.Scheme + "://" + u.Host + u.Path
}
