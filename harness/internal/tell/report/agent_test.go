package report

import (
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// said is an episode of an agent.
func said(task string, repetition int, status record.Status, cost *float64, output *int) Episode {
	a := &AgentSaid{Tools: 23}
	a.CostUSD = cost
	if output != nil {
		a.Usage = &adapter.Usage{OutputTokens: output}
	}
	return Episode{TaskID: task, Repetition: repetition, Status: status, Success: status == record.Passed, AgentSaid: a}
}

// What is unknown stays unknown and is never 0. An agent's own failure is no pass; an outage is
// left out.
func TestAgentFigures(t *testing.T) {
	cost, tokens, zero := 0.5, 100, 0
	tests := []struct {
		name     string
		episodes []Episode
		want     AgentFigures
	}{
		{"nothing is known", []Episode{said("a", 1, record.Passed, nil, nil)},
			AgentFigures{Episodes: 1, Tools: 23, PassAll: []PassAll{{1, 1, 1}}}},
		{"all is known", []Episode{said("a", 1, record.Passed, &cost, &tokens), said("a", 2, record.Failed, &cost, &zero)},
			AgentFigures{Episodes: 2, Tools: 23, CostUSD: &AgentSum{1, 2}, OutputTokens: &AgentSum{100, 2}, CostPerPass: new(1.0), PassAll: []PassAll{{1, 0.5, 1}, {2, 0, 1}}}},
		{"some is known", []Episode{said("a", 1, record.Passed, &cost, nil), said("b", 1, record.Passed, nil, &tokens)},
			AgentFigures{Episodes: 2, Tools: 23, CostUSD: &AgentSum{0.5, 1}, OutputTokens: &AgentSum{100, 1}, PassAll: []PassAll{{1, 1, 2}}}},
		{"none passed", []Episode{said("a", 1, record.Failed, &cost, nil)},
			AgentFigures{Episodes: 1, Tools: 23, CostUSD: &AgentSum{0.5, 1}, PassAll: []PassAll{{1, 0, 1}}}},
		{"an outage and a failure of the agent", []Episode{said("a", 1, record.Passed, nil, nil), said("a", 2, record.Inconclusive, nil, nil), said("a", 3, record.AdapterError, nil, nil)},
			AgentFigures{Episodes: 3, Tools: 23, PassAll: []PassAll{{1, 0.5, 1}, {2, 0, 1}}}},
		{"tasks with different numbers", []Episode{said("a", 1, record.Passed, nil, nil), said("a", 2, record.Passed, nil, nil), said("b", 1, record.Failed, nil, nil)},
			AgentFigures{Episodes: 3, Tools: 23, PassAll: []PassAll{{1, 0.5, 2}, {2, 1, 1}}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Report{Agent: &record.PlannedAgent{Name: "x", Confinement: "none"}, Episodes: ListOf(tt.episodes...)}
			r.Figures = figures(r)
			need.Equal(t, "", &tt.want, r.Figures.Agent)
		})
	}
	if got := figures(new(Report)).Agent; got != nil {
		t.Errorf("a report without an agent has figures of one: %v", got)
	}
}
