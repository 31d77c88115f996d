package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/display"
)

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

// ToolSide is what the calls of a tool needed in the pairs of episodes.
type ToolSide struct {
	Calls, Errors, Tokens int
	Ms                    float64 // of a call: the median of the pairs' means, over the calls that both made
}

func (t *ToolSide) add(c *report.Call) {
	t.Calls++
	t.Tokens += c.ArgTokens + c.AnswerTokens
	if c.Error {
		t.Errors++
	}
}

func (c *Comparison) tool(name string) *Tool {
	t := c.compared[name]
	if t == nil {
		t = &Tool{Name: name}
		if c.compared == nil {
			c.compared = map[string]*Tool{}
		}
		c.compared[name] = t
	}
	return t
}

// count adds the calls of a pair to their tools. A busy moment slows all calls of an episode: their mean is one observation.
func (c *Comparison) count(p *Pair) {
	sums, n := map[*Tool][2]float64{}, map[*Tool]float64{}
	for i := range p.Base.Calls {
		b := &p.Base.Calls[i]
		t := c.tool(b.Tool)
		t.Base.add(b)
		if i < len(p.Head.Calls) && p.Head.Calls[i].Tool == b.Tool && c.NoDurations == "" {
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
	level := alpha / float64(max(1, len(c.compared))) // so the intervals of all tools hold together
	for _, name := range slices.Sorted(maps.Keys(c.compared)) {
		t := c.compared[name]
		slices.SortStableFunc(t.Examples, func(a, b Rewording) int { return cmp.Compare(b.Count, a.Count) })
		t.Examples = t.Examples[:min(len(t.Examples), maxExamples)]
		t.Base.Ms, t.Head.Ms = stats.Median(t.times[0], 0).Value, stats.Median(t.times[1], 0).Value
		t.Shift = stats.Median(t.times[2], level)
		t.times = [3][]float64{}
		c.Tools = append(c.Tools, *t)
	}
}

// words says what changed in the calls of the tool beside their number; empty if nothing did.
func (t *Tool) words() string {
	var parts []string
	if t.Shift.Clear() {
		parts = append(parts, Duration.write(t.Base.Ms)+" to "+Duration.write(t.Head.Ms))
	}
	if t.Base.Errors != t.Head.Errors {
		parts = append(parts, fmt.Sprintf("%d to %s", t.Base.Errors, display.Count(t.Head.Errors, "error")))
	}
	if parts == nil {
		return ""
	}
	return fmt.Sprintf("%s %s, %s", display.Visible(t.Name), strings.Join(parts, ", "), display.Count(t.Head.Calls, "call"))
}

// ToolTable returns the tools as a table of texts, if the servers have the same ones.
func (c *Comparison) ToolTable() (header []string, rows [][]string) {
	if !c.SameServer {
		return nil, nil
	}
	header = []string{"tool", "calls", "errors"}
	if c.NoTokens == "" {
		header = append(header, "tokens")
	}
	if c.NoDurations == "" {
		header = append(header, "time of a call")
	}
	for i := range c.Tools {
		t := &c.Tools[i]
		number := func(base, head int) string { return arrow(fmt.Sprint(base), fmt.Sprint(head)) }
		row := []string{t.Name, number(t.Base.Calls, t.Head.Calls), number(t.Base.Errors, t.Head.Errors)}
		if c.NoTokens == "" {
			row = append(row, number(t.Base.Tokens, t.Head.Tokens))
		}
		if c.NoDurations == "" {
			text := arrow(Duration.write(t.Base.Ms), Duration.write(t.Head.Ms))
			if t.Shift.Clear() {
				text += " *"
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return header, rows
}
