package compare

import (
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
)

// Pair is a repetition of a task on both sides.
type Pair struct {
	Base, Head *report.Episode
}

// void reports whether the pair has a void episode.
func (p *Pair) void() bool { return outcomeOf(p.Base) == void || outcomeOf(p.Head) == void }

// alike reports whether both sides passed, or neither did.
func (p *Pair) alike() bool {
	return (outcomeOf(p.Base) == passed) == (outcomeOf(p.Head) == passed)
}

func sameCall(b, h *report.Call) bool { return b.Tool == h.Tool && b.Args == h.Args }

// Tool is how the calls of one tool differ.
type Tool struct {
	Name       string
	Base, Head ToolSide
	Shift      stats.Estimate // of the time of a call in ms; only of runs that took turns

	times [3][]float64 // of a call in each pair: base, head, and how much longer the head took
}

// ToolSide is what the calls of a tool needed in the pairs of episodes.
type ToolSide struct {
	Calls, Errors, Tokens int
	Ms                    float64 // of a call: the median of the pairs' means, over the calls that both made
}

func (t *ToolSide) add(c *report.Call) {
	t.Calls++
	t.Tokens += c.ArgTokens + c.AnswerTokens
	t.Errors += count(c.Error)
}

// tool returns the tool of this name, a new one the first time.
func (c *Comparison) tool(name string) *Tool {
	i := slices.IndexFunc(c.Tools, func(t *Tool) bool { return t.Name == name })
	if i < 0 {
		i, c.Tools = len(c.Tools), append(c.Tools, &Tool{Name: name})
	}
	return c.Tools[i]
}

// count adds the calls of a pair to their tools. A busy moment slows all calls of an episode: their mean
// is one observation.
func (c *Comparison) count(p *Pair) {
	if p.Base.Kept != nil || p.Head.Kept != nil {
		return
	}
	sums, n := map[*Tool][2]float64{}, map[*Tool]float64{}
	for i := range p.Base.Calls {
		b := &p.Base.Calls[i]
		t := c.tool(b.Tool)
		t.Base.add(b)
		if i < len(p.Head.Calls) && p.Head.Calls[i].Tool == b.Tool && c.Interleaved {
			sums[t] = [2]float64{sums[t][0] + b.DurationMs, sums[t][1] + p.Head.Calls[i].DurationMs}
			n[t]++
		}
	}
	for t, sum := range sums {
		b, h := sum[0]/n[t], sum[1]/n[t]
		for i, ms := range []float64{b, h, h - b} {
			t.times[i] = append(t.times[i], ms)
		}
	}
	for i := range p.Head.Calls {
		c.tool(p.Head.Calls[i].Tool).Head.add(&p.Head.Calls[i])
	}
}

func (c *Comparison) tools() {
	slices.SortFunc(c.Tools, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	level := alpha / float64(max(1, len(c.Tools))) // so the intervals of all tools hold together
	for _, t := range c.Tools {
		t.Base.Ms, t.Head.Ms = stats.Median(t.times[0], 0).Value, stats.Median(t.times[1], 0).Value
		t.Shift = stats.Median(t.times[2], level)
	}
}
