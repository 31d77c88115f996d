package stored

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// What a terminal shows at most.
const (
	maxShownOutcomes = 10
	maxShownText     = 200 // characters of an answer
)

// PrintComparison prints a comparison for a terminal, the finding first.
func PrintComparison(out io.Writer, c *compare.Comparison) {
	if c.Unfinished != "" {
		fmt.Fprintf(out, "NOT FINISHED: %s\n", display.Visible(c.Unfinished))
	}
	fmt.Fprintf(out, "%s\n\n", c.Sentence)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "base\t%s\t%s\n", display.Visible(c.Base.Name), c.Base.Summary())
	fmt.Fprintf(w, "head\t%s\t%s\n", display.Visible(c.Head.Name), c.Head.Summary())
	w.Flush()
	if c.Policies != nil {
		for _, t := range c.Policies.Tables() {
			PrintTable(out, t.Header, t.Rows)
		}
		fmt.Fprintf(out, "\n%s\n", strings.Join(c.Policies.Lines(), "\n"))
	}
	header, rows, note := c.Table()
	var cells [][]string
	for _, row := range rows {
		cells = append(cells, row.Cells)
	}
	if c.Policies == nil {
		PrintTable(out, header, cells)
		if note != "" {
			fmt.Fprintln(out, note)
		}
		fmt.Fprintln(out, compare.Legend)
	}
	header, cells = c.ToolTable()
	PrintTable(out, header, cells)
	if header, cells = c.UntrueTable(); cells != nil {
		fmt.Fprintf(out, "\nFalse successes and unreported side effects:\n")
		PrintTable(out, header, cells)
	}
	printOutcomes(out, c)
	printAnswers(out, c)
	if remarks := c.Remarks(); len(remarks) > 0 {
		fmt.Fprintln(out)
		for _, r := range remarks {
			fmt.Fprintf(out, "note: %s\n", r)
		}
	}
}

func printBeside(out io.Writer, rows *compare.Rows) {
	fmt.Fprintln(out, "An agent beside policies: a model thinks for the agent, and a script for the policies, so nothing is compared.")
	for _, t := range rows.Tables {
		PrintTable(out, t.Header, t.Rows)
	}
	for _, note := range rows.Notes {
		fmt.Fprintf(out, "\nnote: %s\n", note)
	}
}

// PrintTable prints a table of texts for a terminal; nothing if it has no row.
func PrintTable(out io.Writer, header []string, rows [][]string) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	defer w.Flush()
	if len(rows) > 0 {
		fmt.Fprintf(w, "\n%s\n", strings.ToUpper(strings.Join(header, "\t")))
	}
	for _, row := range rows {
		shown := make([]string, len(row))
		for i, cell := range row {
			shown[i] = display.VisibleTo(cell, maxShownText)
		}
		fmt.Fprintln(w, strings.Join(shown, "\t"))
	}
}

func printOutcomes(out io.Writer, c *compare.Comparison) {
	list := c.Outcomes()
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(out, "\n%s with a different outcome:\n", display.Count(len(list), "pair"))
	for _, p := range list[:min(len(list), maxShownOutcomes)] {
		fmt.Fprintf(out, "  %s  %s in the base, %s in the head\n", display.Visible(p.Name), display.Visible(string(p.Base.Status)), display.Visible(string(p.Head.Status)))
		for _, e := range []*report.Episode{p.Base, p.Head} {
			if why := explain.Why(e); why != "" {
				fmt.Fprintf(out, "    %s\n", display.VisibleTo(why, maxShownText))
			}
		}
	}
	if more := len(list) - maxShownOutcomes; more > 0 {
		fmt.Fprintf(out, "  and %d more\n", more)
	}
}

func printAnswers(out io.Writer, c *compare.Comparison) {
	for _, t := range c.Tools {
		if t.Reworded == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%s: %d of %s reworded\n", display.Visible(t.Name), t.Reworded, display.Count(t.Compared, "answer"))
		for _, e := range t.Examples {
			fmt.Fprintf(out, "  %d× such as %s, step %d\n", e.Count, display.Visible(e.Episode), e.Base.Step)
			base, head := compare.Excerpts(e.Base.Answer, e.Head.Answer, maxShownText)
			if base == head {
				fmt.Fprintf(out, "    %s\n", compare.NoTexts)
				continue
			}
			fmt.Fprintf(out, "    base  %s\n    head  %s\n", display.Visible(base), display.Visible(head))
		}
	}
}

// Unfinished gives the error of a comparison the exit code of one that was stopped, if it was.
func Unfinished(words string, err error) error {
	if words == "" {
		return err
	}
	return &program.ExitError{Code: program.ExitInterrupted, Err: errors.Join(err, errors.New("NOT FINISHED: "+words))}
}

// Gated prints what became of a gate. A breach is an error, and so is a rule that could
// not be judged.
func Gated(out io.Writer, r compare.Result) error {
	var lines []string
	for _, b := range r.Breached {
		lines = append(lines, "BREACHED: "+b.String())
	}
	for _, b := range r.Unknown {
		lines = append(lines, "NOT JUDGED: "+b.String())
	}
	switch {
	case len(r.Breached) > 0:
		return &program.ExitError{Code: program.ExitGate, Err: errors.New(strings.Join(lines, "\n"))}
	case len(r.Unknown) > 0:
		return &program.ExitError{Code: program.ExitRefused, Err: errors.New(strings.Join(lines, "\n"))}
	case len(r.Kept) > 0:
		fmt.Fprintf(out, "KEPT: %s\n", strings.Join(r.Kept, ", "))
	}
	return nil
}
