package compare_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// simulated returns a run of n repetitions of a task for each rate. An episode passes with
// this probability; what it needs varies at random around a value that slower multiplies.
func simulated(random *rand.Rand, n int, slower float64, rates ...float64) *report.Report {
	r := &report.Report{RunID: "r", Adapter: "llm", Server: &record.Server{Name: "s"}, Normaliser: 1}
	for i, rate := range rates {
		id := fmt.Sprintf("task-%03d", i)
		r.Tasks = append(r.Tasks, report.Task{Task: record.Task{ID: id}, Contract: json.RawMessage(`{}`)})
		for k := range n {
			e := report.Episode{Name: fmt.Sprintf("%s#%d", id, k+1), TaskID: id, Repetition: k + 1, Status: record.Failed}
			if random.Float64() < rate {
				e.Status = record.Passed
			}
			e.Steps = 3 + random.IntN(3)
			e.ToolCalls = e.Steps + 1
			e.DurationMs = slower * (1000 + 200*random.Float64())
			r.Episodes.Add(e)
		}
	}
	r.Totals = report.Totals{Planned: r.Episodes.Len(), Finished: r.Episodes.Len()}
	return r
}

func evenly(tasks int, rate float64) []float64 {
	rates := make([]float64, tasks)
	for i := range rates {
		rates[i] = rate
	}
	return rates
}

func inTurns(t testing.TB, base, head *report.Report) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(base, head, compare.Options{Interleaved: true})
	need.OK(t, err)
	return c
}
