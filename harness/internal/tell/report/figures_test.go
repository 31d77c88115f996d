package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/tokens"
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

// Counts of js-tiktoken's o200k_base; long words, long texts and much white space end in time.
func TestTokens(t *testing.T) {
	for text, want := range map[string]int{"": 0, "hello world": 2, "\n  \n": 1, strings.Repeat("a ", 500): 501} {
		if got := tokens.O200k.Of(text); got != want {
			t.Errorf("%.20q: %d tokens, want %d", text, got, want)
		}
	}
	if n := tokens.O200k.Of(strings.Repeat("a", 200_000)); n < 20_000 || n > 30_000 {
		t.Errorf("a long word has %d tokens", n)
	}
	if n := tokens.O200k.Of(strings.Repeat("one two ", 1<<19)); n < 1<<20-10 || n > 1<<20+10 {
		t.Errorf("a long text has %d tokens", n)
	}
	if n := tokens.O200k.Of(strings.Repeat(" ", 1<<20)); n != 1<<20/128 {
		t.Errorf("a MiB of spaces has %d tokens", n)
	}
}

// Equal answers are kept once, and equal counts do not depend on the id of a tab.
func TestCallsOfRepetitions(t *testing.T) {
	a, b := run(t, "r", tabA).report(t), run(t, "s", tabB).report(t)
	for i := range a.Episodes.All() {
		if diff := cmp.Diff(a.Episodes.At(i).Calls, b.Episodes.At(i).Calls); diff != "" {
			t.Errorf("(-a +b):\n%s", diff)
		}
	}
	need.Is(t, "the answer", "[page_stats]\n  [node]<h1/>Nope", a.Episodes.At(0).Calls[1].Answer)
}
