package stored

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
)

// Each field that differs has a line, without characters that a terminal obeys.
func TestJudgementDiff(t *testing.T) {
	a := judge.Judgement{Verdict: judge.Pass}
	b := judge.Judgement{Verdict: judge.Fail, InconclusiveReason: "\x1b[2J"}
	if got := judgementDiff(a, a); got != "" {
		t.Errorf("equal judgements differ: %s", got)
	}
	want := `  /inconclusive_reason: (absent) and "\u001b[2J"` + "\n" + `  /verdict: "pass" and "fail"` + "\n"
	if got := judgementDiff(a, b); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
