package stats

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// Package distuv of gonum has these distributions too, but links 20 packages for
// linear algebra.

// binomial is the number of passed episodes of n, if each passes with this rate.
type binomial struct{ n, rate float64 }

// exactly returns how often the number is k.
func (b binomial) exactly(k float64) float64 {
	all, _ := math.Lgamma(b.n + 1)
	passed, _ := math.Lgamma(k + 1)
	lost, _ := math.Lgamma(b.n - k + 1)
	return math.Exp(all - passed - lost + k*math.Log(b.rate) + (b.n-k)*math.Log(1-b.rate))
}

// atMost returns how often the number is at most k, which is a whole number from 0 on.
func (b binomial) atMost(k float64) float64 {
	if k >= b.n {
		return 1
	}
	return mathext.RegIncBeta(b.n-k, k+1, 1-b.rate)
}

// AtLeast returns how often k or more of n happen, if each happens with this rate.
func AtLeast(k, n int, rate float64) float64 {
	if k <= 0 {
		return 1
	}
	return 1 - binomial{float64(n), rate}.atMost(float64(k-1))
}

// FisherPower returns how often Fisher's test at this level finds that a rate is lower, with n
// episodes before and after.
func FisherPower(before, after float64, n int, level float64) (found float64) {
	base, head := binomial{float64(n), before}, binomial{float64(n), after}
	mean := float64(n) * before
	far := 6 * math.Sqrt(mean*(1-before)) // deviations
	from := int(max(0, mean-far))
	// critical is the most passed in the head that show a drop; it rises with the base.
	critical := sort.Search(from, func(head int) bool { return Fisher(from, n, head, n) > level }) - 1
	for passed := from; passed <= n && float64(passed) <= mean+far+1; passed++ {
		for critical+1 < passed && Fisher(passed, n, critical+1, n) <= level {
			critical++
		}
		if critical >= 0 {
			found += base.exactly(float64(passed)) * head.atMost(float64(critical))
		}
	}
	return found
}
