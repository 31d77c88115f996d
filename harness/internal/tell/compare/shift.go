package compare

import (
	"slices"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
)

// alpha is how often a comparison may see a difference where there is none.
const alpha = 0.05

// success compares the rates. Only if the two runs took turns, it also tests them: each task by
// Fisher's exact test, and all tasks together by the test of Cochran, Mantel and Haenszel. One run
// a side cannot tell a change from a busy hour of its machine.
func (c *Comparison) success() {
	var of []*Task
	var ps, least []float64
	var base, head Counts
	for i := range c.Tasks {
		t := &c.Tasks[i]
		b, h := t.Base.Counts, t.Head.Counts
		if b.N() == 0 || h.N() == 0 {
			continue
		}
		t.Success.Change.Value = h.Rate() - b.Rate()
		of = append(of, t)
		ps, least = append(ps, stats.Fisher(b.Passed, b.N(), h.Passed, h.N())), append(least, stats.LeastFisher(b.Passed+h.Passed, b.N(), h.N()))
		base.sum(b)
		head.sum(h)
	}
	if len(of) == 0 {
		return
	}
	overall, each := halves(len(of))
	for i, level := range stats.Tarone(least, each) {
		if t := of[i]; c.Interleaved && c.chancy(t) {
			t.Success.Shown = ps[i] <= level
			t.Success.Change.Interval = stats.Newcombe(t.Base.Rate(), t.Base.N(), t.Head.Rate(), t.Head.N(), level)
		}
	}
	if len(of) == 1 {
		c.Success = of[0].Success
		return
	}
	c.Success.Change.Value = head.Rate() - base.Rate()
	if c.Interleaved && slices.ContainsFunc(of, c.chancy) {
		once, n, m := tables(of), 0, 0
		for _, t := range once {
			n, m = n+t.BaseN, m+t.HeadN
		}
		c.Success.Shown = stats.Stratified(once) <= overall
		c.Success.Change.Interval = stats.Newcombe(base.Rate(), n, head.Rate(), m, overall)
	}
}

// halves divides alpha between what is said of all tasks together and of each task.
func halves(tasks int) (overall, each float64) {
	if tasks < 2 {
		return 0, alpha
	}
	return alpha / 2, alpha / 2
}

func amount(e *report.Episode, m Metric) float64 {
	switch m {
	case Steps:
		return float64(e.Steps)
	case Calls:
		return float64(e.ToolCalls)
	case Errors:
		return float64(e.OpenchromeErrors)
	case Tokens:
		return float64(e.Tokens())
	}
	return e.DurationMs
}

// shifts estimates how much more the head needed, for each metric that both sides have.
func (c *Comparison) shifts() {
	for _, m := range Metrics {
		if m == Tokens && c.NoTokens != "" || m == Duration && c.NoDurations != "" {
			continue
		}
		c.shift(m)
	}
}

// shift takes the pairs with the same outcome: of each task, and of all, of which equal servers make each as likely to rise as to fall.
func (c *Comparison) shift(m Metric) {
	of := c.tasks(func(t *Task) bool { return len(t.same) > 0 })
	overall, each := halves(len(of))
	for _, t := range of {
		t.Shifts = append(t.Shifts, shiftIn([]*Task{t}, m, each/float64(len(of)))) // so the intervals of all tasks hold together
	}
	if len(of) > 1 {
		c.Shifts = append(c.Shifts, shiftIn(of, m, overall))
	}
}

func shiftIn(of []*Task, m Metric, level float64) Shift {
	var none bool // of the base has no share
	changes := pooled(of, func(p *Pair) float64 { return amount(p.Head, m) - amount(p.Base, m) })
	shares := pooled(of, func(p *Pair) float64 {
		b, h := amount(p.Base, m), amount(p.Head, m)
		none = none || b <= 0
		return h/b - 1
	})
	s := Shift{Metric: m, N: len(changes), Change: stats.Median(changes, level)}
	if !none {
		s.Relative = stats.Median(shares, level)
	}
	return s
}

// shiftOf returns the shift of a metric, nil if there is none.
func shiftOf(list []Shift, m Metric) *Shift {
	if i := slices.IndexFunc(list, func(s Shift) bool { return s.Metric == m }); i >= 0 {
		return &list[i]
	}
	return nil
}
