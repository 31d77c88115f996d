package report

import (
	"fmt"
	"path"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
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

// AddUp makes the totals and the figures of a report that was read without them. The error says what in it
// contradicts itself: a comparison with it would mean nothing.
func (r *Report) AddUp(planned, cutOff int) error {
	r.Episodes.sort()
	r.Totals = total(planned, r.Episodes.Len()+cutOff, r.Episodes)
	r.Figures = figures(r)
	if err := record.CheckRunID(r.RunID); err != nil {
		return fmt.Errorf("run %w", err)
	}
	tasks := map[string]bool{}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if err := t.Check(t.ID); err != nil {
			return fmt.Errorf("tasks: %w", err)
		}
		if tasks[t.ID] {
			return fmt.Errorf("tasks: %s occurs twice", display.Quote(t.ID))
		}
		tasks[t.ID] = true
	}
	for _, e := range r.Episodes.All() {
		known := func(rule record.Rule) bool { return rule.Status == e.Status }
		switch {
		case !tasks[e.TaskID]:
			return fmt.Errorf("episode %s: its task is not in tasks", display.Quote(e.Name))
		case !slices.ContainsFunc(record.Rules, known):
			return fmt.Errorf("episode %s: there is no status %s", display.Quote(e.Name), display.Quote(string(e.Status)))
		}
	}
	return nil
}
