package compare

import (
	"testing"

	"github.com/openchrome/bench/harness/contract"
)

// Each field that differs has a line, without characters that a terminal obeys.
func TestJudgementDiff(t *testing.T) {
	a := contract.Judgement{Verdict: contract.Pass}
	b := contract.Judgement{Verdict: contract.Fail, InconclusiveReason: "\x1b[2J"}
	if got := judgementDiff(a, a); got != "" {
		t.Errorf("equal judgements differ: %s", got)
	}
	want := `  /inconclusive_reason: (absent) and "\u001b[2J"` + "\n" + `  /verdict: "pass" and "fail"` + "\n"
	if got := judgementDiff(a, b); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
