// Package stored works on runs that are stored: it shows them, compares two of them, joins the
// shards of one, and judges again from their logged facts. It runs no task.
package stored

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func eventsFile(out, run string) string { return filepath.Join(out, report.EventsDir, run+".jsonl") }

// Show rebuilds the report of a run from its event log, writes it and prints it. With Episode it writes nothing
// and prints that episode. If it cannot write, it still prints the report and returns the error. With Judge it
// also judges every episode again. If a verdict differs, the error is a [*program.ExitError] of
// [program.ExitDifference].
func Show(ctx context.Context, o option.Values) error {
	return program.Interrupted(ctx, func(ctx context.Context) error { return showRun(ctx, o) })
}

func showRun(ctx context.Context, o option.Values) error {
	o = o.WithDefaults()
	var err error
	if o.Format, err = format.Parse(o.Format); err != nil {
		return program.Usage(err)
	}
	if o.Judge && o.Episode != "" {
		return program.Usage(errors.New("-judge: it judges all episodes; leave out -judge or -episode"))
	}
	if o.RunID == "" {
		ids := newest(o.Out, 1)
		if len(ids) == 0 {
			return program.Usage(fmt.Errorf("-out: no runs in %s; run %s bench:mock, or name another folder with -out", filepath.Join(o.Out, report.EventsDir), display.Program))
		}
		o.RunID = ids[0]
	}
	r, err := report.FromFile(ctx, eventsFile(o.Out, o.RunID))
	if errors.Is(err, fs.ErrNotExist) {
		return program.Usage(fmt.Errorf("run %s: no event log %s; the newest here: %s", o.RunID, eventsFile(o.Out, o.RunID), strings.Join(newest(o.Out, 5), ", ")))
	}
	if err != nil {
		return err
	}
	if r.RunID != o.RunID {
		return fmt.Errorf("%s: it is the log of run %s; rename the file to match", eventsFile(o.Out, o.RunID), display.Visible(r.RunID))
	}
	if o.Episode != "" {
		return showEpisode(o, r)
	}
	r.Out = o.Out
	unwritten := format.Rebuild(o.Out, r)
	if unwritten == nil {
		unwritten = format.WriteAsked(o.Stdout, o.Out, o.Format, r)
	}
	if unwritten != nil {
		unwritten = fmt.Errorf("the report was shown, but not written: %w", unwritten)
	}
	defer format.HoldCommands(o.Stdout, o.Format)()
	program.Print(o.Stdout, page.Shown(r)...)
	if o.Judge {
		if err := judgeAgain(ctx, o); err != nil {
			if unwritten != nil {
				fmt.Fprintln(o.Stderr, "warning:", display.Visible(unwritten.Error()))
			}
			return err
		}
	}
	return unwritten
}

// newest returns the ids of at most n runs that have an event log, the newest log first.
func newest(out string, n int) []string {
	names, _ := filepath.Glob(filepath.Join(out, report.EventsDir, "*.jsonl"))
	var ids []string
	modified := map[string]time.Time{}
	for _, name := range names {
		id := strings.TrimSuffix(filepath.Base(name), ".jsonl")
		ids = append(ids, id)
		if info, err := os.Stat(name); err == nil {
			modified[id] = info.ModTime()
		}
	}
	slices.SortStableFunc(ids, func(a, b string) int { return modified[b].Compare(modified[a]) })
	return ids[:min(n, len(ids))]
}
