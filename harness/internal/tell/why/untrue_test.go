package why

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// An answer that is false and leaves something out counts for both.
func TestApart(t *testing.T) {
	call := func(words ...record.Word) (c report.Call) {
		for _, w := range words {
			c.Parts = append(c.Parts, record.Part{Word: w, Untrue: w != record.AsAsked})
		}
		return c
	}
	var r report.Report
	r.Episodes.Add(report.Episode{Calls: []report.Call{
		call(record.Nothing, record.OtherValue, record.More), call(record.AsAsked, record.More), call(record.AsAsked), call(),
	}})
	need.Is(t, "counts", "false successes: 1, unreported side effects: 2, of 3 answers", Apart(&r))
}
