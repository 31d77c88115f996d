package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
)

// Pair is a repetition of a task on both sides.
type Pair struct {
	Name       string // <task-id>#<repetition>
	Base, Head *report.Episode
}

// Answer is two answers to the same call that differ. The texts are in the calls, if the
// reports were made from logs.
type Answer struct {
	Base, Head *report.Call
}

// void reports whether the pair has a void episode.
func (p *Pair) void() bool { return outcomeOf(p.Base) == void || outcomeOf(p.Head) == void }

// alike reports whether both sides passed, or neither did.
func (p *Pair) alike() bool {
	return (outcomeOf(p.Base) == passed) == (outcomeOf(p.Head) == passed)
}

// answers compares the answers of a pair, call by call, as long as both made the same calls. If the
// outcomes differ, so do the pages, and other answers are no reworded ones.
func (c *Comparison) answers(p *Pair) {
	for i := range min(len(p.Base.Calls), len(p.Head.Calls)) {
		a := Answer{&p.Base.Calls[i], &p.Head.Calls[i]}
		b, h := a.Base, a.Head
		switch {
		case b.Tool != h.Tool || b.Args != "" && h.Args != "" && b.Args != h.Args:
			return
		case b.Error != h.Error, b.Digest == "", h.Digest == "": // an error or no answer is not a reworded one
			continue
		case !p.alike():
			continue
		case b.Digest != h.Digest:
			c.Reworded++
		}
		c.tool(b.Tool).compare(a, p.Name)
	}
}

// Tool is how the calls and answers of one tool differ.
type Tool struct {
	Name       string
	Base, Head ToolSide
	Shift      stats.Estimate // of the time of a call in ms; only of runs that took turns
	Compared   int            // answers to equal calls that both sides have, in pairs with one outcome
	Reworded   int            // of these, the ones that differ
	Examples   []Rewording    // the most frequent ones, at most three

	times [3][]float64 // of a call in each pair: base, head, and how much longer the head took
}

// Rewording is a way in which answers of a tool differ.
type Rewording struct {
	Answer         // one of them
	Episode string // where it is
	Count   int
}

// maxWays is how many ways of rewording are counted for a tool, and maxExamples how many
// are kept.
const (
	maxWays     = 100
	maxExamples = 3
)

// compare counts two answers of the tool to the same call.
func (t *Tool) compare(a Answer, episode string) {
	t.Compared++
	if a.Base.Digest == a.Head.Digest {
		return
	}
	t.Reworded++
	same := func(r Rewording) bool { return r.Base.Digest == a.Base.Digest && r.Head.Digest == a.Head.Digest }
	if n := slices.IndexFunc(t.Examples, same); n >= 0 {
		t.Examples[n].Count++
	} else if len(t.Examples) < maxWays {
		t.Examples = append(t.Examples, Rewording{Answer: a, Episode: episode, Count: 1})
	}
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
	sums, n := map[*Tool][2]float64{}, map[*Tool]float64{}
	for i := range p.Base.Calls {
		b := &p.Base.Calls[i]
		t := c.tool(b.Tool)
		t.Base.add(b)
		if i < len(p.Head.Calls) && p.Head.Calls[i].Tool == b.Tool && c.Lacks[Duration] == "" {
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
		slices.SortStableFunc(t.Examples, func(a, b Rewording) int { return cmp.Compare(b.Count, a.Count) })
		t.Examples = t.Examples[:min(len(t.Examples), maxExamples)]
		t.Base.Ms, t.Head.Ms = stats.Median(t.times[0], 0).Value, stats.Median(t.times[1], 0).Value
		t.Shift = stats.Median(t.times[2], level)
	}
}
