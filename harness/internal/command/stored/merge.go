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
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// MergeOptions are the options of report:merge.
type MergeOptions struct {
	// Runs are separated by commas. Each is the id of a run in Out, an event log, or a folder,
	// which stands for all logs in its events/ and in the events/ of its folders.
	Runs   string
	Run    string // id of the new run
	Out    string // folder that holds reports/ and events/; empty: the current one
	Format string // more formats to write, see [run.Options]
	program.Streams
}

// Merge joins the logs of runs into the log of a new run, and writes its report. The runs
// must have the same plan and the same subject. Each planned episode must be done in exactly
// one of them. Otherwise the error has [program.ExitRefused]. A joined run gives the error of
// [run.VerdictError].
func Merge(ctx context.Context, o MergeOptions) error {
	return program.Interrupted(ctx, func(ctx context.Context) error { return merge(ctx, o) })
}

func merge(ctx context.Context, o MergeOptions) error {
	o.Out, o.Streams = cmp.Or(o.Out, "."), o.Streams.WithDefaults()
	var err error
	if o.Format, err = format.Parse(o.Format); err != nil {
		return program.Usage(fmt.Errorf("options: %w", err))
	}
	if o.Runs == "" || o.Run == "" {
		return program.Usage(errors.New("report:merge needs runs and a name, such as -runs=A,B -run=NEW; a run is its name, a folder or an event log"))
	}
	if err := record.CheckRunID(o.Run); err != nil {
		return program.Usage(fmt.Errorf("options: %w", err))
	}
	parts, err := readParts(ctx, o)
	if err != nil {
		return program.Usage(fmt.Errorf("-runs: %w", err))
	}
	if problems := fit(parts); problems != nil {
		return Refused(errors.New(strings.Join(problems, "\n")))
	}
	if err := write(ctx, o, parts); err != nil {
		return err
	}
	r, err := report.FromFile(ctx, eventsFile(o.Out, o.Run))
	if err != nil {
		return err
	}
	if err := errors.Join(format.Write(o.Out, r), format.WriteAsked(o.Stdout, o.Out, o.Format, r)); err != nil {
		return err
	}
	for _, line := range r.History {
		fmt.Fprintf(o.Stdout, "history  %s\n", display.Visible(line))
	}
	fmt.Fprintf(o.Stdout, "digest   %s\nreport   %s (and .html, for a browser)\n", r.Digest, display.Visible(filepath.Join(o.Out, report.ReportsDir, r.RunID+".md")))
	if err := run.VerdictError(r); err != nil {
		return err
	}
	fmt.Fprintln(o.Stdout, r.Totals.Verdict())
	return nil
}

// part is a run that is joined.
type part struct {
	file string
	record.Ledger
}

// String names the part in a message.
func (p *part) String() string {
	name := display.Visible(p.Start.RunID)
	if p.Start.Shard != "" {
		name += " (shard " + p.Start.Shard + ")"
	}
	return name
}

// pages is the folder with the pages that the part kept.
func (p *part) pages() string { return filepath.Join(filepath.Dir(p.file), p.Start.RunID) }

// readParts reads the logs of the runs, sorted by their shards.
func readParts(ctx context.Context, o MergeOptions) ([]*part, error) {
	var parts []*part
	for name := range strings.SplitSeq(o.Runs, ",") {
		files, err := findLogs(o.Out, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			p := &part{file: file}
			if _, err := record.ReadFile(ctx, file, p.Add); err != nil {
				return nil, err
			}
			if p.Start == nil || p.Start.Plan == nil {
				return nil, fmt.Errorf("%s: the log has no complete plan", display.Visible(file))
			}
			parts = append(parts, p)
		}
	}
	slices.SortStableFunc(parts, func(a, b *part) int {
		x, _ := record.ParseShard(a.Start.Shard)
		y, _ := record.ParseShard(b.Start.Shard)
		return cmp.Or(cmp.Compare(x.I, y.I), strings.Compare(a.Start.RunID, b.Start.RunID))
	})
	return parts, nil
}

// findLogs returns the logs that a name stands for.
func findLogs(out, name string) ([]string, error) {
	if file := eventsFile(out, name); isFile(file) {
		return []string{file}, nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no run, folder or event log %s; the newest runs in %s: %s", display.Quote(name),
			display.Visible(filepath.Join(out, report.EventsDir)), cmp.Or(strings.Join(newest(out, 5), ", "), "none"))
	case err != nil:
		return nil, err
	case !info.IsDir():
		return []string{name}, nil
	}
	var files []string
	for _, below := range []string{".", "*"} {
		found, _ := filepath.Glob(filepath.Join(name, below, report.EventsDir, "*.jsonl")) // no bad pattern, except in name
		files = append(files, found...)
	}
	if files == nil {
		return nil, fmt.Errorf("the folder %s has no event log: there is no %s/*.jsonl in it", display.Quote(name), report.EventsDir)
	}
	return files, nil
}

// fit says why parts cannot be joined: nil if they can.
func fit(parts []*part) (problems []string) {
	add := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	first := parts[0]
	subject := first
	for _, p := range parts[1:] {
		if differ := first.Start.Differences(p.Start); differ != nil {
			add("%s and %s have different plans:\n  %s", first, p, display.Visible(strings.Join(differ, "; ")))
		}
		if len(subject.Subjects) == 0 {
			subject = p
		}
		if i := slices.IndexFunc(p.Subjects, func(s record.Subject) bool { return !slices.Contains(subject.Subjects, s) }); i >= 0 {
			add("%s and %s drove different subjects: %s", subject, p, differ(&subject.Subjects[0], &p.Subjects[i]))
		}
	}
	if problems != nil { // the rest would only say that everything is missing
		return problems
	}
	holders := map[string][]*part{} // of the episodes that are done
	for _, p := range parts {
		p.EachDone(func(name string) { holders[name] = append(holders[name], p) })
	}
	doubled := map[string]*record.Names{} // by the names of the two parts
	var missing record.Names
	wholePlan(first).Each(func(t record.Planned, repetition int) bool {
		in := holders[record.EpisodeName(t.ID, repetition)]
		if len(in) == 0 {
			missing.Add(t.ID, repetition)
			return true
		}
		for _, p := range in[1:] {
			key := fmt.Sprintf("in %s and in %s", in[0], p)
			if doubled[key] == nil {
				doubled[key] = new(record.Names)
			}
			doubled[key].Add(t.ID, repetition)
		}
		return true
	})
	for key, names := range doubled {
		add("episodes are %s: %s; leave one of the two out", key, report.Named(names.List()))
	}
	slices.Sort(problems)
	if names := missing.List(); names != nil {
		add("episodes are missing: %s%s", report.Named(names), whereMissing(parts))
	}
	return problems
}

// differ names the parts of two subjects that differ.
func differ(a, b *record.Subject) string {
	d := report.DiffJSON(marshal(a), marshal(b))
	if d == nil {
		return "one of them drove both"
	}
	return d.String()
}

func marshal(s *record.Subject) []byte {
	raw, err := record.Marshal(s)
	if err != nil {
		panic(err)
	}
	return raw
}

// wholePlan is the plan of the part without its shard.
func wholePlan(p *part) *record.RunStart {
	start := *p.Start
	start.Shard, start.Episodes = "", len(start.Plan)*start.Options.Repetitions
	return &start
}

// whereMissing says which shards are missing, and which runs are not whole.
func whereMissing(parts []*part) string {
	var b strings.Builder
	n := 0
	here := map[int]bool{}
	for _, p := range parts {
		shard, _ := record.ParseShard(p.Start.Shard)
		n, here[shard.I] = max(n, shard.N), true
	}
	for i := 1; i <= n; i++ {
		if !here[i] {
			fmt.Fprintf(&b, "\n  shard %d/%d is missing", i, n)
		}
	}
	for _, p := range parts {
		if !p.Whole() {
			fmt.Fprintf(&b, "\n  %s is not whole; run its command again with -resume=%s", p, p.Start.RunID)
		}
	}
	return b.String()
}

// write writes the log of the new run, and copies the pages that the parts kept.
func write(ctx context.Context, o MergeOptions, parts []*part) (err error) {
	name, pages := eventsFile(o.Out, o.Run), filepath.Join(o.Out, report.EventsDir, o.Run)
	for _, p := range parts {
		if filepath.Clean(p.pages()) == pages {
			return program.Usage(fmt.Errorf("%s has its pages in %s; choose another name with -run", p, display.Visible(pages)))
		}
	}
	remove := func() { removePages(filepath.Dir(name), o.Run); os.Remove(name) }
	if isUnfinished(ctx, name) {
		remove()
	}
	if _, err := os.Lstat(pages); err == nil {
		return program.Usage(fmt.Errorf("%s already exists; choose another name with -run", display.Visible(pages)))
	}
	log, err := record.Create(name, parts[0].Start.Options.SeedKey != "")
	if errors.Is(err, fs.ErrExist) {
		return program.Usage(fmt.Errorf("run %s already exists, in %s; choose another name with -run", o.Run, display.Visible(name)))
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
	start.RunID, start.Merged = o.Run, nil
	for _, p := range parts {
		start.Merged = append(start.Merged, p.String())
	}
	w := writer{MergeOptions: o, log: log, attempts: map[string]int{}, resets: map[string]*record.Reset{}}
	if err := log.Append(record.Event{TS: time.Now().UTC(), Body: start}); err != nil {
		return err
	}
	done := 0
	for _, p := range parts {
		w.from = p
		if _, err := record.ReadFile(ctx, p.file, w.add); err != nil {
			return err
		}
		done += p.Stopped()
	}
	return log.Append(record.Event{TS: time.Now().UTC(), Body: &record.RunEnd{Finished: done}})
}

// removePages removes the pages of a run, and nothing else that may be in their folders. What
// cannot be removed stays.
func removePages(logs, runID string) {
	pages, err := report.OpenPages(logs, runID)
	if err != nil {
		return
	}
	defer pages.Close()
	entries, _ := fs.ReadDir(pages.FS(), ".")
	for _, e := range entries {
		if e.IsDir() {
			pages.Remove(filepath.Join(e.Name(), report.PageFile))
			pages.Remove(filepath.Join(e.Name(), report.ShotFile))
			pages.Remove(e.Name()) // fails if it holds something else
		}
	}
	os.Remove(filepath.Join(logs, runID))
}

// isUnfinished reports whether a log is what a killed report:merge left.
func isUnfinished(ctx context.Context, name string) bool {
	var l record.Ledger
	log, err := record.Open(ctx, name, l.Add)
	if err != nil { // there is none, another process is writing it, or it is something else
		return false
	}
	log.Close()
	return l.Start == nil || l.Start.Merged != nil && l.End == nil
}

// writer writes the events of the parts to the new log.
type writer struct {
	MergeOptions
	log      *record.Log
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

// makePagesDir makes the folder for the pages of a run. Only the user may read the pages of a
// private draw.
func makePagesDir(dir string, private bool) error {
	if private {
		return os.MkdirAll(dir, 0o700)
	}
	return os.MkdirAll(dir, 0o755)
}

// page copies the page of an episode, and returns its new folder, or why there is none.
func (w *writer) page(old string, reset *record.Reset) (page, missing string) {
	page = record.Page(w.Run, reset.Task.ID, reset.Repetition, max(reset.Attempt, 1))
	from, err := report.OpenPage(filepath.Dir(w.from.file), old)
	if err == nil {
		err = CopyPage(filepath.Join(w.Out, filepath.FromSlash(page)), from, w.from.Start.Options.SeedKey != "")
		from.Close()
	}
	if err != nil {
		return "", fmt.Sprintf("the page could not be copied when the runs were joined: %v", err)
	}
	return page, ""
}

// CopyPage copies the files of a page to a new folder.
func CopyPage(to string, from *os.Root, private bool) error {
	err := makePagesDir(filepath.Dir(to), private)
	if err == nil {
		err = os.Mkdir(to, 0o755)
	}
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		max  int
	}{{report.PageFile, report.MaxPage}, {report.ShotFile, report.MaxShot}} {
		data, err := regular.ReadIn(from, file.name, file.max)
		if errors.Is(err, fs.ErrNotExist) && file.name == report.ShotFile {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, file.name), data, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
