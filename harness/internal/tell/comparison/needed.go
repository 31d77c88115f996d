package comparison

import (
	"math"
	"math/rand/v2"
	"sort"
	"sync"
)

const (
	drop  = 0.1 // of each task's rate, that a comparison must find
	power = 0.9 // how often it must find it

	maxNeeded   = 10_000
	simulations = 400
	margin      = 0.02 // of the power: 400 simulations are 1.5 points off, one time in six, and the rate is not known
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
		return 1-math.Pow(1-finds(rate, n, each/float64(tasks)), float64(tasks)) >= power+margin
	}
	high := 8
	for high < maxNeeded && !enough(high) {
		high *= 2
	}
	return min(high/2+sort.Search(high/2, func(n int) bool { return enough(high/2 + n) }), maxNeeded)
}

// finds returns how often Fisher's test of a task finds the drop at this level, with n
// repetitions on each side.
func finds(rate float64, n int, level float64) (found float64) {
	base, head := binomial{float64(n), rate}, binomial{float64(n), rate - drop}
	far := 6 * base.deviation()
	from := int(max(0, base.mean()-far))
	// critical is the most passed in the head that show a drop; it rises with the base.
	critical := sort.Search(from, func(head int) bool { return fisher(from, n, head, n) > level }) - 1
	for passed := from; passed <= n && float64(passed) <= base.mean()+far+1; passed++ {
		for critical+1 < passed && fisher(passed, n, critical+1, n) <= level {
			critical++
		}
		if critical >= 0 {
			found += base.exactly(float64(passed)) * head.atMost(float64(critical))
		}
	}
	return found
}

// effect returns how many standard deviations of a task's difference the drop must be for
// the sign-flip test to find it over this many tasks. It simulates the test, with a fixed
// seed. The answer depends on the number of tasks alone, and is kept.
func effect(tasks int) float64 {
	if known, ok := effects.Load(tasks); ok {
		return known.(float64)
	}
	random := rand.New(rand.NewPCG(3, 4))
	noise := make([]float64, simulations*tasks)
	for i := range noise {
		noise[i] = random.NormFloat64()
	}
	list := make([]float64, tasks)
	enough := func(effect float64) bool {
		found := 0
		for begin := 0; begin < len(noise); begin += tasks {
			sum := 0.0
			for i := range list {
				list[i] = effect + noise[begin+i]
				sum += list[i]
			}
			if sum > 0 && flipped(list) <= alpha/2 {
				found++
			}
		}
		return float64(found)/simulations >= power+margin
	}
	const steps = 100 // of 1
	found := float64(sort.Search(4*steps, func(i int) bool { return enough(float64(i) / steps) })) / steps
	effects.Store(tasks, found)
	return found
}

var effects sync.Map // by the number of tasks

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
	return 2 * normal(-math.Abs(sum)/math.Sqrt(squares))
}
