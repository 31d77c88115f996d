// Package stats has the intervals and tests of reports and comparisons. It knows only numbers: no
// episode, no level of its own, and no words.
package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mathext"
)

// exactTasks is the highest number of tasks for which the sign-flip test looks at all
// combinations of signs. Above, it looks at a random sample of them.
const (
	exactTasks = 20
	flips      = 9_999
)

// Fisher returns the two-sided p of Fisher's exact test: a of n passed in the base, and b
// of m in the head. It adds up all tables that are at most as likely as this one.
func Fisher(a, n, b, m int) float64 {
	passed := a + b
	low, high := max(0, passed-m), min(n, passed)
	mode := min(max((n+1)*(passed+1)/(n+m+2), low), high)
	// Weights are relative to the most likely table, so only unlikely ones can underflow.
	weights := make([]float64, high-low+1)
	weights[mode-low] = 1
	// ratio is how much more likely k+1 passed in the base are than k.
	ratio := func(k int) float64 {
		return float64(n-k) * float64(passed-k) / (float64(k+1) * float64(m-passed+k+1))
	}
	for k := mode; k < high; k++ {
		weights[k+1-low] = weights[k-low] * ratio(k)
	}
	for k := mode; k > low; k-- {
		weights[k-1-low] = weights[k-low] / ratio(k-1)
	}
	seen, total, p := weights[a-low]*(1+1e-7), 0.0, 0.0
	for _, w := range weights {
		total += w
		if w <= seen {
			p += w
		}
	}
	return p / total
}

// LeastFisher returns the lowest p that [Fisher] can give if this many passed on both sides
// together.
func LeastFisher(passed, n, m int) float64 {
	low, high := max(0, passed-m), min(n, passed)
	return min(Fisher(low, n, passed-low, m), Fisher(high, n, passed-high, m))
}

// Newcombe returns the interval of b/m - a/n by the hybrid score method of Newcombe (1998).
func Newcombe(a, n, b, m int, level float64) *Interval {
	if n == 0 || m == 0 {
		return nil
	}
	z := mathext.NormalQuantile(1 - level/2)
	base, head := WilsonAt(a, n, z), WilsonAt(b, m, z)
	p, q := float64(a)/float64(n), float64(b)/float64(m)
	return &Interval{
		Low:  q - p - math.Hypot(q-head.Low, base.High-p),
		High: q - p + math.Hypot(head.High-q, p-base.Low),
	}
}

// SignFlip returns the two-sided p of the sign-flip test: how often the sum of the list is
// as far from 0 if each sign is random.
func SignFlip(list []float64) float64 {
	total := 0.0
	for _, d := range list {
		total += d
	}
	far, count := math.Abs(total)*(1-1e-9), 0
	look := func(part float64, _ int) {
		if math.Abs(total-2*part) >= far {
			count++
		}
	}
	if len(list) <= exactTasks {
		allSubsets(list, 0, 0, look)
		return float64(count) / math.Exp2(float64(len(list)))
	}
	someSubsets(list, look)
	return float64(count+1) / (flips + 1) // the signs as they are count too
}

// exactInterval is the highest number of tasks for which meanInterval looks at all subsets.
const exactInterval = 12

// MeanInterval returns the interval of the list's mean that belongs to the sign-flip test:
// its ends are means of subsets (Hartigan 1969). It is nil if the list is too short.
func MeanInterval(list []float64, level float64) *Interval {
	var means []float64
	look := func(part float64, size int) {
		if size > 0 {
			means = append(means, part/float64(size))
		}
	}
	if len(list) <= exactInterval {
		allSubsets(list, 0, 0, look)
	} else {
		someSubsets(list, look)
	}
	k := int(level / 2 * float64(len(means)+1))
	if k == 0 {
		return nil
	}
	slices.Sort(means)
	return &Interval{Low: means[k-1], High: means[len(means)-k]}
}

// allSubsets calls look with the sum and the size of every subset of the list, added to
// sum and size.
func allSubsets(list []float64, sum float64, size int, look func(sum float64, size int)) {
	if len(list) == 0 {
		look(sum, size)
		return
	}
	allSubsets(list[1:], sum, size, look)
	allSubsets(list[1:], sum+list[0], size+1, look)
}

// someSubsets is allSubsets for a random sample, which is the same each time.
func someSubsets(list []float64, look func(sum float64, size int)) {
	random := rand.NewPCG(1, 2)
	for range flips {
		sum, size, bits := 0.0, 0, uint64(0)
		for i, d := range list {
			if i%64 == 0 {
				bits = random.Uint64()
			}
			if bits&1 == 1 {
				sum, size = sum+d, size+1
			}
			bits >>= 1
		}
		look(sum, size)
	}
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
