package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
)

// Fold makes a report of a log's events. The zero value is ready; Add takes the
// events in the order of the log. Fold keeps the results of finished episodes
// and the state of running ones, not the events.
type Fold struct {
	start     *event.RunStart
	subjects  []event.Subject     // each once
	episodes  map[string]*episode // by name; nil: it has ended
	done      []Episode
	end       *event.RunEnd
	torn      bool // the log's last line is not whole
	contracts map[string]*contract.Contract
	tasks     map[string]*Task
	trees     map[string]*contract.Node // of contracts, by task and what was seen
	texts     texts
}

// Add takes the next event. It fails on a log that no harness writes, such as one
// with an event of an episode that has not begun.
func (f *Fold) Add(e event.Event) error {
	switch body := e.Body.(type) {
	case *event.RunStart:
		if f.start != nil {
			return errors.New("second run_start in one log")
		}
		if body.SchemaVersion != event.SchemaVersion {
			return fmt.Errorf("the log has format %d, and this program reads format %d: use the program that wrote it", body.SchemaVersion, event.SchemaVersion)
		}
		f.start = body
		return nil
	case *event.RunEnd:
		f.end = body
		return nil
	}
	if f.end != nil {
		return fmt.Errorf("%s of %q after run_end", e.Body.Type(), e.Episode)
	}
	if f.start == nil {
		return fmt.Errorf("%s of %q before run_start", e.Body.Type(), e.Episode)
	}
	ep, begun := f.episodes[e.Episode]
	if reset, ok := e.Body.(*event.Reset); ok {
		if begun {
			return fmt.Errorf("second reset of %q", e.Episode)
		}
		if want := fmt.Sprintf("%s#%d", reset.Task.ID, reset.Repetition); e.Episode != want {
			return fmt.Errorf("reset of %q belongs to %q", e.Episode, want)
		}
		ep = f.begin(e.Episode, reset)
		if !reflect.DeepEqual(f.tasks[reset.Task.ID].Task, reset.Task) {
			return fmt.Errorf("reset of %q defines task %q in another way than an earlier reset", e.Episode, reset.Task.ID)
		}
	} else if ep == nil {
		return fmt.Errorf("%s of %q before its reset", e.Body.Type(), e.Episode)
	}
	if stop, ok := e.Body.(*event.Stop); ok {
		if stop.DurationMs < 0 || stop.DurationMs > maxDurationMs {
			return fmt.Errorf("stop of %q has a duration of %g ms", e.Episode, stop.DurationMs)
		}
		t := f.tasks[ep.result.TaskID]
		if t.Contract != nil && !bytes.Equal(t.Contract, stop.Success) {
			return fmt.Errorf("stop of %q has a different contract for task %q than an earlier stop", e.Episode, t.ID)
		}
		t.Contract, t.File = stop.Success, stop.TaskFile
		ep.explain(f.contract(stop.Success), f.trees)
	}
	result, err := ep.add(e)
	if err != nil {
		return err
	}
	if result != nil {
		f.episodes[e.Episode] = nil
		f.done = append(f.done, *result)
	}
	return nil
}

func (f *Fold) begin(name string, reset *event.Reset) *episode {
	if f.episodes == nil {
		f.episodes, f.contracts = map[string]*episode{}, map[string]*contract.Contract{}
		f.tasks, f.trees = map[string]*Task{}, map[string]*contract.Node{}
	}
	if f.tasks[reset.Task.ID] == nil {
		f.tasks[reset.Task.ID] = &Task{Task: reset.Task}
	}
	if s := reset.Subject; s != nil && !slices.Contains(f.subjects, *s) {
		f.subjects = append(f.subjects, *s)
	}
	ep := newEpisode(name, f.start.RunID, reset, &f.texts)
	f.episodes[name] = ep
	return ep
}

// contract parses a contract once for all episodes of a task. It is nil if raw is
// no contract.
func (f *Fold) contract(raw json.RawMessage) *contract.Contract {
	c, ok := f.contracts[string(raw)]
	if !ok {
		c, _ = contract.Parse(raw)
		f.contracts[string(raw)] = c
	}
	return c
}

// Report returns the report of the events so far. An episode without a stop counts
// as planned, but not as finished. Notes say so when the log has no run_end.
func (f *Fold) Report() (*Report, error) {
	if f.start == nil {
		return nil, errors.New("no run_start: this is not the event log of a run")
	}
	episodes := append([]Episode{}, f.done...) // never null in JSON
	slices.SortFunc(episodes, func(a, b Episode) int {
		return cmp.Or(cmp.Compare(a.TaskID, b.TaskID), cmp.Compare(a.Repetition, b.Repetition))
	})
	// The order in which sessions came up means nothing.
	slices.SortFunc(f.subjects, func(a, b event.Subject) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
	var subject *event.Subject
	if len(f.subjects) > 0 {
		subject = &f.subjects[0]
	}
	r := &Report{
		SchemaVersion: SchemaVersion, RunID: f.start.RunID, Subject: subject, Adapter: f.start.Adapter,
		Path: f.start.Options.Path, Seed: f.start.Options.Seed, SeedKey: f.start.Options.SeedKey, Drift: f.start.Options.Drift, Package: f.start.Package, Normaliser: normaliserVersion,
		Web: f.start.Web, Host: f.start.Host, Options: f.start.Options, Notes: f.notes(),
		Totals: total(f.start.Episodes, len(f.episodes)-len(f.done), episodes), Episodes: episodes,
	}
	for _, id := range slices.Sorted(maps.Keys(f.tasks)) {
		r.Tasks = append(r.Tasks, *f.tasks[id])
	}
	if r.Private() {
		r.withhold()
	}
	r.Figures = figures(r)
	r.Digest = digest(r)
	return r, nil
}

// maxDurationMs is more than 30 years. Above, a sum could become infinite, which JSON does not
// have.
const maxDurationMs = 1e12

// The notes of a run that is not whole.
const (
	noteNoEnd       = "the run did not end: it was killed, or it is still running"
	noteInterrupted = "the run was interrupted"
)

// NotWhole says why episodes of the run may be missing; empty if the run is whole.
func (r *Report) NotWhole() string {
	for _, note := range []string{noteNoEnd, noteInterrupted} {
		if slices.Contains(r.Notes, note) {
			return note
		}
	}
	if !r.Totals.Complete() {
		return r.Totals.Verdict()
	}
	return ""
}

func (f *Fold) notes() []string {
	notes := append([]string(nil), f.start.Notes...)
	if f.start.Options.SeedKey != "" {
		notes = append(notes, privateNote)
	}
	switch {
	case f.end == nil:
		notes = append(notes, noteNoEnd)
		if f.torn {
			notes = append(notes, "the last line of the event log is incomplete and was left out")
		}
	case f.end.Interrupted:
		notes = append(notes, noteInterrupted)
	}
	if f.start.Web.Mode == "live" {
		notes = append(notes, "hosts that are not fixture sites were reached on the live web: not reproducible")
	}
	if len(f.subjects) > 1 {
		var all []string
		for i := range f.subjects {
			all = append(all, DescribeSubject(&f.subjects[i]))
		}
		notes = append(notes, fmt.Sprintf("episodes ran on %d different subjects: %s", len(all), strings.Join(all, "; ")))
	}
	if len(f.subjects) > 0 && f.subjects[0].Isolation == "best-effort" {
		notes = append(notes, "episodes shared one OpenChrome; its state was reset as far as its tools allow")
	}
	return notes
}

// FromFile folds a log file.
func FromFile(path string) (*Report, error) {
	go PrepareTokens()
	var f Fold
	var err error
	if f.torn, err = event.ReadFile(path, f.Add); err != nil {
		return nil, err
	}
	r, err := f.Report()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}
