package compare

import (
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
)

// Grid is how tasks ended in several runs: a row for each task that did not end alike in all of them, by
// family, and a column for each run.
type Grid struct {
	Names []string // of the runs
	All   []Counts // likewise
	Rows  []GridRow
	Alike []string // the tasks that have no row
}

// GridRow is a task, maybe under a policy.
type GridRow struct {
	ID    string
	Cells []Cell
}

// Cell is how a task ended in one of the runs.
type Cell struct {
	Counts
	Episode *report.Episode // the first that failed, else the first void one, else the first; nil: the run has none
}

// GridOf makes the grid of runs, which have these names.
func GridOf(names []string, runs ...*report.Report) Grid {
	g := Grid{Names: names, All: make([]Counts, len(runs))}
	at, rank := map[string]int{}, map[string]int{}
	for i, r := range runs {
		for _, e := range r.Episodes.All() {
			n, ok := at[e.TaskID]
			if !ok {
				n, at[e.TaskID] = len(g.Rows), len(g.Rows)
				rank[e.TaskID] = record.FamilyRank(record.Family(e.Tags, e.Category))
				g.Rows = append(g.Rows, GridRow{e.TaskID, make([]Cell, len(runs))})
			}
			g.Rows[n].Cells[i].add(e)
			g.All[i].add(e)
		}
	}
	slices.SortStableFunc(g.Rows, func(a, b GridRow) int {
		if by := rank[a.ID] - rank[b.ID]; by != 0 {
			return by
		}
		return strings.Compare(a.ID, b.ID)
	})
	g.Rows = slices.DeleteFunc(g.Rows, func(r GridRow) bool {
		if r.alike() {
			g.Alike = append(g.Alike, r.ID)
		}
		return r.alike()
	})
	return g
}

func (c *Cell) add(e *report.Episode) {
	c.Counts.add(e)
	if c.Episode == nil {
		c.Episode = e
	}
	was, is := outcomeOf(c.Episode), outcomeOf(e)
	if was == passed && is != passed || was == void && is == lost {
		c.Episode = e
	}
}

// alike reports whether the task ended alike in all runs.
func (r GridRow) alike() bool {
	first := r.Cells[0]
	return !slices.ContainsFunc(r.Cells, func(c Cell) bool {
		a, b := c.Episode, first.Episode
		return a == nil || b == nil || c.Counts != first.Counts ||
			a.Status != b.Status || a.Outcome != b.Outcome || !why.Alike(a, b)
	})
}
