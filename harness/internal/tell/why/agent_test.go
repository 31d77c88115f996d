package why_test

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
)

// What is unknown is called unknown, never 0.
func TestAgent(t *testing.T) {
	sum := func(v float64, known int) *report.AgentSum { return &report.AgentSum{Sum: v, Known: known} }
	for _, tt := range []struct {
		name string
		said report.AgentFigures
		want []string
	}{
		{"nothing is known", report.AgentFigures{Episodes: 1, PassAll: []report.PassAll{{K: 1, Rate: 1, Tasks: 1}}},
			[]string{"requests unknown; input unknown; cached unknown; written to a cache unknown; output unknown; reasoning unknown", "as it says: unknown; for each pass unknown", "k=1 100.0% of 1 task"}},
		{"all is known", report.AgentFigures{Episodes: 2, CostUSD: sum(1, 2), OutputTokens: sum(100, 2), CostPerPass: new(1.0), PassAll: []report.PassAll{{K: 1, Rate: 0.5, Tasks: 1}, {K: 2, Tasks: 1}}},
			[]string{"output 100;", "$1.0000; for each pass $1.0000", "k=1 50.0% of 1 task, k=2 0.0%"}},
		{"some is known", report.AgentFigures{Episodes: 2, CostUSD: sum(0.5, 1), OutputTokens: sum(100, 1)},
			[]string{"output 100 in 1 of 2 episodes, unknown in the others", "$0.5000 in 1 of 2 episodes, unknown in the others; for each pass unknown"}},
		{"tasks with different numbers", report.AgentFigures{Episodes: 3, PassAll: []report.PassAll{{K: 1, Rate: 0.5, Tasks: 2}, {K: 2, Rate: 1, Tasks: 1}}},
			[]string{"k=1 50.0% of 2 tasks, k=2 100.0% of 1 task"}},
		{"many repetitions", report.AgentFigures{Episodes: 12, PassAll: passAll(12)}, []string{"k=9 100.0%, k=12 100.0% of 1 task"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.said.Tools = 23
			r := &report.Report{Agent: &record.PlannedAgent{Name: "x", Confinement: "none"}, Figures: report.Figures{Agent: &tt.said}}
			var text strings.Builder
			for _, line := range why.Agent(r) {
				text.WriteString(line[0] + " " + line[1] + "\n")
			}
			for _, want := range append(tt.want, "agent x, version unknown, model unknown; not confined: it could read the tasks and change this log; 23 tools listed; 0 calls after the end") {
				need.Has(t, text.String(), want)
			}
		})
	}
	if got := why.Agent(new(report.Report)); got != nil {
		t.Errorf("a report without an agent says %q", got)
	}
}

func passAll(n int) (all []report.PassAll) {
	for k := 1; k <= n; k++ {
		all = append(all, report.PassAll{K: k, Rate: 1, Tasks: 2 - k/10})
	}
	return all
}
