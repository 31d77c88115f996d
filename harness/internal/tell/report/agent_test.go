package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
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
		words    []string
	}{
		{"nothing is known", []Episode{said("a", 1, record.Passed, nil, nil)},
			AgentFigures{Episodes: 1, Tools: 23, PassAll: []PassAll{{1, 1, 1}}},
			[]string{"requests unknown; input unknown; cached unknown; written to a cache unknown; output unknown; reasoning unknown", "as it says: unknown; for each pass unknown", "k=1 100.0% of 1 task"}},
		{"all is known", []Episode{said("a", 1, record.Passed, &cost, &tokens), said("a", 2, record.Failed, &cost, &zero)},
			AgentFigures{Episodes: 2, Tools: 23, CostUSD: &AgentSum{1, 2}, OutputTokens: &AgentSum{100, 2}, CostPerPass: new(1.0), PassAll: []PassAll{{1, 0.5, 1}, {2, 0, 1}}},
			[]string{"output 100;", "$1.0000; for each pass $1.0000", "k=1 50.0% of 1 task, k=2 0.0%"}},
		{"some is known", []Episode{said("a", 1, record.Passed, &cost, nil), said("b", 1, record.Passed, nil, &tokens)},
			AgentFigures{Episodes: 2, Tools: 23, CostUSD: &AgentSum{0.5, 1}, OutputTokens: &AgentSum{100, 1}, PassAll: []PassAll{{1, 1, 2}}},
			[]string{"output 100 in 1 of 2 episodes, unknown in the others", "$0.5000 in 1 of 2 episodes, unknown in the others; for each pass unknown"}},
		{"none passed", []Episode{said("a", 1, record.Failed, &cost, nil)},
			AgentFigures{Episodes: 1, Tools: 23, CostUSD: &AgentSum{0.5, 1}, PassAll: []PassAll{{1, 0, 1}}}, []string{"$0.5000; for each pass unknown"}},
		{"an outage and a failure of the agent", []Episode{said("a", 1, record.Passed, nil, nil), said("a", 2, record.Inconclusive, nil, nil), said("a", 3, record.AdapterError, nil, nil)},
			AgentFigures{Episodes: 3, Tools: 23, PassAll: []PassAll{{1, 0.5, 1}, {2, 0, 1}}}, []string{"k=2 0.0%"}},
		{"tasks with different numbers", []Episode{said("a", 1, record.Passed, nil, nil), said("a", 2, record.Passed, nil, nil), said("b", 1, record.Failed, nil, nil)},
			AgentFigures{Episodes: 3, Tools: 23, PassAll: []PassAll{{1, 0.5, 2}, {2, 1, 1}}}, []string{"k=1 50.0% of 2 tasks, k=2 100.0% of 1 task"}},
	}
	many := AgentFigures{Episodes: 12, Tools: 23}
	var episodes []Episode
	for k := 1; k <= 12; k++ {
		episodes, many.PassAll = append(episodes, said("a", k, record.Passed, nil, nil)), append(many.PassAll, PassAll{k, 1, 1})
	}
	tests = append(tests, struct {
		name     string
		episodes []Episode
		want     AgentFigures
		words    []string
	}{"many repetitions", episodes, many, []string{"k=9 100.0%, k=12 100.0%"}})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Report{Agent: &record.PlannedAgent{Name: "x", Confinement: "none"}, Episodes: ListOf(tt.episodes...)}
			r.Figures = figures(r)
			if diff := cmp.Diff(&tt.want, r.Figures.Agent); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
			var text string
			for _, line := range DescribeAgent(r) {
				text += line[0] + " " + line[1] + "\n"
			}
			for _, want := range append(tt.words, "agent x, version unknown, model unknown; not confined: it could read the tasks and change this log; 23 tools listed; 0 calls after the end") {
				if !strings.Contains(text, want) {
					t.Errorf("it does not say %q:\n%s", want, text)
				}
			}
		})
	}
	if got := DescribeAgent(new(Report)); got != nil || figures(new(Report)).Agent != nil {
		t.Errorf("a report without an agent says %q", got)
	}
}
