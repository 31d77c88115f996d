package stats

import "gonum.org/v1/gonum/mathext"

// Package distuv of gonum has these distributions too, but links 20 packages for
// linear algebra.

// binomial is the number of passed episodes of n, if each passes with this rate.
type binomial struct{ n, rate float64 }

// atMost returns how often the number is at most k, from 0 on.
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
