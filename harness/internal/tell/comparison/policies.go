package comparison

import (
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/stats"
)

// The policies of a task see the same pages, so what chance does to one it may do to all. Tests over
// all tasks therefore count them as one observation: their mean.

// together groups rows of a task under several policies. Without policies each row is a group.
func together(of []*Task) (groups [][]*Task) {
	at := map[string]int{}
	for _, t := range of {
		id, _ := record.SplitPolicy(t.ID)
		i, ok := at[id]
		if !ok || t.ID == "" {
			at[id], i = len(groups), len(groups)
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// means are the means of values, one for each row, over the policies of a task.
func means(of []*Task, values []float64) (list []float64) {
	for _, group := range together(of) {
		sum := 0.0
		for _, t := range group {
			sum += values[slices.Index(of, t)]
		}
		list = append(list, sum/float64(len(group)))
	}
	return list
}

// tables counts each task once: the mean of its policies. A half is rounded towards no difference.
func tables(of []*Task) (list []stats.Table) {
	for _, group := range together(of) {
		k := len(group)
		var t stats.Table
		for _, row := range group {
			b, h := row.Base.Counts, row.Head.Counts
			t = stats.Table{Base: t.Base + b.Passed, BaseN: t.BaseN + b.N(), Head: t.Head + h.Passed, HeadN: t.HeadN + h.N()}
		}
		up, down := &t.Head, &t.Base
		if t.Head*t.BaseN > t.Base*t.HeadN {
			up, down = down, up
		}
		half := func(n, less int) int { return (2*n + k - less) / (2 * k) }
		*up, *down = half(*up, 0), half(*down, 1)
		t.BaseN, t.HeadN = half(t.BaseN, 0), half(t.HeadN, 0)
		list = append(list, t)
	}
	return list
}
