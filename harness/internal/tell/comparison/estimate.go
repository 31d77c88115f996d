package comparison

import "github.com/openchrome/bench/harness/internal/tell/report"

// Estimate is a value with its 95 % interval. The intervals of all tasks hold together
// with 95 %: they are corrected for the number of tasks.
type Estimate struct {
	Value    float64
	Interval *report.Interval // nil: too few to have one
}

// Clear reports whether the interval lies on one side of 0.
func (e Estimate) Clear() bool {
	return e.Interval != nil && (e.Interval.Low > 0 || e.Interval.High < 0)
}
