package report

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/word"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// The folders below -out that runs are written to.
const (
	ReportsDir = "reports"
	EventsDir  = record.Dir
)

func artifacts(runID string) Artifacts {
	return Artifacts{
		EventsJSONL: path.Join(EventsDir, runID+".jsonl"),
		ReportJSON:  path.Join(ReportsDir, runID+".json"),
		ReportMD:    path.Join(ReportsDir, runID+".md"),
	}
}

// The largest report that Read accepts, in bytes and in values of JSON.
const (
	maxReport       = 64 << 20
	maxReportValues = 512 << 10
)

// Read reads a report's JSON back, or a canonical report. It has no texts of calls, and no
// trees. A canonical report has no figures, no times, no tokens and no hints. A report that
// contradicts itself is an error: a comparison with it would mean nothing.
func Read(name string) (*Report, error) {
	raw, err := regular.Read(name, maxReport)
	if err != nil {
		return nil, fmt.Errorf("read report: %w; an event log can be larger", err)
	}
	if jsonfile.Values(raw) > maxReportValues {
		return nil, fmt.Errorf("read report: %s has more than %d values; use the event log of the run", name, maxReportValues)
	}
	r := new(Report)
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("%s: it cannot be read as a report: %w", name, err)
	}
	if r.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("%s: it is not a report of format %d", name, SchemaVersion)
	}
	if r.Ending == record.EndingWhole {
		r.Ending = record.EndingOf(r.Notes)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Rules != word.Rules {
		r.forget()
	}
	return r, nil
}

// check returns the first contradiction in a report.
func (r *Report) check() error {
	if r.RunID != "" { // a canonical report has none
		if err := record.CheckRunID(r.RunID); err != nil {
			return fmt.Errorf("run %w", err)
		}
	}
	tasks := map[string]record.Under{}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if err := t.Check(t.ID); err != nil {
			return fmt.Errorf("tasks: %w", err)
		}
		if _, twice := tasks[t.ID]; twice {
			return fmt.Errorf("tasks: %s occurs twice", display.Quote(t.ID))
		}
		tasks[t.ID] = t.Under
	}
	for _, e := range r.Episodes.All() {
		name := fmt.Sprintf("%s, repetition %d", display.Quote(e.TaskID), e.Repetition)
		known := func(rule record.Rule) bool { return rule.Status == e.Status }
		under, has := tasks[e.TaskID]
		switch {
		case !has:
			return fmt.Errorf("episode %s: its task is not in tasks", name)
		case e.Under != under:
			return fmt.Errorf("episode %s: tasks has its task with another policy", name)
		case !slices.ContainsFunc(record.Rules, known):
			return fmt.Errorf("episode %s: there is no status %s", name, display.Quote(string(e.Status)))
		}
	}
	if n := r.Episodes.Len(); n != r.Totals.Finished {
		return fmt.Errorf("totals: finished is %d, but there are %d episodes", r.Totals.Finished, n)
	}
	return nil
}

// forget takes out the words of other rules than this program has.
func (r *Report) forget() {
	had := false
	for i, e := range r.Episodes.All() {
		for k := range e.Calls {
			had = had || e.Calls[k].Parts != nil
			e.Calls[k].Parts = nil
		}
		r.Episodes.Set(i, e)
	}
	if had {
		r.Notes = append(r.Notes, fmt.Sprintf("its words for calls are by rules %d, and this program has rules %d; "+
			"without the event log only statuses are compared", r.Rules, word.Rules))
	}
}
