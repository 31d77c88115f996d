package comparison

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"

	"github.com/openchrome/bench/harness/internal/tell/stats"
)

const (
	drop  = 0.1 // of each task's rate, that a comparison must find
	power = 0.9 // how often it must find it

	maxNeeded = 10_000
	margin    = 0.02 // of the power: the rate is not known
)

// needed returns how many repetitions of each task both sides need to find a drop of ten
// points in every task with a power of 90 %. The rate before the drop is the one of the
// base. Half a passed and half a lost episode more keep a small sample from looking too
// sure.
func (c *Comparison) needed() int {
	tasks := 0
	for i := range c.Tasks {
		if t := &c.Tasks[i]; t.Base.N() > 0 && t.Head.N() > 0 {
			tasks++
		}
	}
	rate := max(drop, (float64(c.Base.Passed)+0.5)/(float64(c.Base.N())+1))
	overall, each := split(tasks)
	if overall > 0 {
		after := rate - drop
		deviations := effect(tasks)
		n := deviations * deviations * (rate*(1-rate) + after*(1-after)) / (drop * drop)
		return min(int(math.Ceil(n)), maxNeeded)
	}
	enough := func(n int) bool {
		return 1-math.Pow(1-stats.FisherPower(rate, rate-drop, n, each/float64(tasks)), float64(tasks)) >= power+margin
	}
	high := 8
	for high < maxNeeded && !enough(high) {
		high *= 2
	}
	return min(high/2+sort.Search(high/2, func(n int) bool { return enough(high/2 + n) }), maxNeeded)
}

// effect returns how many standard deviations of a task's difference the drop must be for the
// sign-flip test over seven tasks or more to find it. It is the effect of a test of normal
// differences, made larger for few tasks: simulations of the sign-flip test agree within 7 %.
func effect(tasks int) float64 {
	if tasks == 7 { // all signs must be equal
		return mathext.NormalQuantile(math.Pow(power+margin, 1.0/7))
	}
	return (mathext.NormalQuantile(1-alpha/4) + mathext.NormalQuantile(power+margin)) / math.Sqrt(float64(tasks)-3.3)
}
