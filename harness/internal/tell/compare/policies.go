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
	bothPassed int      // episodes
	notBoth    []string // the other episodes
}

// policySide is the base or the head.
type policySide struct {
	name        string
	episodes    report.Episodes
	figures     *report.PolicyFigures // of the policies and tasks that both have
	beside      *report.PolicyFigures // of the policies that only this side has; nil: none
	inputTokens *report.InputTokens   // of the episodes that passed on both sides; nil: none
}

// comparePolicies returns nil if no task has a policy.
func comparePolicies(c *Comparison) *Policies {
	p := new(Policies)
	for i, s := range c.sides() {
		p.sides[i] = policySide{name: s.Name, episodes: s.Report.OfPolicies()}
		of := &p.sides[i]
		if of.figures = report.PolicyFiguresOf(of.episodes, s.Report.Core); of.figures == nil {
			return nil
		}
		others := s.whole.OfPolicies().Where(func(e *report.Episode) bool {
			return !slices.ContainsFunc(p.sides[0].figures.Rows, func(r report.PolicyRow) bool { return r.Policy == e.Policy })
		})
		of.beside = report.PolicyFiguresOf(others, s.Report.Core)
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
		switch {
		case outcomeOf(b) != passed || outcomeOf(h) != passed:
			p.notBoth = append(p.notBoth, b.Name)
		case b.InputTokens != nil && h.InputTokens != nil: // else it is not known
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
		lines = append(lines, fmt.Sprintf("who reads less, by bytes, o200k_base and cl100k_base: %s; with a prompt cache: %s",
			less[b.Read.Compare(h.Read)], less[b.Cached.Compare(h.Cached)]))
	}
	if len(p.notBoth) > 0 {
		lines = append(lines, "input tokens not counted, because they did not pass on both: "+report.Named(p.notBoth))
	}
	return lines
}

// Table has the figures of both sides.
func (p *Policies) Table() Table {
	figures := Table{Title: "Policies"}
	add := func(name string, f *report.PolicyFigures) {
		if f == nil {
			return
		}
		header, rows := f.Table()
		figures.Header = append([]string{"server"}, header...)
		for _, row := range rows {
			figures.Rows = append(figures.Rows, append([]string{name}, row...))
		}
	}
	for _, s := range p.sides {
		add(s.name, s.figures)
	}
	for _, s := range p.sides {
		add(s.name+", not compared", s.beside)
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
	ended := map[record.Under]map[report.Outcome]int{}
	tasks, policies := map[string]bool{}, map[string]bool{}
	for _, e := range all.All() {
		tasks[e.Of], policies[e.Policy] = true, true
		if ended[e.Under] == nil {
			ended[e.Under] = map[report.Outcome]int{}
		}
		ended[e.Under][e.Outcome]++
	}
	names := slices.Sorted(maps.Keys(policies))
	t := Table{"Task by policy", append([]string{"task"}, names...), nil}
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		row := []string{task}
		for _, name := range names {
			row = append(row, cell(ended[record.Under{Of: task, Policy: name}]))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cell says how the episodes of a task under a policy ended.
func cell(counts map[report.Outcome]int) string {
	n := -counts[""] // void ones
	for outcome, of := range counts {
		if len(counts) == 1 {
			return cmp.Or(string(outcome), "void")
		}
		n += of
	}
	switch passed := counts[report.Passed]; {
	case len(counts) == 0:
		return "–"
	case passed == n:
		return string(report.Passed)
	default:
		return fmt.Sprintf("%d of %d passed", passed, n)
	}
}

// Rows are the row of an agent beside those of policies, and how each task ended under each.
type Rows struct {
	Tables []Table
	Notes  []string
}

// Beside puts an agent beside the policies on the same server, over the tasks that both runs have.
// They share no mean: a model does the agent's thinking, and a script that of the policies. It
// returns nil unless one run has an agent and the other policies. The error is a [*Refusal].
func Beside(base, head *report.Report, baseName, headName string) (*Rows, error) {
	agent, policies := base, head
	switch {
	case base.Agent != nil && head.Agent == nil && head.Profile != nil:
		head = withoutPolicies(head, base)
	case base.Agent == nil && base.Profile != nil && head.Agent != nil:
		agent, policies = head, base
		base = withoutPolicies(base, head)
	default:
		return nil, nil
	}
	c, err := match(base, head, Options{Base: baseName, Head: headName})
	if err != nil {
		return nil, err
	}
	refused := func(reason string) error { return &Refusal{c.Base.Name, c.Head.Name, []string{reason}} }
	if a, b := base.Server, head.Server; !sameServer(base, head) || a.Version != b.Version || a.Package != b.Package {
		return nil, refused("the server differs: run the agent and the policies on the same one")
	}
	in := tasksOf(c.Base.Report)
	both := func(e *report.Episode) bool { return in[e.Of] != nil }
	all, others := asPolicy(agent).Where(both), policies.OfPolicies().Where(both)
	if all.Len() == 0 || others.Len() == 0 {
		return nil, refused("no episode of both: run the agent and the policies on the same tasks")
	}
	for _, e := range others.All() {
		all.Add(*e)
	}
	figures := report.PolicyFiguresOf(all, 0)
	if figures.Void != nil {
		c.note("left out void episodes: %s", report.Named(figures.Void))
	}
	return &Rows{Tables(figures, all), c.Notes}, nil
}

// withoutPolicies returns a run of policies with each task once, as an agent has it. What is of the
// policies alone, such as the caps, is the agent's.
func withoutPolicies(r, agent *report.Report) *report.Report {
	flat := *r
	flat.Adapter, flat.Profile, flat.Tasks, flat.Episodes = agent.Adapter, nil, nil, report.Episodes{}
	of := tasksOf(agent)
	seen := map[string]bool{}
	for _, t := range r.Tasks {
		if t.ID, t.Under = cmp.Or(t.Of, t.ID), (record.Under{}); seen[t.ID] {
			continue
		}
		seen[t.ID] = true
		if a := of[t.ID]; a != nil {
			t.MaxSteps, t.MaxDurationMs, t.Transcript, t.Content = a.MaxSteps, a.MaxDurationMs, a.Transcript, a.Content
		}
		flat.Tasks = append(flat.Tasks, t)
	}
	for _, e := range r.Episodes.All() {
		e.TaskID, e.Under = cmp.Or(e.Of, e.TaskID), record.Under{}
		flat.Episodes.Add(*e)
	}
	return &flat
}

// asPolicy are the episodes of an agent, in the words for policies.
func asPolicy(r *report.Report) (all report.Episodes) {
	for _, e := range r.Episodes.All() {
		e.Under = record.Under{Of: e.TaskID, Policy: "agent " + r.Agent.Name}
		switch counts, passed := e.Tried(); {
		case !counts:
		case passed:
			e.Outcome = report.Passed
		case len(e.WrongSideEffects) > 0:
			e.Outcome = report.WrongSideEffect
		case e.Cause == record.CauseContract:
			e.Outcome = report.Wrong
		default:
			e.Outcome = report.GaveUp
		}
		all.Add(*e)
	}
	return all
}
