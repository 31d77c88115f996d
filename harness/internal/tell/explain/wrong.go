package explain

import (
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Wrong is a family of tasks with episodes that say done and are wrong, see [report.Totals].
type Wrong struct {
	report.FamilyTotals
	Tasks []report.TaskFigures // with such episodes
}

// WrongOf returns the families with episodes that say done and are wrong.
func WrongOf(r *report.Report) []Wrong {
	families := map[string]string{} // by task
	for i := range r.Tasks {
		families[r.Tasks[i].ID] = record.Family(r.Tasks[i].Tags, r.Tasks[i].Category)
	}
	var all []Wrong
	for _, f := range r.Totals.Families {
		w := Wrong{FamilyTotals: f}
		for _, t := range r.Figures.Tasks {
			if t.DoneButWrong > 0 && families[t.TaskID] == f.Family {
				w.Tasks = append(w.Tasks, t)
			}
		}
		if len(w.Tasks) > 0 {
			all = append(all, w)
		}
	}
	return all
}
