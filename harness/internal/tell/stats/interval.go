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
	return new(wilson(float64(passed)/float64(n), n, 1.959963984540054))
}

// wilson is Wilson for a rate of n episodes, with the confidence that the normal quantile z stands for.
func wilson(p float64, n int, z float64) Interval {
	m := float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	low, high := max(centre-half, 0), min(centre+half, 1)
	if p == 0 {
		low = 0
	}
	if p == 1 {
		high = 1
	}
	return Interval{low, high}
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
