package comparison

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// sameRevisions returns the two reports without the tasks whose revisions differ, and a note
// for each of these tasks.
func sameRevisions(base, head *report.Report) (b, h *report.Report, notes []string) {
	revision := make(map[string]int)
	for i := range base.Tasks {
		revision[base.Tasks[i].ID] = revisionOf(&base.Tasks[i])
	}
	var out []string
	for i := range head.Tasks {
		t := &head.Tasks[i]
		if was, both := revision[t.ID]; both && was != revisionOf(t) {
			out = append(out, t.ID)
			notes = append(notes, fmt.Sprintf("task %s is left out: revision %d in the base, %d in the head", display.Visible(t.ID), was, revisionOf(t)))
		}
	}
	if out == nil {
		return base, head, nil
	}
	return without(base, out), without(head, out), notes
}

// revisionOf returns the revision of a task. A log from before there were revisions has none.
func revisionOf(t *report.Task) int { return cmp.Or(t.Revision, 1) }

// without returns a report without some of its tasks and their episodes.
func without(r *report.Report, tasks []string) *report.Report {
	some := *r
	some.Tasks = slices.DeleteFunc(slices.Clone(r.Tasks), func(t report.Task) bool { return slices.Contains(tasks, t.ID) })
	some.Episodes = r.Episodes.Where(func(e *report.Episode) bool { return !slices.Contains(tasks, e.TaskID) })
	return &some
}
