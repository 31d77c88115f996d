package comparison

import (
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	drop  = 0.1 // of each task's rate, that a comparison must find
	power = 0.9 // how often it must find it

	maxNeeded   = 10_000
	simulations = 400
	margin      = 0.02 // of the power: 400 simulations are 1.5 points off, one time in six
)

// needed returns how many repetitions of each task both sides need to find a drop of ten
// points in every task with a power of 90 %. It simulates the tests of this package, with
// a fixed seed, from the rate of the base. Half a passed and half a lost episode more keep
// a small sample from looking too sure.
func (c *Comparison) needed() int {
	tasks := 0
	for i := range c.Tasks {
		if t := &c.Tasks[i]; t.Base.N() > 0 && t.Head.N() > 0 {
			tasks++
		}
	}
	rate := (float64(c.Base.Passed) + 0.5) / (float64(c.Base.N()) + 1)
	enough := func(n int) bool { return finds(tasks, max(rate, drop), n) >= power+margin }
	high := 4
	for high < maxNeeded && !enough(high) {
		high *= 2
	}
	high = min(high, maxNeeded)
	low := high / 2
	return low + sort.Search(high-low, func(i int) bool { return enough(low + i) })
}

// finds returns how often n repetitions on each side find the drop of this rate.
func finds(tasks int, rate float64, n int) float64 {
	overall, each := split(tasks)
	significant := map[[2]int]bool{} // by the passed of both sides: at the weakest level of Holm
	random := rand.NewPCG(3, 4)
	found := 0
	differences := make([]float64, tasks)
	for range simulations {
		shown, sum := false, 0.0
		for i := range differences {
			base, head := sample(rate, n, random), sample(rate-drop, n, random)
			differences[i] = float64(head-base) / float64(n)
			sum += differences[i]
			key := [2]int{base, head}
			is, known := significant[key]
			if !known {
				is = head < base && fisher(base, n, head, n) <= each/float64(tasks)
				significant[key] = is
			}
			shown = shown || is
		}
		if !shown && overall > 0 && sum < 0 {
			shown = flipped(differences) <= overall
		}
		if shown {
			found++
		}
	}
	return float64(found) / simulations
}

// sample draws how many of n episodes pass.
func sample(rate float64, n int, random rand.Source) int {
	if rate >= 1 {
		return n
	}
	return int(distuv.Binomial{N: float64(n), P: rate, Src: random}.Rand())
}

// maxExactNeeded is the highest number of tasks whose signs are all flipped in a
// simulation. For more tasks the sum of random signs is nearly normal.
const maxExactNeeded = 10

// flipped is the p of the sign-flip test.
func flipped(list []float64) float64 {
	if len(list) <= maxExactNeeded {
		return signFlip(list)
	}
	sum, squares := 0.0, 0.0
	for _, d := range list {
		sum, squares = sum+d, squares+d*d
	}
	return 2 * distuv.UnitNormal.CDF(-math.Abs(sum)/math.Sqrt(squares))
}
