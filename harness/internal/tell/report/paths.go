package report

import (
	"encoding/json"
	"fmt"
	"path"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/effect"
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
	r.forget()
	return r, nil
}

// forget takes out the words of other rules than this program has.
func (r *Report) forget() {
	had := false
	for i := range r.Episodes.Len() {
		if e := r.Episodes.At(i); r.Rules != effect.Rules {
			for k := range e.Calls {
				had = had || e.Calls[k].Parts != nil
				e.Calls[k].Parts = nil
			}
			r.Episodes.Set(i, e)
		}
	}
	if had {
		r.Notes = append(r.Notes, fmt.Sprintf("its words for calls are by rules %d, and this program has rules %d; "+
			"without the event log only statuses are compared", r.Rules, effect.Rules))
	}
}
