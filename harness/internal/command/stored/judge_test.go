package stored

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
)

// Each field that differs has a line, without characters that a terminal obeys.
func TestJudgementDiff(t *testing.T) {
	a := judge.Judgement{Verdict: judge.Pass}
	b := judge.Judgement{Verdict: judge.Fail, InconclusiveReason: "\x1b[2J"}
	need.Is(t, "equal judgements differ", "", judgementDiff(a, a))
	want := `  /inconclusive_reason: (absent) and "\u001b[2J"` + "\n" + `  /verdict: "pass" and "fail"` + "\n"
	need.Is(t, "", want, judgementDiff(a, b))
}
