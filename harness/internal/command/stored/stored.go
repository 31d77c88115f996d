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
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/word"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Compare compares two stored runs, prints the comparison and writes it as Markdown. Of an agent
// and policies it only prints the rows. The
// error has [program.ExitRefused] if the runs, or a rule of the gate, cannot be compared,
// and [program.ExitGate] if a rule is breached.
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
		return program.Usage(errors.New("-base, -head: give two runs, such as -base=RUN -head=RUN; a run is its id, a folder or a file"))
	}
	base, baseName, err := readRun(ctx, o.Out, o.Base)
	if err != nil {
		return program.Usage(fmt.Errorf("-base: %w", err))
	}
	head, headName, err := readRun(ctx, o.Out, o.Head)
	if err != nil {
		return program.Usage(fmt.Errorf("-head: %w", err))
	}
	rows, err := compare.Beside(base, head, baseName, headName)
	switch {
	case err != nil:
		return Refused(err)
	case rows != nil && o.Gate != "":
		return program.Usage(errors.New("-gate: no rule can judge an agent beside policies, because a model decides the calls of the one and a script those of the other; leave it out"))
	case rows != nil:
		program.Print(o.Stdout, page.Beside(rows)...)
		return nil
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
	for _, name := range []string{eventsFile(out, run), filepath.Join(out, report.ReportsDir, run+".json")} {
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
	if latest := filepath.Join(run, report.ReportsDir, "latest.json"); isFile(latest) {
		return readFile(ctx, latest)
	}
	return nil, "", fmt.Errorf("the folder %s has no run: neither %s/*.jsonl nor %s/latest.json is in it", display.Quote(run), report.EventsDir, report.ReportsDir)
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
		return "", program.Usage(fmt.Errorf("-failed: every episode of %s passed, so there is nothing to run", display.Visible(name)))
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

func readFile(ctx context.Context, name string) (r *report.Report, as string, err error) {
	if strings.HasSuffix(name, ".jsonl") {
		r, err = report.FromFile(ctx, name)
	} else {
		r, err = report.Read(name)
		log := filepath.Join(filepath.Dir(name), "..", report.EventsDir, strings.TrimSuffix(filepath.Base(name), ".json")+".jsonl")
		if err == nil && r.Rules != word.Rules && isFile(log) { // the words of today's rules are in the log
			if folded, bad := report.FromFile(ctx, log); bad == nil && folded.RunID == r.RunID {
				r = folded
			}
			err = ctx.Err()
		}
	}
	if err != nil {
		return nil, "", err
	}
	base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".json"), ".canonical")
	return r, cmp.Or(r.RunID, base), nil
}
