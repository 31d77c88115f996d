package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/normal"
	"github.com/openchrome/bench/harness/internal/tell/word"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Fold makes a report of a log's events. The zero value is ready; Add takes the
// events in the order of the log. Fold keeps the results of finished episodes
// and the state of running ones, not the events.
type Fold struct {
	ledger    record.Ledger
	server    *server.Server             // whose log it is
	open      map[string]*episode        // by name: the last attempt has no stop
	done      Episodes                   // the last attempt has a stop; a row without an episode has another attempt
	void      map[string]int             // rows of done that can get another attempt, by name
	began     time.Time                  // the first event
	torn      int                        // bytes of an incomplete last line
	contracts map[string]*judge.Contract // by task, parsed once
	tasks     map[string]*Task
	listed    map[string]bool // the tools that the sessions listed
	texts     texts
}

// Add takes the next event. It fails on a log that no harness writes, such as one
// with an event of an episode that has not begun.
func (f *Fold) Add(e record.Event) (err error) {
	if err = f.ledger.Add(e); err != nil {
		return err
	}
	if f.began.IsZero() || e.TS.Before(f.began) { // a run that was joined began with the first of its parts
		f.began = e.TS
	}
	if start, ok := e.Body.(*record.RunStart); ok {
		f.server, err = server.Logged(start.Described, start.Description)
	}
	if err != nil || e.Episode == "" {
		return err
	}
	if reset, ok := e.Body.(*record.Reset); ok {
		f.begin(e.Episode, reset)
	}
	ep := f.open[e.Episode]
	if stop, ok := e.Body.(*record.Stop); ok {
		if stop.DurationMs < 0 || stop.DurationMs > maxDurationMs {
			return fmt.Errorf("stop of %q has a duration of %g ms", e.Episode, stop.DurationMs)
		}
		id := ep.result.TaskID
		if t := f.tasks[id]; t.Contract == nil {
			t.Contract, t.File = stop.Success, stop.TaskFile
			f.contracts[id], _ = judge.Parse(stop.Success) // nil: it is no contract
		}
		ep.explain(f.contracts[id])
		if stop.Status.Class() != record.Void {
			var asked []string
			for _, q := range stop.Requests {
				asked = append(asked, q.URL)
			}
			f.tasks[id].Hosts = record.HostsOf(f.tasks[id].Hosts, asked...)
		}
	}
	result, err := ep.add(e)
	if err != nil {
		return err
	}
	if result != nil {
		delete(f.open, e.Episode)
		if result.Status.Class() == record.Void {
			f.void[e.Episode] = f.done.Len()
		}
		f.done.Add(*result)
	}
	return nil
}

func (f *Fold) begin(name string, reset *record.Reset) {
	if f.open == nil {
		f.open, f.contracts = map[string]*episode{}, map[string]*judge.Contract{}
		f.tasks, f.void, f.listed = map[string]*Task{}, map[string]int{}, map[string]bool{}
	}
	if f.tasks[reset.Task.ID] == nil {
		f.tasks[reset.Task.ID] = &Task{Task: reset.Task}
	}
	for _, tool := range reset.Tools {
		f.listed[tool] = true
	}
	ep := newEpisode(name, f.ledger.Start.RunID, reset, f.server, &f.texts)
	if earlier := f.open[name]; earlier != nil { // it was cut off
		ep.follow(&earlier.result)
	} else if i, ok := f.void[name]; ok {
		ep.follow(f.done.At(i))
		f.done.rows[i] = row{}
		delete(f.void, name)
	}
	f.open[name] = ep
}

// Report returns the report of the events; no more can follow. An episode without a stop counts
// as planned, but not as finished. Notes say so when the log has no run_end.
func (f *Fold) Report() (*Report, error) {
	start := f.ledger.Start
	if start == nil {
		return nil, errors.New("no run_start: this is not the event log of a run")
	}
	episodes := f.done
	episodes.rows = slices.DeleteFunc(episodes.rows, func(r row) bool { return r.Episode == nil })
	episodes.sort()
	servers := f.ledger.Servers // in the order in which sessions came up, which means nothing
	slices.SortFunc(servers, func(a, b record.Server) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	var server *record.Server
	if len(servers) > 0 {
		server = &servers[0]
	}
	var noTools []string
	if start.Agent == nil {
		noTools = unlisted(episodes, f.listed)
	}
	r := &Report{
		SchemaVersion: SchemaVersion, NoTools: noTools, Listed: slices.Sorted(maps.Keys(f.listed)), RunID: start.RunID, Shard: start.Shard, Parity: start.Parity, Server: server, Adapter: start.Adapter, Agent: start.Agent,
		Seed: start.Options.Seed, Drift: start.Options.Drift, Profile: start.Profile, Core: start.CoreTasks, Package: start.Package, Normaliser: normal.Version, Rules: word.Rules,
		Web: start.Web, Began: f.began, Host: start.Host, Harness: start.Harness, Options: start.Options, Launcher: start.Launcher, Notes: append(missingTools(noTools), f.notes(servers)...), Ending: f.ledger.Ending(), Missing: f.ledger.Missing(),
		Totals: total(start.Episodes, f.ledger.Begun(), episodes), Episodes: episodes,
	}
	if end := f.ledger.End; end != nil && !end.Interrupted {
		r.Totals.Lost = max(0, r.Totals.Planned-r.Totals.Finished)
	}
	r.History = f.history(r)
	planned, tasks := map[string]record.Planned{}, map[string]bool{}
	for _, p := range start.Plan {
		planned[p.ID] = p
		tasks[cmp.Or(p.Of, p.ID)] = true
	}
	r.Planned = len(tasks)
	for _, id := range slices.Sorted(maps.Keys(f.tasks)) {
		t := *f.tasks[id]
		t.Content = planned[id].Content
		t.Hosts = record.HostsOf(slices.Concat(t.Hosts, planned[id].Hosts))
		r.Tasks = append(r.Tasks, t)
	}
	all := r.Web.Hosts
	r.Web.Hosts = nil // of the tasks; the log has all
	for _, t := range r.Tasks {
		for _, host := range t.Hosts {
			if digest := all[host]; digest != "" {
				if r.Web.Hosts == nil {
					r.Web.Hosts = map[string]string{}
				}
				r.Web.Hosts[host] = digest
			}
		}
	}
	r.Figures = figures(r)
	r.Digest = digest(r)
	return r, nil
}

// maxDurationMs is more than 30 years. Above, a sum could become infinite, which JSON does not
// have.
const maxDurationMs = 1e12

// NotWhole says why episodes of the run may be missing; empty if the run is whole.
func (r *Report) NotWhole() string {
	if r.Ending != record.EndingWhole {
		return r.Ending.Words()
	}
	if !r.Totals.Complete() {
		return r.Totals.Verdict()
	}
	if r.Shard != "" {
		return fmt.Sprintf("it is only shard %s; join the shards with %s report:merge", r.Shard, display.Program)
	}
	return ""
}

// unlisted returns the tools that were called although no session listed them, and that never gave
// anything but an error. A server may have tools that it does not list at the start.
func unlisted(episodes Episodes, listed map[string]bool) (tools []string) {
	failed := map[string]bool{}
	for _, e := range episodes.All() {
		for _, c := range e.Calls {
			if earlier, seen := failed[c.Tool]; !listed[c.Tool] && len(listed) > 0 {
				failed[c.Tool] = c.Error && (earlier || !seen)
			}
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(failed)) {
		if failed[tool] {
			tools = append(tools, tool)
		}
	}
	return tools
}

func missingTools(tools []string) (notes []string) {
	for _, tool := range tools {
		notes = append(notes, fmt.Sprintf("the server has no tool %s, and every call of it failed; "+
			`if it has another name now, add that to "also" in the server's description`, display.Visible(tool)))
	}
	return notes
}

func (f *Fold) notes(servers []record.Server) []string {
	start := f.ledger.Start
	notes := append([]string(nil), start.Notes...)
	if ending := f.ledger.Ending(); ending != record.EndingWhole {
		notes = append(notes, ending.Words())
	}
	if f.ledger.End == nil && f.torn > 0 {
		notes = append(notes, "the last line of the event log is incomplete and was left out")
	}
	if start.Web.Mode == "live" {
		notes = append(notes, "hosts that are not fixture sites were reached on the live web: not reproducible")
	}
	if len(servers) > 1 {
		var all []string
		for i := range servers {
			all = append(all, servers[i].Words())
		}
		notes = append(notes, fmt.Sprintf("episodes ran on %d different servers: %s", len(all), strings.Join(all, "; ")))
	}
	if len(servers) > 0 && servers[0].Isolation == "best-effort" {
		notes = append(notes, "episodes shared one OpenChrome; its state was reset as far as its tools allow")
	}
	return notes
}

// FromFile folds a log file. It stops when ctx ends.
func FromFile(ctx context.Context, path string) (*Report, error) {
	var f Fold
	var err error
	if f.torn, err = eventlog.ReadFile(ctx, path, f.Add); err != nil {
		return nil, err
	}
	r, err := f.Report()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
