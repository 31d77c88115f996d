package report

import (
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// check returns the first contradiction in a report whose episodes are sorted.
func (r *Report) check() error {
	if r.RunID != "" { // a canonical report has none
		if err := record.CheckRunID(r.RunID); err != nil {
			return fmt.Errorf("run %w", err)
		}
	}
	tasks := map[string]record.Under{}
	for i := range r.Tasks {
		id := r.Tasks[i].ID
		if _, twice := tasks[id]; twice {
			return fmt.Errorf("task %s occurs twice", display.Quote(id))
		}
		tasks[id] = r.Tasks[i].Under
	}
	var before *Episode
	for _, e := range r.Episodes.All() {
		name := fmt.Sprintf("%s, repetition %d", display.Quote(e.TaskID), e.Repetition)
		known := func(rule record.Rule) bool { return rule.Status == e.Status }
		under, has := tasks[e.TaskID]
		switch {
		case !has:
			return fmt.Errorf("episode %s: its task is not in tasks", name)
		case e.Under != under:
			return fmt.Errorf("episode %s: tasks has its task with another policy", name)
		case before != nil && e.TaskID == before.TaskID && e.Repetition == before.Repetition:
			return fmt.Errorf("episode %s occurs twice", name)
		case !slices.ContainsFunc(record.Rules, known):
			return fmt.Errorf("episode %s: there is no status %s", name, display.Quote(string(e.Status)))
		case e.Repetition < 1 || e.Steps < 0 || e.ToolCalls < 0 || e.OpenchromeErrors < 0 || e.DurationMs < 0:
			return fmt.Errorf("episode %s: a number is too low", name)
		}
		before = e
	}
	if n := r.Episodes.Len(); n != r.Totals.Finished {
		return fmt.Errorf("totals: finished is %d, but there are %d episodes", r.Totals.Finished, n)
	}
	return nil
}
