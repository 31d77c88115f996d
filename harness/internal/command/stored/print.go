package stored

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/page"
)

// Tell prints a comparison, the finding first, and writes its files. The result is what became of the gate.
func Tell(out string, to io.Writer, c *compare.Comparison, gate compare.Gate) (compare.Result, error) {
	result := gate.Judge(c)
	name := format.ComparisonName(c)
	return result, TellAll(out, to, "comparison", name, page.Compared(c, compare.Result{}, ""), page.Compared(c, result, out))
}

// TellAll prints a document, and writes the one for files as Markdown and HTML to the reports of out. Kind says what
// the files are.
func TellAll(out string, to io.Writer, kind, name string, shown, written page.Document) error {
	program.Print(to, append([]page.Block{shown.Verdict}, shown.Blocks...)...)
	names, err := format.WriteDocument(out, name, written)
	var files page.Facts
	for _, name := range names {
		files.Add(kind, " ", name)
	}
	program.Print(to, page.Text{}, files)
	return err
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
