package comparison_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/openchrome/bench/harness/internal/tell/comparison"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

func BenchmarkCompare(b *testing.B) {
	rates := evenly(100, 0.98)
	base, head := simulated(rand.New(rand.NewPCG(1, 1)), 100, 1, rates...), simulated(rand.New(rand.NewPCG(2, 2)), 100, 1, rates...)
	for _, r := range []*report.Report{base, head} {
		for i, e := range r.Episodes.All() {
			for step := range 10 {
				e.Calls = append(e.Calls, report.Call{Step: step, Tool: "click", Digest: fmt.Sprint(rand.IntN(2)), AnswerTokens: 100})
			}
			r.Episodes.Set(i, e)
		}
	}
	for b.Loop() {
		if _, err := comparison.Compare(base, head, comparison.Options{Interleaved: true}); err != nil {
			b.Fatal(err)
		}
	}
}
