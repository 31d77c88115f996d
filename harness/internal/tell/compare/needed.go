package compare

import (
	"sort"

	"github.com/openchrome/bench/harness/internal/tell/stats"
)

const (
	drop   = 0.1  // of each task's rate, that a comparison must find
	power  = 0.9  // how often it must find it
	margin = 0.02 // of the power: the rate is not known
)

// needed returns how many repetitions of each task both sides need to find a drop of ten
// points in every task with a power of 90 %. The rate before the drop is the one of the
// base. Half a passed and half a lost episode more keep a small sample from looking too
// sure.
func (c *Comparison) needed() int {
	tasks := len(c.tasks(func(t *Task) bool { return t.Base.N() > 0 && t.Head.N() > 0 }))
	rate := max(drop, (float64(c.Base.Passed)+0.5)/(float64(c.Base.N())+1))
	level, each := halves(tasks)
	if level == 0 {
		level = each
	}
	enough := func(n int) bool { return stats.FisherPower(rate, rate-drop, n*tasks, level) >= power+margin }
	high := 1
	for !enough(high) {
		high *= 2
	}
	return high/2 + sort.Search(high-high/2, func(n int) bool { return enough(high/2 + n) })
}
