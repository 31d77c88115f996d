package report_test

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

func TestFigures(t *testing.T) {
	got := run(t, "r", tabA).report(t).Figures
	want := report.Figures{
		Tasks: []report.TaskFigures{
			{TaskID: "a", Counts: report.Counts{Failed: 1}, DurationP50: 12.5, DurationP95: 12.5, Steps: 1, ToolCalls: 2, Tokens: 72},
			{TaskID: "b", Counts: report.Counts{Passed: 1}, DurationP50: 12.5, DurationP95: 12.5, Steps: 1, ToolCalls: 2, Errors: 1, Tokens: 62},
		},
		Tools: []report.ToolFigures{
			{Tool: "find", Calls: 1, Errors: 1, P50: 1, P95: 1, ArgTokens: 25, AnswerTokens: 3},
			{Tool: "navigate", Calls: 2, ArgTokens: 18, AnswerTokens: 50},
			{Tool: "read_page", Calls: 1, P50: 1, P95: 1, ArgTokens: 25, AnswerTokens: 13},
		},
		Recovery: report.Share{Of: 1, N: 1},
	}
	need.Equal(t, "", want, got)
}
