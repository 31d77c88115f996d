package why

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// An answer that is false and leaves something out counts for both. A call that was cancelled counts with the false
// ones, if the pages were watched.
func TestApart(t *testing.T) {
	call := func(words ...record.Word) (c report.Call) {
		for _, w := range words {
			c.Parts = append(c.Parts, record.Part{Word: w, Untrue: w != record.AsAsked})
		}
		return c
	}
	cancelled := call()
	cancelled.Error, cancelled.Failure = true, "the time cap was hit"
	r := report.Report{Server: &record.Server{Facts: record.FactsObserver}}
	r.Episodes.Add(report.Episode{Calls: []report.Call{
		call(record.Nothing, record.OtherValue, record.More), call(record.AsAsked, record.More), call(record.AsAsked), call(), cancelled,
	}})
	need.Is(t, "counts", "false successes or no answer: 2, unreported side effects: 2, of 4 answers", Apart(&r))
	r.Server = nil
	need.Is(t, "not watched", "false successes or no answer: 1, unreported side effects: 2, of 3 answers", Apart(&r))
}
