package compare

import (
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/policy"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Rows are the row of an agent beside those of policies, and how each task ended under each.
type Rows struct {
	Tables []policy.Table
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
	base, head, _, notes := Common(base, head)
	if err := Refuse(base, head, baseName, headName, notes); err != nil {
		return nil, err
	}
	if !SameServer(base, head) || base.Server.Version != head.Server.Version || base.Server.Package != head.Server.Package {
		return nil, &Refusal{Base: baseName, Head: headName, Reasons: []string{"the server differs: run the agent and the policies on the same one"}}
	}
	var agents []policy.Episode
	has := map[string]bool{}
	for _, t := range base.Tasks {
		has[t.ID] = true
	}
	for _, e := range agent.Episodes.All() {
		if !has[e.TaskID] {
			continue
		}
		agents = append(agents, policy.Episode{
			Name: e.Name, Task: e.TaskID, Policy: "agent " + agent.Agent.Name, Family: record.Family(e.Tags, e.Category),
			Outcome: agentOutcome(e), Calls: e.Steps, Tokens: e.Tokens(),
		})
	}
	others := slices.DeleteFunc(report.PolicyEpisodes(policies), func(e policy.Episode) bool { return !has[e.Task] })
	figures, beside := policy.FiguresOf(agents, 0), policy.FiguresOf(others, 0)
	if figures == nil || beside == nil {
		return nil, &Refusal{Base: baseName, Head: headName, Reasons: []string{"no episode of both: run the agent and the policies on the same tasks"}}
	}
	tables := policy.Tables(figures, agents)
	_, rows := beside.Table()
	tables[0].Rows = append(tables[0].Rows, rows...)
	tables[1] = policy.Matrix(append(agents, others...))
	for _, void := range [][]string{figures.Void, beside.Void} {
		if void != nil {
			notes = append(notes, "left out void episodes: "+policy.Named(void))
		}
	}
	return &Rows{tables, notes}, nil
}

// withoutPolicies returns a run of policies with each task once, as an agent has it. What is of the
// policies alone, such as the caps, is the agent's.
func withoutPolicies(r, agent *report.Report) *report.Report {
	flat := *r
	flat.Adapter, flat.Profile, flat.Tasks, flat.Episodes = agent.Adapter, nil, nil, report.Episodes{}
	seen := map[string]bool{}
	for _, t := range r.Tasks {
		if t.ID, _ = record.SplitPolicy(t.ID); seen[t.ID] {
			continue
		}
		seen[t.ID] = true
		if i := slices.IndexFunc(agent.Tasks, func(a report.Task) bool { return a.ID == t.ID }); i >= 0 {
			a := agent.Tasks[i]
			t.MaxSteps, t.MaxDurationMs, t.Transcript, t.Content = a.MaxSteps, a.MaxDurationMs, a.Transcript, a.Content
		}
		flat.Tasks = append(flat.Tasks, t)
	}
	for _, e := range r.Episodes.All() {
		one := *e
		one.TaskID, _ = record.SplitPolicy(e.TaskID)
		flat.Episodes.Add(one)
	}
	return &flat
}

// agentOutcome says how an episode of an agent ended, in the words for policies.
func agentOutcome(e *report.Episode) policy.Outcome {
	counts, passed := e.Tried()
	switch {
	case !counts:
		return ""
	case passed:
		return policy.Passed
	case len(e.WrongSideEffects) > 0:
		return policy.WrongSideEffect
	case e.Cause == record.CauseContract:
		return policy.Wrong
	}
	return policy.GaveUp
}
