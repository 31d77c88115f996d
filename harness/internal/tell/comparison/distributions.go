package comparison

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Package distuv of gonum has these distributions too, but links 20 packages for
// linear algebra.

// normal returns how often a standard normal variable is at most x.
func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// binomial is the number of passed episodes of n, if each passes with this rate.
type binomial struct{ n, rate float64 }

func (b binomial) mean() float64      { return b.n * b.rate }
func (b binomial) deviation() float64 { return math.Sqrt(b.n * b.rate * (1 - b.rate)) }

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
