package compare

import (
	"math"

	"github.com/openchrome/bench/harness/internal/tell/stats"
)

// least is how many repetitions that count a regression or a fix needs on each side.
const least = 3

// Varies reports whether some repetitions passed and others did not. If none varies, all are one
// observation, and there is no interval.
func (c Counts) Varies() bool { return c.Passed > 0 && c.Lost > 0 }

// chancy reports whether chance moves the outcomes of the task. It moves every agent.
func (c *Comparison) chancy(t *Task) bool { return c.Agents || t.Base.Varies() || t.Head.Varies() }

// reversals finds the regressions and the fixes. Where outcomes vary, chance can reverse a task too: each
// that varies reverses at most once in 2^(n-1) times, if both sides together have n repetitions. So if
// chance alone would often give as many reversals, none is shown. The side that varies less counts: a
// server that became unsteady does not hide what it lost. The policies of a task reverse together.
func (c *Comparison) reversals() {
	var of, base, head []*Task
	n := math.MaxInt
	for i := range c.Tasks {
		t := &c.Tasks[i]
		t.Reversal = NoReversal
		if c.Agents {
			continue
		}
		if whole := t.whole(); whole != NoReversal && min(t.Base.N(), t.Head.N()) >= least {
			t.Reversal = whole
			of, n = append(of, t), min(n, t.Base.N()+t.Head.N())
		}
		if t.Base.Varies() {
			base = append(base, t)
		}
		if t.Head.Varies() {
			head = append(head, t)
		}
	}
	reversed, policies := together(of), 1
	for _, group := range reversed {
		policies = max(policies, len(group))
	}
	k, vary := len(reversed), min(len(together(base)), len(together(head)))
	if stats.AtLeast(k, k+vary, min(1, float64(policies)*math.Exp2(float64(1-n)))) > alpha {
		for _, t := range of {
			t.Reversal = NoReversal
		}
	}
}

// whole reports how every repetition of the task changed its outcome, however few there are.
func (t *Task) whole() Reversal {
	switch base, head := t.Base, t.Head; {
	case base.N() == 0 || head.N() == 0:
	case base.Lost == 0 && head.Passed == 0:
		return Regression
	case base.Passed == 0 && head.Lost == 0:
		return Fix
	}
	return NoReversal
}
