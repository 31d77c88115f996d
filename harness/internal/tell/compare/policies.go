package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Policies are what runs with policies have besides: their figures, and what a model would have read. It says
// nothing about chance.
type Policies struct {
	sides      [2]policySide
	bothPassed int // episodes
}

// policySide is the base or the head.
type policySide struct {
	name        string
	figures     *report.PolicyFigures // of the policies and tasks that both have
	inputTokens *report.InputTokens   // of the episodes that passed on both sides; nil: none
}

// comparePolicies returns nil if no task has a policy.
func comparePolicies(c *Comparison) *Policies {
	p := new(Policies)
	for i, s := range c.sides() {
		p.sides[i] = policySide{name: s.Name, figures: report.PolicyFiguresOf(s.Report.OfPolicies(), s.Report.Core)}
		if p.sides[i].figures == nil {
			return nil
		}
	}
	for _, t := range c.tasks(func(t *Task) bool { return t.policy != "" }) {
		p.read(t)
	}
	return p
}

// read adds up the input tokens of the repetitions that passed on both sides.
func (p *Policies) read(t *Task) {
	for _, pair := range t.pairs {
		b, h := pair.Base, pair.Head
		isKnown := b.InputTokens != nil && h.InputTokens != nil
		if isKnown && outcomeOf(b) == passed && outcomeOf(h) == passed {
			p.bothPassed++
			p.sides[0].inputTokens = b.InputTokens.Plus(p.sides[0].inputTokens)
			p.sides[1].inputTokens = h.InputTokens.Plus(p.sides[1].inputTokens)
		}
	}
}

// Lines say in words what the tables do not.
func (p *Policies) Lines() (lines []string) {
	for _, s := range p.sides {
		for _, line := range s.figures.Lines() {
			lines = append(lines, display.Visible(s.name)+": "+line)
		}
	}
	if p.bothPassed == 0 {
		lines = append(lines, "input tokens: no episode passed on both sides, or it is not known what they read")
	} else {
		for _, s := range p.sides {
			lines = append(lines, fmt.Sprintf("input tokens of %s that passed on both, %s: %s",
				display.Count(p.bothPassed, "episode"), display.Visible(s.name), s.inputTokens))
		}
		base, head := p.sides[0], p.sides[1]
		less := map[int]string{-1: display.Visible(base.name), 0: "tie", 1: display.Visible(head.name)}
		b, h := base.inputTokens, head.inputTokens
		lines = append(lines, fmt.Sprintf("who reads less, by bytes and o200k_base: %s; with a prompt cache: %s",
			less[b.Read.Compare(h.Read)], less[b.Cached.Compare(h.Cached)]))
	}
	return lines
}

// Table has the figures of both sides.
func (p *Policies) Table() Table {
	figures := Table{Title: "Policies"}
	for _, s := range p.sides {
		header, rows := s.figures.Table()
		figures.Header = append([]string{"server"}, header...)
		for _, row := range rows {
			figures.Rows = append(figures.Rows, append([]string{s.name}, row...))
		}
	}
	return figures
}

// Tables are the policies of a run, and how each task ended under each policy.
func Tables(f *report.PolicyFigures, all report.Episodes) []Table {
	header, rows := f.Table()
	return []Table{{"Policies", header, rows}, matrix(all)}
}

// matrix has a row for each task and a column for each policy.
func matrix(all report.Episodes) Table {
	ended := map[record.Under]*Cell{}
	tasks, policies := map[string]bool{}, map[string]bool{}
	for _, e := range all.All() {
		tasks[e.Of], policies[e.Policy] = true, true
		if ended[e.Under] == nil {
			ended[e.Under] = new(Cell)
		}
		ended[e.Under].add(e)
	}
	names := slices.Sorted(maps.Keys(policies))
	t := Table{"Task by policy", append([]string{"task"}, names...), nil}
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		row := []string{task}
		for _, name := range names {
			row = append(row, ended[record.Under{Of: task, Policy: name}].word())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// word says how the episodes of a task under a policy ended.
func (c *Cell) word() string {
	switch {
	case c == nil:
		return "–"
	case c.Passed > 0 && c.Lost+c.Void > 0:
		return fmt.Sprintf("%d of %d passed", c.Passed, c.N()+c.Void)
	}
	return cmp.Or(string(c.Episode.Outcome), "void")
}
