package compare

import (
	"maps"
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

// pooled are the values of all pairs; of the policies of a task, the mean in each repetition.
func pooled(of []*Task, value func(*Pair) float64) (list []float64) {
	for _, group := range together(of) {
		sums, n := map[int]float64{}, map[int]float64{}
		for _, t := range group {
			for i := range t.same {
				p, at := &t.same[i], t.same[i].Base.Repetition
				if len(group) == 1 {
					at = i
				}
				sums[at] += value(p)
				n[at]++
			}
		}
		for _, at := range slices.Sorted(maps.Keys(sums)) { // in one order: a sum depends on it
			list = append(list, sums[at]/n[at])
		}
	}
	return list
}

// tables counts each task once: the mean of its policies, which may be a part of an episode.
func tables(of []*Task) (list []stats.Table) {
	for _, group := range together(of) {
		var base, head Counts
		for _, row := range group {
			base.sum(row.Base.Counts)
			head.sum(row.Head.Counts)
		}
		k := len(group)
		once := func(n int) int { return max(1, (n+k/2)/k) }
		n, m := once(base.N()), once(head.N())
		list = append(list, stats.Table{Base: base.Rate() * float64(n), BaseN: n, Head: head.Rate() * float64(m), HeadN: m})
	}
	return list
}
