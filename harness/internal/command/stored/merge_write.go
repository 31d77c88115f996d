package stored

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

func write(ctx context.Context, o option.Values, parts []*part) (err error) {
	name, pages := eventsFile(o.Out, o.RunID), filepath.Join(o.Out, report.EventsDir, o.RunID)
	for _, p := range parts {
		if filepath.Clean(p.pages()) == pages {
			return program.Usage(fmt.Errorf("%s has its pages in %s; choose another name with -run", p, display.Visible(pages)))
		}
	}
	remove := func() { removePages(filepath.Dir(name), o.RunID); os.Remove(name) }
	if isUnfinished(ctx, name) {
		remove()
	}
	if _, err := os.Lstat(pages); err == nil {
		return program.Usage(fmt.Errorf("%s already exists; choose another name with -run", display.Visible(pages)))
	}
	log, err := eventlog.Create(name)
	if errors.Is(err, fs.ErrExist) {
		return program.Usage(fmt.Errorf("run %s already exists, in %s; choose another name with -run", o.RunID, display.Visible(name)))
	}
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, log.Close()); err != nil {
			remove()
		}
	}()
	start := wholePlan(parts[0])
	start.RunID, start.Merged = o.RunID, nil
	for _, p := range parts {
		start.Merged = append(start.Merged, p.String())
		if p.Start.Harness != start.Harness {
			start.Harness.Commit = record.Unknown
		}
	}
	w := writer{out: o.Out, run: o.RunID, log: log, attempts: map[string]int{}, resets: map[string]*record.Reset{}}
	if err := log.Append(record.Event{TS: time.Now().UTC(), Body: start}); err != nil {
		return err
	}
	for _, p := range parts {
		w.from = p
		if _, err := eventlog.ReadFile(ctx, p.file, w.add); err != nil {
			return err
		}
	}
	return log.Append(record.Event{TS: time.Now().UTC(), Body: &record.RunEnd{}})
}

// removePages removes the pages of a run, and nothing else that may be in their folders. What
// cannot be removed stays.
func removePages(logs, runID string) {
	pages, err := record.OpenPages(logs, runID)
	if err != nil {
		return
	}
	defer pages.Close()
	entries, _ := fs.ReadDir(pages.FS(), ".")
	for _, e := range entries {
		if e.IsDir() {
			record.RemovePage(pages, e.Name())
		}
	}
	os.Remove(filepath.Join(logs, runID))
}

// isUnfinished reports whether a log is what a killed report:merge left.
func isUnfinished(ctx context.Context, name string) bool {
	var l record.Ledger
	log, err := eventlog.Open(ctx, name, l.Add)
	if err != nil { // there is none, another process is writing it, or it is something else
		return false
	}
	log.Close()
	return l.Start == nil || l.Start.Merged != nil && l.End == nil
}

type writer struct {
	out, run string
	log      *eventlog.Log
	from     *part
	attempts map[string]int           // by episode
	resets   map[string]*record.Reset // of open episodes
}

// add writes one event. Attempts are numbered again, because an episode may have begun in
// one part and be done in another.
func (w *writer) add(e record.Event) error {
	switch b := e.Body.(type) {
	case *record.RunStart, *record.RunEnd:
		return nil
	case *record.Reset:
		w.attempts[e.Episode]++
		if b.Attempt = w.attempts[e.Episode]; b.Attempt == 1 {
			b.Attempt = 0
		}
		w.resets[e.Episode] = b
	case *record.Stop:
		if b.Page != "" {
			b.Page, b.PageMissing = w.page(b.Page, w.resets[e.Episode])
		}
		delete(w.resets, e.Episode)
	}
	return w.log.Append(e)
}

// page copies the page of an episode, and returns its new folder, or why there is none.
func (w *writer) page(old string, reset *record.Reset) (page, missing string) {
	page = record.Page(w.run, reset.Task.ID, reset.Repetition, max(reset.Attempt, 1))
	from, err := record.OpenPage(filepath.Dir(w.from.file), old)
	if err == nil {
		err = CopyPage(w.out, page, from)
		from.Close()
	}
	if err != nil {
		return "", fmt.Sprintf("the page could not be copied when the runs were joined: %v", err)
	}
	return page, ""
}

// CopyPage copies the files of a page to a new folder below out.
func CopyPage(out, page string, from *os.Root) error {
	pages, err := regular.MakeFolder(out, path.Dir(page))
	if err != nil {
		return err
	}
	defer pages.Close()
	to, err := regular.NewFolder(pages, path.Base(page))
	if err != nil {
		return err
	}
	defer to.Close()
	files, err := record.PageFiles(from.FS())
	if err == nil && files[record.PageFile] == 0 {
		err = fmt.Errorf("%s: %w", record.PageFile, fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) { // page.json first: what follows may be damaged
		data, err := regular.ReadIn(from, name, files[name])
		if err == nil {
			err = regular.Add(to, name, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
