package compare

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/internal/program"
	"github.com/openchrome/bench/harness/internal/run"
	"github.com/openchrome/bench/harness/internal/subject"
	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/harness/report"
)

// DefaultSubjects are the subjects that bench:parity compares by default.
const DefaultSubjects = "standin,local,container"

// ParityOptions are the options of the runs, and the subjects to compare.
type ParityOptions struct {
	run.Options        // OpenChrome is not used; Package applies to each OpenChrome in Subjects without a package
	Subjects    string // separated by commas; empty: DefaultSubjects
}

// Parity runs the tasks on several subjects, which take turns. It prints a table of the
// episodes and a table of the costs of each subject. The error is nil if the subjects
// agree, whatever the statuses are, and [program.ExitDifference] if they differ. A subject
// that does not work here is an error, and so is a void episode. The runs of the subjects
// have the run's id with -1, -2 and so on.
func Parity(ctx context.Context, asks ParityOptions) error {
	asks.OpenChrome = "auto" // a placeholder, because each run below sets its own value
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
	asked := slices.Clone(names)
	for i, name := range asked {
		one := o
		one.OpenChrome, one.Package = strings.TrimSpace(name), ""
		names[i] = label(asked, i)
		one.Options = one.Options.WithDefaults() // splits NAME:PACKAGE
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
	all, err := together(ctx, o, runs, names, standin)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(o.Stdout, 0, 0, 2, ' ', 0)
	differ := episodeTable(w, all)
	subjectTable(w, all)
	w.Flush()
	fmt.Fprintf(o.Stdout, "\nPath %s. Calls and tokens are means per episode. Tokens are counted with o200k_base. A server can save tokens by\nleaving out words of the page, so compare the tokens of answers together with the words held. Most of the time\nof a call is a fixed wait inside the server.\n", o.Path)
	if differ > 0 {
		return &program.ExitError{Code: program.ExitDifference, Err: fmt.Errorf("DIFFERENT: %s of %d", display.Count(differ, "episode"), len(all[0].report.Episodes))}
	}
	fmt.Fprintf(o.Stdout, "IDENTICAL: %s on %s\n", display.Count(len(all[0].report.Episodes), "episode"), strings.Join(names, ", "))
	return nil
}

// label is the name under which a subject is shown. It includes the package only if another
// subject differs in nothing else.
func label(asked []string, i int) string {
	name := subject.Options{OpenChrome: strings.TrimSpace(asked[i])}
	short := name.WithDefaults().Shown()
	for j, other := range asked {
		if j != i && (subject.Options{OpenChrome: strings.TrimSpace(other)}).WithDefaults().Shown() == short {
			return name.Shown()
		}
	}
	return short
}

// together runs the episodes of all runs in turns.
func together(ctx context.Context, o run.Options, runs []run.Options, names []string, standin bool) ([]*contestant, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	turns := run.NewTurns(len(runs))
	var all []*contestant
	var group sync.WaitGroup
	out := &prefixed{to: o.Stdout, width: widest(names)}
	for i, one := range runs {
		c := &contestant{name: names[i], server: one.Server().Name}
		all = append(all, c)
		one.NoScripts = standin // all subjects run the same tasks
		one.Turn, one.Ready = turns.Of(i), c.ready
		one.Stdout = out.as(names[i])
		group.Go(func() {
			if c.report, c.err = run.Episodes(ctx, one); c.err == nil {
				c.costs, c.err = readCosts(one.EventsFile())
			}
			if c.err != nil || !c.report.Totals.Complete() {
				cancel(c.err) // the others would wait forever for its turns
			}
		})
	}
	group.Wait()
	if first := context.Cause(ctx); first != nil && !errors.Is(first, context.Canceled) {
		return nil, first // the others only say that they were stopped
	}
	for _, c := range all {
		if c.err != nil {
			return nil, c.err
		}
		if !c.report.Totals.Complete() || c.report.Totals.Void > 0 {
			return nil, run.VerdictError(c.report.Totals) // an episode without a verdict cannot be compared
		}
	}
	return all, nil
}

// contestant is one subject and its run.
type contestant struct {
	name   string
	server string // the name in its row
	report *report.Report
	costs  map[string]*cost // by episode
	tools  int              // tokens of tools/list
	err    error
}

// ready counts the tokens of the tools that the first session lists.
func (c *contestant) ready(s openchrome.Session) {
	if c.tools > 0 {
		return
	}
	list, err := json.Marshal(s.Tools())
	if err == nil {
		c.tools = tokens(string(list))
	}
}

// episodeTable writes a row for each task, subject and outcome, with the number of its
// episodes. It returns the number of episodes in which the subjects differ.
func episodeTable(w io.Writer, all []*contestant) (differ int) {
	type row struct{ task, subject, outcome, mark string }
	var rows []row
	episodes, tokens := map[row]int{}, map[row]int{}
	for i := range all[0].report.Episodes {
		same := true
		for _, c := range all {
			e, first := &c.report.Episodes[i], &all[0].report.Episodes[i]
			r := row{task: e.TaskID, subject: c.name, outcome: outcome(e, true)}
			if outcome(e, all[0].server == c.server) != outcome(first, all[0].server == c.server) {
				same, r.mark = false, "\tdiffers"
			}
			if episodes[r] == 0 {
				rows = append(rows, r)
			}
			episodes[r]++
			tokens[r] += c.costs[e.Name].tokens
		}
		if !same {
			differ++
		}
	}
	fmt.Fprintln(w, "\nTASK\tSUBJECT\tEPISODES\tSTATUS\tSTEPS\tCALLS\tVERDICT\tFAILING\tTOKENS")
	for _, r := range rows {
		n := episodes[r]
		fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%.0f%s\n", r.task, display.Visible(r.subject), n, r.outcome, float64(tokens[r])/float64(n), r.mark)
	}
	return differ
}

// outcome returns the values that must be equal on every subject, as cells of a table. If
// steps is set, it includes the steps and calls, which may differ between different
// servers.
func outcome(e *report.Episode, steps bool) string {
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
	} else if strings.HasPrefix(e.Reason, "unsupported: ") {
		failing = e.Reason
	}
	taken := "\t"
	if steps {
		taken = fmt.Sprintf("%d\t%d", e.Steps, e.ToolCalls)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s", e.Status, taken, verdict, display.Visible(failing))
}
