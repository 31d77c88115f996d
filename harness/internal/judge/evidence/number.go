package evidence

import (
	"math"

	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
)

// IsInteger is Number.isInteger.
func IsInteger(n float64) bool { return n == math.Trunc(n) && !math.IsInf(n, 0) }

// IsSafeInteger is Number.isSafeInteger.
func IsSafeInteger(n float64) bool { return IsInteger(n) && math.Abs(n) <= 1<<53-1 }

// IsFinite reports whether n is a finite number; n is not NaN.
func IsFinite(n float64) bool { return !math.IsInf(n, 0) }

// Bounded reports whether s has between 1 and n UTF-16 units.
func Bounded(s string, n int) bool { return s != "" && jsregexp.Length(s) <= n }
