package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
)

// The folders below -out that runs are written to.
const (
	ReportsDir = "reports"
	EventsDir  = "events"
)

func artifacts(runID string) Artifacts {
	return Artifacts{
		EventsJSONL: path.Join(EventsDir, runID+".jsonl"),
		ReportJSON:  path.Join(ReportsDir, runID+".json"),
		ReportMD:    path.Join(ReportsDir, runID+".md"),
	}
}

// Page is the folder for the page of an attempt at an episode, counted from 1, relative to
// the folder that the run writes to.
func Page(runID, taskID string, repetition, attempt int) string {
	name := fmt.Sprintf("%s-%d", taskID, repetition)
	if attempt > 1 {
		name += fmt.Sprintf(".%d", attempt)
	}
	return path.Join(EventsDir, runID, name)
}

// Read reads a report's JSON back, or a canonical report. It has no texts of calls, and no
// trees. A canonical report has no figures, no times, no tokens and no hints. A report that
// contradicts itself is an error: a comparison with it would mean nothing.
func Read(name string) (*Report, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	r := new(Report)
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("%s: it is not a report: %w", name, err)
	}
	if r.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("%s: it is not a report of format %d", name, SchemaVersion)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
