// Package stats has the intervals and tests of reports and comparisons. It knows only numbers: no
// episode, no level of its own, and no words.
package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// PassAll estimates how likely k repetitions all pass, if so many of n passed: the share of all
// choices of k of them in which each passed. k is at most n.
func PassAll(passed, n, k int) float64 {
	p := 1.0
	for i := range k {
		p *= float64(max(0, passed-i)) / float64(n-i)
	}
	return p
}

// Flips returns the two-sided p of the test by flipped signs: how often chance moves the sum of the
// differences this far from 0, if each could as well have had the other sign.
func Flips(differences []int) float64 {
	sum, far, squares := 0, 0, 0.0
	for _, d := range differences {
		sum, far, squares = sum+d, far+max(d, -d), squares+float64(d*d)
	}
	if sum = max(sum, -sum); sum == 0 {
		return 1
	}
	if far > manyFlips {
		return math.Erfc(float64(sum) / math.Sqrt(2*squares))
	}
	weights := []float64{1} // of the sums from -i to i, if the differences so far have i together
	for _, d := range differences {
		if d = max(d, -d); d == 0 {
			continue
		}
		next := make([]float64, len(weights)+2*d)
		for i, w := range weights {
			next[i] += w / 2
			next[i+2*d] += w / 2
		}
		weights = next
	}
	p := 0.0
	for i, w := range weights {
		if i >= far+sum || i <= far-sum {
			p += w
		}
	}
	return p
}

// manyFlips is the sum of differences from which [Flips] takes the normal distribution.
const manyFlips = 5000

// Sign returns the two-sided p of the sign test, if so many of n differences have one sign more than the
// other. Neither needs to be a whole number.
func Sign(more, n float64) float64 { return min(1, 2*binomial{n, 0.5}.atMost((n-more)/2)) }

// Difference returns the interval of the mean of n differences from -1 to 1, nil without any: variance is
// that of their sum. One more of -1 and one of 1 keep a small sample from looking too sure.
func Difference(mean, variance float64, n int, level float64) *Interval {
	if n == 0 {
		return nil
	}
	half := mathext.NormalQuantile(1-level/2) * math.Sqrt(variance+2) / float64(n)
	return &Interval{Low: max(-1, mean-half), High: min(1, mean+half)}
}

// Pairs returns how many pairs find a drop of a rate in this share of samples, by [Flips] at this level.
func Pairs(rate, drop, level, power float64) int {
	after := rate - drop
	varies := rate*(1-rate) + after*(1-after)
	need := mathext.NormalQuantile(1-level/2)*math.Sqrt(varies+drop*drop) + mathext.NormalQuantile(power)*math.Sqrt(varies)
	return int(math.Ceil(need * need / (drop * drop)))
}

// Median returns the median of a list and its distribution-free interval, which belongs to
// the sign test. It is nil if the list is too short. It sorts the list.
func Median(list []float64, level float64) Estimate {
	n := len(list)
	if n == 0 {
		return Estimate{}
	}
	slices.Sort(list)
	e := Estimate{Value: (list[(n-1)/2] + list[n/2]) / 2}
	k := sort.Search(n/2, func(k int) bool { return 2*binomial{float64(n), 0.5}.atMost(float64(k)) > level })
	if k > 0 {
		e.Interval = &Interval{Low: list[k-1], High: list[n-k]}
	}
	return e
}

// Share returns the level of each test, so that all together have this level. They share it equally.
// Tests that could show nothing, whatever happened, take no share (Tarone 1990). least is the lowest p of
// each test.
func Share(least []float64, level float64) float64 {
	for shares := 1; ; shares++ {
		in := 0
		for _, p := range least {
			if p <= level/float64(shares) {
				in++
			}
		}
		if in <= shares {
			return level / float64(shares)
		}
	}
}
