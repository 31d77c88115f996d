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
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/normal"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Merge joins the logs of runs into the log of a new run, and writes its report. The runs
// must have the same plan and the same server. Each planned episode must be done in exactly
// one of them. Otherwise the error has [program.ExitRefused]. A joined run gives the error of
// [run.VerdictError].
func Merge(ctx context.Context, o option.Values) error {
	return program.Interrupted(ctx, func(ctx context.Context) error { return merge(ctx, o) })
}

func merge(ctx context.Context, o option.Values) error {
	o = o.WithDefaults()
	var err error
	if o.Format, err = format.Parse(o.Format); err != nil {
		return program.Usage(err)
	}
	if o.Join == "" || o.RunID == "" {
		return program.Usage(errors.New("-runs, -run: give the runs to join and a new name, such as -runs=A,B -run=NEW; a run is its name, a folder or an event log"))
	}
	if err := record.CheckRunID(o.RunID); err != nil {
		return program.Usage(fmt.Errorf("-run: %w", err))
	}
	parts, err := readParts(ctx, o)
	if err != nil {
		return program.Usage(fmt.Errorf("-runs: %w", err))
	}
	if problems := fit(parts); problems != nil {
		return Refused(errors.New(strings.Join(problems, "\n")))
	}
	for _, p := range parts[1:] {
		if words, _ := parts[0].Start.Harness.Differs(p.Start.Harness); words != "" {
			fmt.Fprintf(o.Stderr, "warning: %s and %s: %s\n", parts[0], p, display.Visible(words))
		}
	}
	if err := write(ctx, o, parts); err != nil {
		return err
	}
	r, err := report.FromFile(ctx, eventsFile(o.Out, o.RunID))
	if err != nil {
		return err
	}
	r.Out = o.Out
	if err := errors.Join(format.Write(o.Out, r), format.WriteAsked(o.Stdout, o.Out, o.Format, r)); err != nil {
		return err
	}
	var f page.Facts
	for _, line := range r.History {
		f.Add("history", line)
	}
	f.Add("digest", r.Digest)
	f.Add("report", filepath.Join(o.Out, report.ReportsDir, r.RunID+".md"), " (and .html, for a browser)")
	program.Print(o.Stdout, f)
	if err := run.VerdictError(r); err != nil {
		return err
	}
	fmt.Fprintln(o.Stdout, r.Totals.Verdict())
	return nil
}

type part struct {
	file string
	record.Ledger
}

func (p *part) String() string {
	name := display.Visible(p.Start.RunID)
	if p.Start.Shard != "" {
		name += " (shard " + p.Start.Shard + ")"
	}
	return name
}

func (p *part) pages() string { return filepath.Join(filepath.Dir(p.file), p.Start.RunID) }

// readParts reads the logs of the runs, sorted by their shards.
func readParts(ctx context.Context, o option.Values) ([]*part, error) {
	var parts []*part
	for name := range strings.SplitSeq(o.Join, ",") {
		files, err := findLogs(o.Out, strings.TrimSpace(name))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			p := &part{file: file}
			if _, err := eventlog.ReadFile(ctx, file, p.Add); err != nil {
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
		return nil, unknownRun(out, name, "event log")
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
	server := first
	for _, p := range parts[1:] {
		differ := slices.Concat(option.Differ(first.Start, p.Start, option.Merges, "%s and %s"), first.Start.Differences(p.Start))
		if differ != nil {
			add("%s and %s have different plans:\n  %s", first, p, display.Visible(strings.Join(differ, "; ")))
		}
		if len(server.Servers) == 0 {
			server = p
		}
		if i := slices.IndexFunc(p.Servers, func(s record.Server) bool { return !slices.Contains(server.Servers, s) }); i >= 0 {
			differ := compare.DiffJSON(normal.Encode(&server.Servers[0]), normal.Encode(&p.Servers[i]))
			add("%s and %s drove different servers: %s", server, p, differ)
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
			fmt.Fprintf(&b, "\n  %s is not whole; run its command again with -resume=%s", p, cmp.Or(p.Start.Parity.Run, p.Start.RunID))
		}
	}
	return b.String()
}
