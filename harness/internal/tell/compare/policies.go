package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/policy"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Policies are what runs with policies have besides, base first: their figures, which call made the
// difference, and what a model would have read. It says nothing about chance.
type Policies struct {
	names       [2]string
	figures     [2]*policy.Figures     // of the policies and tasks that both have
	beside      [2]*policy.Figures     // of the policies that only this side has; nil: none
	inputTokens [2]*policy.InputTokens // of the episodes that passed on both sides; nil: none
	bothPassed  int                    // how many these are
	notBoth     []string               // the other episodes
	separate    []separation
	sides       [2][]policy.Episode
}

// separation is a task that all episodes of one side pass and none of the other, under some policies.
type separation struct {
	task, winner string
	policies     []string
	call         string // that made the difference on the other side, under the first of them
	why          string // it did not pass there
}

// comparePolicies returns nil if no task has a policy.
func comparePolicies(c *Comparison) *Policies {
	p := &Policies{names: [2]string{c.Base.Name, c.Head.Name}}
	for i, side := range c.sides() {
		p.sides[i] = report.PolicyEpisodes(side.Report)
		if p.figures[i] = policy.FiguresOf(p.sides[i], side.Report.Core); p.figures[i] == nil {
			return nil
		}
		common := func(e policy.Episode) bool {
			return slices.ContainsFunc(p.figures[0].Rows, func(r policy.Row) bool { return r.Policy == e.Policy })
		}
		others := slices.DeleteFunc(report.PolicyEpisodes(side.whole), common)
		p.beside[i] = policy.FiguresOf(others, side.Report.Core)
	}
	byPolicy := c.tasks(func(t *Task) bool { return t.policy != "" })
	slices.SortFunc(byPolicy, func(a, b *Task) int {
		return cmp.Or(strings.Compare(a.of, b.of), strings.Compare(a.policy, b.policy))
	})
	for _, t := range byPolicy {
		p.read(t)
		switch t.whole() {
		case Regression:
			p.separates(t, p.names[0], &t.Head)
		case Fix:
			p.separates(t, p.names[1], &t.Base)
		}
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
			p.inputTokens[0] = b.InputTokens.Plus(p.inputTokens[0])
			p.inputTokens[1] = h.InputTokens.Plus(p.inputTokens[1])
		}
	}
}

// separates notes a task that only the winner passes.
func (p *Policies) separates(t *Task, winner string, loser *TaskSide) {
	at := slices.IndexFunc(p.separate, func(s separation) bool { return s.task == t.of && s.winner == winner })
	if at < 0 {
		first := slices.IndexFunc(loser.episodes, func(e *report.Episode) bool { return outcomeOf(e) == lost })
		call, why := decisive(loser.episodes[first])
		at, p.separate = len(p.separate), append(p.separate, separation{task: t.of, winner: winner, call: call, why: why})
	}
	p.separate[at].policies = append(p.separate[at].policies, t.policy)
}

// decisive names the step to look at in a failed episode, and says why it failed.
func decisive(e *report.Episode) (call, why string) {
	why = explain.Why(e)
	c, how := explain.WrongStep(e)
	switch {
	case e.Outcome == policy.NoTool:
		return "none: the profile lacks it", why
	case c == nil:
		return "not known", why
	}
	return fmt.Sprintf("step %d, %s: %s", c.Step, c.Tool, how), why
}

// Lines say in words what the tables do not.
func (p *Policies) Lines() (lines []string) {
	for side, f := range p.figures {
		for _, line := range f.Lines() {
			lines = append(lines, display.Visible(p.names[side])+": "+line)
		}
	}
	if p.bothPassed == 0 {
		lines = append(lines, "input tokens: no episode passed on both sides, or it is not known what they read")
	} else {
		for side, b := range p.inputTokens {
			lines = append(lines, fmt.Sprintf("input tokens of %s that passed on both, %s: %s",
				display.Count(p.bothPassed, "episode"), display.Visible(p.names[side]), b))
		}
		less := map[int]string{-1: display.Visible(p.names[0]), 0: "tie", 1: display.Visible(p.names[1])}
		b, h := p.inputTokens[0], p.inputTokens[1]
		lines = append(lines, fmt.Sprintf("who reads less, by bytes, o200k_base and cl100k_base: %s; with a prompt cache: %s",
			less[policy.Less(b.Read, h.Read)], less[policy.Less(b.Cached, h.Cached)]))
	}
	if len(p.notBoth) > 0 {
		lines = append(lines, "input tokens not counted, because they did not pass on both: "+policy.Named(p.notBoth))
	}
	return lines
}

// Tables are the figures, how each task ended under each policy, and what separates the servers.
func (p *Policies) Tables() []Table {
	separate := Table{Title: "Tasks that separate the servers"}
	separate.Header = []string{"task", "passes on", "under", "call that made the difference", "what happened"}
	for _, s := range p.separate {
		separate.Rows = append(separate.Rows, []string{s.task, s.winner, strings.Join(s.policies, ", "), s.call, s.why})
	}
	figures := Table{Title: "Policies"}
	for i, f := range slices.Concat(p.figures[:], p.beside[:]) {
		if f == nil {
			continue
		}
		header, rows := f.Table()
		figures.Header = append([]string{"server"}, header...)
		for _, row := range rows {
			name := p.names[i%2] + []string{"", ", not compared"}[i/2]
			figures.Rows = append(figures.Rows, append([]string{name}, row...))
		}
	}
	return []Table{figures, matrix(p.sides[:]...), separate}
}

// Tables are the policies of a run, and how each task ended under each policy.
func Tables(f *policy.Figures, all []policy.Episode) []Table {
	header, rows := f.Table()
	return []Table{{"Policies", header, rows}, matrix(all)}
}

// matrix has a row for each task and a column for each policy. Where two sides ended alike, a cell
// says it once.
func matrix(sides ...[]policy.Episode) Table {
	cells := map[[2]string][][]policy.Episode{} // by task and policy, then side
	tasks, policies := map[string]bool{}, map[string]bool{}
	for side, all := range sides {
		for _, e := range all {
			at := [2]string{e.Task, e.Policy}
			tasks[e.Task], policies[e.Policy] = true, true
			if cells[at] == nil {
				cells[at] = make([][]policy.Episode, len(sides))
			}
			cells[at][side] = append(cells[at][side], e)
		}
	}
	names := slices.Sorted(maps.Keys(policies))
	t := Table{"Task by policy", append([]string{"task"}, names...), nil}
	if len(sides) > 1 {
		t.Title, t.Header[0] = "Task by policy: base | head", "task (base | head)"
	}
	for _, task := range slices.Sorted(maps.Keys(tasks)) {
		row := []string{task}
		for _, name := range names {
			var texts []string
			for _, of := range cells[[2]string{task, name}] {
				texts = append(texts, cell(of))
			}
			row = append(row, cmp.Or(strings.Join(slices.Compact(texts), " | "), "–"))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func cell(all []policy.Episode) string {
	counts := map[policy.Outcome]int{}
	for _, e := range all {
		counts[e.Outcome]++
	}
	switch passed, n := counts[policy.Passed], len(all)-counts[""]; {
	case len(all) == 0:
		return "–"
	case len(counts) == 1:
		return cmp.Or(string(all[0].Outcome), "void")
	case passed == n:
		return string(policy.Passed) // and void
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
	without := func(e policy.Episode) bool { return in[e.Task] == nil }
	agents := slices.DeleteFunc(agentEpisodes(agent), without)
	others := slices.DeleteFunc(report.PolicyEpisodes(policies), without)
	figures, beside := policy.FiguresOf(agents, 0), policy.FiguresOf(others, 0)
	if figures == nil || beside == nil {
		return nil, refused("no episode of both: run the agent and the policies on the same tasks")
	}
	tables := Tables(figures, append(agents, others...))
	_, rows := beside.Table()
	tables[0].Rows = append(tables[0].Rows, rows...)
	for _, void := range [][]string{figures.Void, beside.Void} {
		if void != nil {
			c.Notes = append(c.Notes, "left out void episodes: "+policy.Named(void))
		}
	}
	return &Rows{tables, c.Notes}, nil
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

// agentEpisodes are the episodes of an agent, in the words for policies.
func agentEpisodes(r *report.Report) (all []policy.Episode) {
	for _, e := range r.Episodes.All() {
		outcome := policy.GaveUp
		switch counts, passed := e.Tried(); {
		case !counts:
			outcome = ""
		case passed:
			outcome = policy.Passed
		case len(e.WrongSideEffects) > 0:
			outcome = policy.WrongSideEffect
		case e.Cause == record.CauseContract:
			outcome = policy.Wrong
		}
		all = append(all, policy.Episode{
			Name: e.Name, Task: e.TaskID, Policy: "agent " + r.Agent.Name, Family: record.Family(e.Tags, e.Category),
			Outcome: outcome, Calls: e.Steps, Tokens: e.Tokens(),
		})
	}
	return all
}
