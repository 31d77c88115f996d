package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Common returns the two reports with the tasks that both have in the same revision, how many tasks
// either has, and notes that name the others.
func Common(base, head *report.Report) (b, h *report.Report, all int, notes []string) {
	in := make(map[string]*report.Task)
	for i := range base.Tasks {
		in[base.Tasks[i].ID] = &base.Tasks[i]
	}
	var both, heads, bases []string
	for i := range head.Tasks {
		t := &head.Tasks[i]
		switch was := in[t.ID]; {
		case was == nil:
			heads = append(heads, t.ID)
		case was.Revision != t.Revision:
			notes = append(notes, fmt.Sprintf("task %s is left out: revision %d in the base, %d in the head", display.Visible(t.ID), was.Revision, t.Revision))
		default:
			both = append(both, t.ID)
		}
		delete(in, t.ID)
	}
	bases = slices.Sorted(maps.Keys(in))
	all = len(base.Tasks) + len(heads)
	bases, heads = others(bases, head), others(heads, base)
	for _, side := range []struct {
		what string
		ids  []string
	}{{"base", bases}, {"head", heads}} {
		if n := len(side.ids); n > 0 {
			notes = append(notes, fmt.Sprintf("left out %s that only the %s has: %s", display.Count(n, "task"), side.what, display.Visible(strings.Join(side.ids, ", "))))
		}
	}
	if len(both) == all {
		return base, head, all, nil
	}
	return only(base, both), only(head, both), all, notes
}

// others leaves out the tasks of policies that a run does not have at all.
func others(ids []string, r *report.Report) []string {
	has := map[string]bool{"": true}
	for i := range r.Tasks {
		_, name := record.SplitPolicy(r.Tasks[i].ID)
		has[name] = true
	}
	return slices.DeleteFunc(ids, func(id string) bool {
		_, name := record.SplitPolicy(id)
		return !has[name]
	})
}

func only(r *report.Report, tasks []string) *report.Report {
	keep := make(map[string]bool)
	for _, id := range tasks {
		keep[id] = true
	}
	return where(r, func(e *report.Episode) bool { return keep[e.TaskID] })
}

// where returns a report with some of its episodes and their tasks.
func where(r *report.Report, keep func(*report.Episode) bool) *report.Report {
	some, has := *r, make(map[string]bool)
	some.Episodes = r.Episodes.Where(keep)
	for _, e := range some.Episodes.All() {
		has[e.TaskID] = true
	}
	some.Tasks = slices.DeleteFunc(slices.Clone(r.Tasks), func(t report.Task) bool { return !has[t.ID] })
	return &some
}

// Done returns the sides of bench:parity with only the episodes that all of them have done. The text
// says how many these are, and how to run the others; it is empty if the reports are no sides of
// one call, or that has finished.
func Done(sides ...*report.Report) (paired []*report.Report, unfinished string) {
	first, whole := sides[0], true
	done := make(map[string]int)
	for i, s := range sides {
		if s.Parity.Run == "" || s.Parity != first.Parity || i > 0 && s.RunID == first.RunID {
			return sides, ""
		}
		whole = whole && s.NotWhole() == ""
		for _, e := range s.Episodes.All() {
			if e.Status != record.Interrupted {
				done[e.Name]++
			}
		}
	}
	if whole {
		return sides, ""
	}
	for _, s := range sides {
		paired = append(paired, where(s, func(e *report.Episode) bool { return done[e.Name] == len(sides) }))
	}
	return paired, fmt.Sprintf("%d of %s are done; run the same bench:parity command with -resume=%s", paired[0].Episodes.Len(), display.Count(first.Totals.Planned, "pair"), first.Parity.Run)
}
