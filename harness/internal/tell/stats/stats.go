// Package stats has the intervals and tests of reports and comparisons. It knows only numbers: no
// episode, no level of its own, and no words.
package stats

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// Fisher returns the two-sided p of Fisher's exact test: a of n passed in the base, and b
// of m in the head. It adds up all tables that are at most as likely as this one.
func Fisher(a, n, b, m int) float64 {
	passed := a + b
	low, high := max(0, passed-m), min(n, passed)
	weights := hypergeometric(low, high, n, passed, n+m)
	seen, p := weights[a-low]*(1+1e-7), 0.0
	for _, w := range weights {
		if w <= seen {
			p += w
		}
	}
	return p
}

// PassAll estimates how likely k repetitions all pass, if so many of n passed: the share of all
// choices of k of them in which each passed. k is at most n.
func PassAll(passed, n, k int) float64 {
	p := 1.0
	for i := range k {
		p *= float64(max(0, passed-i)) / float64(n-i)
	}
	return p
}

// LeastFisher returns the lowest p that [Fisher] can give if this many passed on both sides
// together.
func LeastFisher(passed, n, m int) float64 {
	low, high := max(0, passed-m), min(n, passed)
	return min(Fisher(low, n, passed-low, m), Fisher(high, n, passed-high, m))
}

// Newcombe returns the interval of q - p, the rates of n and of m episodes, by the hybrid score
// method of Newcombe (1998).
func Newcombe(p float64, n int, q float64, m int, level float64) *Interval {
	z := mathext.NormalQuantile(1 - level/2)
	base, head := wilson(p, n, z), wilson(q, m, z)
	return &Interval{
		Low:  q - p - math.Hypot(q-head.Low, base.High-p),
		High: q - p + math.Hypot(head.High-q, p-base.Low),
	}
}

// Table counts one task: what passed of n episodes on both sides, which may be a part of one.
type Table struct {
	Base  float64
	BaseN int
	Head  float64
	HeadN int
}

// Stratified returns the two-sided p of the exact test of Cochran, Mantel and Haenszel: how often
// chance moves the passed episodes of all tables together this far from what is expected, if in
// each table only their split into base and head is random. A part of an episode has passed as
// often as it is large.
func Stratified(tables []Table) float64 {
	weights := []float64{1} // of how many passed in the base
	seen, expected := 0.0, 0.0
	for _, t := range tables {
		passed := math.Round((t.Base+t.Head)*1e9) / 1e9 // without the faults of a sum
		whole := int(passed)
		part := passed - float64(whole)
		seen += t.Base
		expected += passed * float64(t.BaseN) / float64(t.BaseN+t.HeadN)
		one := make([]float64, t.BaseN+1)
		for more, share := range []float64{1 - part, part} {
			if share == 0 {
				continue
			}
			n := whole + more
			low, high := max(0, n-t.HeadN), min(t.BaseN, n)
			for i, w := range hypergeometric(low, high, t.BaseN, n, t.BaseN+t.HeadN) {
				one[low+i] += share * w
			}
		}
		sum := make([]float64, len(weights)+len(one)-1)
		for i, w := range weights {
			for k, v := range one {
				sum[i+k] += w * v
			}
		}
		weights = sum
	}
	far := math.Abs(seen-expected) * (1 - 1e-9)
	p, total := 0.0, 0.0
	for i, w := range weights {
		total += w
		if math.Abs(float64(i)-expected) >= far {
			p += w
		}
	}
	return p / total
}

// hypergeometric returns how often low, low+1 … high of n are among the passed of all, as shares
// of their sum.
func hypergeometric(low, high, n, passed, all int) []float64 {
	mode := min(max((n+1)*(passed+1)/(all+2), low), high)
	// Weights are relative to the most likely number, so only unlikely ones can underflow.
	weights := make([]float64, high-low+1)
	weights[mode-low] = 1
	// ratio is how much more likely k+1 are than k.
	ratio := func(k int) float64 {
		return float64(n-k) * float64(passed-k) / (float64(k+1) * float64(all-n-passed+k+1))
	}
	for k := mode; k < high; k++ {
		weights[k+1-low] = weights[k-low] * ratio(k)
	}
	for k := mode; k > low; k-- {
		weights[k-1-low] = weights[k-low] / ratio(k-1)
	}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	for i := range weights {
		weights[i] /= total
	}
	return weights
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

// Tarone returns the level of each test, so that all together have this level. They share
// it equally. Tests that could show nothing, whatever happened, such as one of a task that
// always passed, take no share (Tarone 1990). least is the lowest p of each test.
func Tarone(least []float64, level float64) []float64 {
	shares := 0
	for in := len(least); in > shares; {
		shares++
		in = 0
		for _, p := range least {
			if p <= level/float64(shares) {
				in++
			}
		}
	}
	levels := make([]float64, len(least))
	for i, p := range least {
		levels[i] = level / float64(len(least)) // never reached by its p
		if p <= level/float64(shares) {
			levels[i] = level / float64(shares)
		}
	}
	return levels
}
