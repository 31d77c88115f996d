package stats

import "math"

// Interval is a range of a rate.
type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Wilson returns the 95 % score interval of Wilson (1927) for passed of n episodes. It is nil unless some
// passed and some did not: replays that all end alike are one observation.
func Wilson(passed, n int) *Interval {
	if passed == 0 || passed == n {
		return nil
	}
	return score(float64(passed)/float64(n), float64(n))
}

// score is the interval of Wilson for a rate of n observations, which need not be a whole number.
func score(p, n float64) *Interval {
	const z = 1.959963984540054
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high := max(centre-half, 0), min(centre+half, 1)
	if p == 0 { // the sum may not be exact, and a reader would see 0.1 %
		low = 0
	}
	if p == 1 {
		high = 1
	}
	return &Interval{low, high}
}

// leastDrawn is how many tasks an interval over tasks needs.
const leastDrawn = 20

// Stratified returns the 95 % interval of the mean rate of tasks in families. The families are fixed, and the
// tasks are drawn within them. It is nil for fewer than 20 tasks, and if each family has only one.
func Stratified(families [][]float64) *Interval {
	n, sum, squares, free := 0.0, 0.0, 0.0, 0.0
	for _, rates := range families {
		total := 0.0
		for _, r := range rates {
			total += r
		}
		for _, r := range rates {
			squares += (r - total/float64(len(rates))) * (r - total/float64(len(rates)))
		}
		n, sum, free = n+float64(len(rates)), sum+total, free+float64(len(rates)-1)
	}
	if n < leastDrawn || free == 0 {
		return nil
	}
	p := sum / n
	// The variance of a task within its family, and as much more as one task could add: few tasks vary less
	// than they should.
	if variance := squares/free + p*(1-p)/(n-1); variance > 0 {
		n *= p * (1 - p) / variance
	}
	return score(p, n)
}

// Quantile returns the nearest-rank quantile q of a sorted list, 0 for an empty one.
func Quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// Estimate is a value with its 95 % interval. The intervals of all tasks hold together
// with 95 %: they are corrected for the number of tasks.
type Estimate struct {
	Value    float64
	Interval *Interval // nil: too few to have one
}

// Clear reports whether the interval lies on one side of 0.
func (e Estimate) Clear() bool {
	return e.Interval != nil && (e.Interval.Low > 0 || e.Interval.High < 0)
}
