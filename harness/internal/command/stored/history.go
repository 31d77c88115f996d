package stored

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/history"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// History says how servers changed over time, of runs or of all runs below Out, and writes it as history.md,
// history.html and history.json. A gate judges the last two versions of each server.
func History(ctx context.Context, o option.Values) error {
	return program.Interrupted(ctx, func(ctx context.Context) error { return overTime(ctx, o) })
}

func overTime(ctx context.Context, o option.Values) error {
	o = o.WithDefaults()
	gate, err := compare.ParseGate(o.Gate)
	if err != nil {
		return program.Usage(err)
	}
	h, err := ReadHistory(ctx, o.Out, o.Join)
	if err != nil {
		return program.Usage(fmt.Errorf("-runs: %w", err))
	}
	asked, err := format.Parse("")
	if err != nil {
		return err
	}
	defer format.HoldCommands(o.Stdout, asked)()
	pages := map[string]string{}
	pageOf := func(run string) string {
		if _, ok := pages[run]; !ok {
			pages[run] = page.PageOf(run, o.Out)
		}
		return pages[run]
	}
	raw, err := json.MarshalIndent(h, "", "  ")
	if err == nil {
		err = regular.WriteFile(o.Out, filepath.Join(report.ReportsDir, "history.json"), append(raw, '\n'))
	}
	judged := judgeLast(gate, h)
	shown, written := page.History(h, compare.Result{}, pageOf), page.History(h, judged, pageOf)
	if err = errors.Join(err, TellAll(o.Out, o.Stdout, "history", "history", shown, written)); err != nil {
		return err
	}
	return Gated(o.Stdout, judged)
}

// judgeLast applies a gate to the last two versions of each server. What cannot be compared, or was left out, is not judged:
// it may be the newest version.
func judgeLast(gate compare.Gate, h *history.History) (all compare.Result) {
	if gate == nil {
		return all
	}
	add := func(one compare.Result) {
		all.Kept = append(all.Kept, one.Kept...)
		all.Breached = append(all.Breached, one.Breached...)
		all.Unknown = append(all.Unknown, one.Unknown...)
	}
	for _, l := range h.LeftOut {
		add(gate.NotJudged(display.Visible(l.Run) + " is left out: " + display.Visible(l.Reason)))
	}
	if h.Servers == nil {
		add(gate.NotJudged("no run fits"))
	}
	for _, s := range h.Servers {
		base, head, names, why := s.LastTwo()
		if why != "" {
			add(gate.NotJudged(display.Visible(s.Name + ": " + why)))
			continue
		}
		c, err := compare.Compare(base, head, compare.Options{Base: names[0], Head: names[1]})
		if err != nil {
			add(gate.NotJudged(display.Visible(s.Name + ": " + err.Error())))
			continue
		}
		one := gate.Judge(c)
		for _, list := range [][]compare.Breach{one.Breached, one.Unknown} {
			for i := range list {
				list[i].Figures = display.Visible(s.Name) + ": " + list[i].Figures
			}
		}
		add(one)
	}
	all.Kept = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(all.Kept))), func(rule string) bool {
		return all.Unknown != nil || slices.ContainsFunc(all.Breached, func(b compare.Breach) bool { return b.Rule == rule })
	})
	return all
}

// ReadHistory reads the history of runs: names, folders, event logs, reports or records, separated by commas. Of a
// folder it takes all runs, and what its changes.json says of commits. Without runs it takes the folder out. A run of a
// folder that cannot be read is left out, with the reason.
func ReadHistory(ctx context.Context, out, runs string) (*history.History, error) {
	var all []*report.Report
	var found []history.Found
	var left []history.LeftOut
	for name := range strings.SplitSeq(cmp.Or(runs, out), ",") {
		info, err := os.Stat(name)
		isFolder, files := err == nil && info.IsDir(), []string{name}
		if isFolder {
			files = runsOf(name)
		}
		for _, file := range files {
			r, as, err := readRun(ctx, out, file)
			if err == nil && !r.Kept {
				r, err = format.AsRecord(r)
			}
			switch {
			case err == nil:
				all = append(all, r)
			case !isFolder || ctx.Err() != nil:
				return nil, err
			default:
				left = append(left, history.LeftOut{Run: cmp.Or(as, filepath.Base(file)), Reason: err.Error()})
			}
		}
		if !isFolder {
			continue
		}
		file := filepath.Join(name, report.ReportsDir, "changes.json")
		if raw, err := regular.Read(file, 1<<20); err == nil {
			var some []history.Found
			if err := jsonv2.Unmarshal(raw, &some, jsonv2.RejectUnknownMembers(true)); err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			found = append(found, some...)
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	if len(all)+len(left) == 0 {
		return nil, fmt.Errorf("there is no run in %s", display.Visible(cmp.Or(runs, out)))
	}
	h, err := history.Of(all, found)
	if err == nil {
		h.LeftOut = append(h.LeftOut, left...)
	}
	return h, err
}

// runsOf are the runs of a folder: the records, and the logs that have none.
func runsOf(folder string) []string {
	in := func(dir, ext string) (files []string) {
		entries, _ := os.ReadDir(filepath.Join(folder, dir))
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ext) {
				files = append(files, filepath.Join(folder, dir, e.Name()))
			}
		}
		return files
	}
	files := in(report.ReportsDir, format.RecordExt)
	for _, log := range in(report.EventsDir, ".jsonl") {
		id := strings.TrimSuffix(filepath.Base(log), ".jsonl")
		if !slices.Contains(files, filepath.Join(folder, report.ReportsDir, id+format.RecordExt)) {
			files = append(files, log)
		}
	}
	return files
}
