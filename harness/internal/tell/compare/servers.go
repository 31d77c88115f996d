package compare

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/policy"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// What runs with policies have besides: task by task and policy by policy, which outcomes differ, which call
// made the difference, and what a model would have read. It says nothing about chance.

// Policies compares a base and a head. Pairs have the base first.
type Policies struct {
	Names       [2]string
	Policies    []string               // that both have
	Figures     [2]*policy.Figures     // of these policies, and of the tasks that both have
	Beside      [2]*policy.Figures     // of the policies that only this side has; nil: none
	InputTokens [2]*policy.InputTokens // of the episodes that passed on both sides; nil: none
	BothPassed  int                    // how many these are
	NotBoth     []string               // the other episodes
	Separate    []Separation           // tasks that one server passes and the other does not
	sides       [2][]policy.Episode
	tasks       []policyTask
}

// task is a row: its episodes by policy.
type policyTask struct {
	id string
	of map[string]*[2][]*report.Episode
}

// Separation is a task that all episodes of one side pass and none of the other, under some policies.
type Separation struct {
	Task     string
	Passes   int // which side: 0 or 1
	Policies []string
	Call     string // that made the difference on the other side, under the first of them
	Why      string // it did not pass there
}

// comparePolicies compares two runs. base and head have the tasks and policies that both have, and wholeBase
// and wholeHead all. It returns nil if no task has a policy.
func comparePolicies(base, head, wholeBase, wholeHead *report.Report, names [2]string) *Policies {
	c := &Policies{Names: names, sides: [2][]policy.Episode{report.PolicyEpisodes(base), report.PolicyEpisodes(head)}}
	for i, r := range []*report.Report{base, head} {
		if c.Figures[i] = policy.FiguresOf(c.sides[i], r.Core); c.Figures[i] == nil {
			return nil
		}
	}
	for _, r := range c.Figures[0].Rows {
		c.Policies = append(c.Policies, r.Policy)
	}
	for i, r := range []*report.Report{wholeBase, wholeHead} {
		others := slices.DeleteFunc(report.PolicyEpisodes(r), func(e policy.Episode) bool { return slices.Contains(c.Policies, e.Policy) })
		c.Beside[i] = policy.FiguresOf(others, r.Core)
	}
	c.fill(base, head)
	c.inputTokens()
	c.separate()
	return c
}

func (c *Policies) fill(sides ...*report.Report) {
	rows := map[string]map[string]*[2][]*report.Episode{}
	for side, r := range sides {
		for _, e := range r.Episodes.All() {
			id, name := record.SplitPolicy(e.TaskID)
			if name == "" {
				continue
			}
			if rows[id] == nil {
				rows[id] = map[string]*[2][]*report.Episode{}
			}
			if rows[id][name] == nil {
				rows[id][name] = new([2][]*report.Episode)
			}
			rows[id][name][side] = append(rows[id][name][side], e)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(rows)) {
		c.tasks = append(c.tasks, policyTask{id, rows[id]})
	}
}

// pairs yields the cells of the table, by policyTask, then policy.
func (c *Policies) pairs(yield func(t policyTask, name string, sides *[2][]*report.Episode)) {
	for _, t := range c.tasks {
		for _, name := range c.Policies {
			if sides := t.of[name]; sides != nil {
				yield(t, name, sides)
			}
		}
	}
}

// inputTokens adds up the input tokens of the repetitions that passed on both sides.
func (c *Policies) inputTokens() {
	c.pairs(func(_ policyTask, _ string, sides *[2][]*report.Episode) {
		for _, b := range sides[0] {
			i := slices.IndexFunc(sides[1], func(h *report.Episode) bool { return h.Repetition == b.Repetition })
			if i < 0 {
				continue
			}
			h := sides[1][i]
			switch {
			case b.Outcome != policy.Passed || h.Outcome != policy.Passed:
				c.NotBoth = append(c.NotBoth, b.Name)
			case b.InputTokens != nil && h.InputTokens != nil: // else it is not known
				c.BothPassed++
				c.InputTokens[0], c.InputTokens[1] = b.InputTokens.Plus(c.InputTokens[0]), h.InputTokens.Plus(c.InputTokens[1])
			}
		}
	})
}

func policyOutcomes(all []*report.Episode) (list []policy.Episode) {
	for _, e := range all {
		list = append(list, policy.Episode{Outcome: e.Outcome})
	}
	return list
}

func (c *Policies) separate() {
	c.pairs(func(t policyTask, name string, sides *[2][]*report.Episode) {
		for winner := range 2 {
			every, _ := policy.Counted(policyOutcomes(sides[winner]))
			_, none := policy.Counted(policyOutcomes(sides[1-winner]))
			if !every || !none {
				continue
			}
			at := slices.IndexFunc(c.Separate, func(s Separation) bool { return s.Task == t.id && s.Passes == winner })
			if at < 0 {
				lost := sides[1-winner]
				e := lost[slices.IndexFunc(lost, func(e *report.Episode) bool { return e.Outcome != "" })]
				s := Separation{Task: t.id, Passes: winner}
				s.Call, s.Why = decisive(e)
				at, c.Separate = len(c.Separate), append(c.Separate, s)
			}
			c.Separate[at].Policies = append(c.Separate[at].Policies, name)
		}
	})
}

// Tables are the figures, how each task ended under each policy, and what separates the servers.
func (c *Policies) Tables() []policy.Table {
	return []policy.Table{c.figures(), policy.Matrix(c.sides[0], c.sides[1]), c.separations()}
}

// separations has a row for each task that separates the two servers.
func (c *Policies) separations() policy.Table {
	t := policy.Table{ID: "separate", Title: "Tasks that separate the servers"}
	t.Header = []string{"task", "passes on", "under", "call that made the difference", "what happened"}
	for _, s := range c.Separate {
		t.Rows = append(t.Rows, []string{s.Task, c.Names[s.Passes], strings.Join(s.Policies, ", "), s.Call, s.Why})
	}
	return t
}

// figures has a row for each policy and side: first the policies that both have, then the others.
func (c *Policies) figures() policy.Table {
	t := policy.Table{ID: "policies", Title: "Policies"}
	add := func(side int, f *policy.Figures, beside string) {
		if f == nil {
			return
		}
		header, rows := f.Table()
		t.Header = append([]string{"server"}, header...)
		for _, row := range rows {
			t.Rows = append(t.Rows, append([]string{c.Names[side] + beside}, row...))
		}
	}
	for side := range 2 {
		add(side, c.Figures[side], "")
	}
	for side := range 2 {
		add(side, c.Beside[side], ", not compared")
	}
	return t
}

// Lines say in words what the tables do not.
func (c *Policies) Lines() (lines []string) {
	for side, f := range c.Figures {
		for _, line := range f.Lines() {
			lines = append(lines, display.Visible(c.Names[side])+": "+line)
		}
	}
	switch {
	case c.BothPassed == 0:
		lines = append(lines, "input tokens: no episode passed on both sides, or it is not known what they read")
	default:
		for side, b := range c.InputTokens {
			lines = append(lines, fmt.Sprintf("input tokens of %s that passed on both, %s: %s", display.Count(c.BothPassed, "episode"), display.Visible(c.Names[side]), b))
		}
		lines = append(lines, fmt.Sprintf("who reads less, by bytes, o200k_base and cl100k_base: %s; with a prompt cache: %s",
			c.less(policy.Less(c.InputTokens[0].Read, c.InputTokens[1].Read)), c.less(policy.Less(c.InputTokens[0].Cached, c.InputTokens[1].Cached))))
	}
	if len(c.NotBoth) > 0 {
		lines = append(lines, "input tokens not counted, because they did not pass on both: "+policy.Named(c.NotBoth))
	}
	return lines
}

// less names the side that has less.
func (c *Policies) less(sign int) string {
	switch sign {
	case -1:
		return display.Visible(c.Names[0])
	case 1:
		return display.Visible(c.Names[1])
	}
	return "tie"
}
