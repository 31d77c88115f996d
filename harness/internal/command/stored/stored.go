package stored

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Compare compares two stored runs, prints the comparison and writes it as Markdown. The error has
// [program.ExitRefused] if the runs, or a rule of the gate, cannot be compared, and [program.ExitGate] if a rule is
// breached.
func Compare(ctx context.Context, o option.Values) error {
	return program.Interrupted(ctx, func(ctx context.Context) error { return compareRuns(ctx, o) })
}

func compareRuns(ctx context.Context, o option.Values) error {
	o = o.WithDefaults()
	gate, err := compare.ParseGate(o.Gate)
	if err != nil {
		return program.Usage(err)
	}
	if o.Base == "" || o.Head == "" {
		return program.Usage(errors.New("-base, -head: give two runs, such as -base=RUN -head=RUN; a run is its id, " +
			"a folder or a file"))
	}
	base, baseName, err := readRun(ctx, o.Out, o.Base)
	if err != nil {
		return program.Usage(fmt.Errorf("-base: %w", err))
	}
	head, headName, err := readRun(ctx, o.Out, o.Head)
	if err != nil {
		return program.Usage(fmt.Errorf("-head: %w", err))
	}
	c, err := compare.Compare(base, head, compare.Options{Base: baseName, Head: headName})
	if err != nil {
		return Refused(err)
	}
	asked, err := format.Parse("")
	if err != nil {
		return err
	}
	defer format.HoldCommands(o.Stdout, asked)()
	result, err := Tell(o.Out, o.Stdout, c, gate)
	if err != nil {
		return err
	}
	return Unfinished(c.Unfinished, Gated(o.Stdout, result))
}

func Refused(err error) error {
	return &program.ExitError{Code: program.ExitRefused, Err: fmt.Errorf("REFUSED: %w", err)}
}

func readRun(ctx context.Context, out, run string) (*report.Report, string, error) {
	reports := filepath.Join(out, report.ReportsDir, run)
	for _, name := range []string{eventsFile(out, run), reports + format.RecordExt} {
		if isFile(name) {
			return readFile(ctx, name)
		}
	}
	info, err := os.Stat(run)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", unknownRun(out, run, "file")
	case err != nil:
		return nil, "", err
	case !info.IsDir():
		return readFile(ctx, run)
	}
	if ids := newest(run, 1); len(ids) > 0 {
		return readFile(ctx, eventsFile(run, ids[0]))
	}
	return nil, "", fmt.Errorf("the folder %s has no run: there is no %s/*.jsonl in it; a record is named by "+
		"its file, such as %s/RUN%s", display.Quote(run), report.EventsDir, report.ReportsDir, format.RecordExt)
}

// NotPassed returns the ids of the tasks that did not pass in the run Failed, separated by commas.
func NotPassed(ctx context.Context, o option.Values) (string, error) {
	if o.Task != "" || o.Suite != "" {
		return "", program.Usage(errors.New("-failed: it chooses the tasks already; leave out -task and -suite"))
	}
	r, name, err := readRun(ctx, o.WithDefaults().Out, o.Failed)
	if err != nil {
		return "", program.Usage(fmt.Errorf("-failed: %w", err))
	}
	var ids []string
	for _, e := range r.Episodes.All() {
		if id := cmp.Or(e.Of, e.TaskID); e.Status.Class() != record.Pass && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if ids == nil {
		return "", program.Usage(fmt.Errorf("-failed: every episode of %s passed, so there is nothing to run",
			display.Visible(name)))
	}
	return strings.Join(ids, ","), nil
}

// unknownRun is the error for a name that is no run, folder or file.
func unknownRun(out, name, file string) error {
	return fmt.Errorf("there is no run, folder or %s %s; the newest runs in %s: %s", file, display.Quote(name),
		display.Visible(filepath.Join(out, report.EventsDir)), cmp.Or(strings.Join(newest(out, 5), ", "), "none"))
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// readFile reads an event log or a record.
func readFile(ctx context.Context, name string) (r *report.Report, as string, err error) {
	switch {
	case strings.HasSuffix(name, format.RecordExt):
		r, err = format.ReadRecord(name)
	case strings.HasSuffix(name, ".json"):
		err = fmt.Errorf("%s is a report, which programs read; name the record of its run, RUN%s, or its event log",
			display.Visible(name), format.RecordExt)
	default:
		r, err = report.FromFile(ctx, name)
	}
	if err != nil {
		return nil, "", err
	}
	return r, r.RunID, nil
}
