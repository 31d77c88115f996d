package comparison_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/openchrome/bench/harness/comparison"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/report"
)

// simulated returns a run of n repetitions of a task for each rate. An episode passes with
// this probability; what it needs varies at random around a value that slower multiplies.
func simulated(random *rand.Rand, n int, slower float64, rates ...float64) *report.Report {
	r := &report.Report{RunID: "r", Adapter: "llm", Subject: &event.Subject{Name: "s"}, Normaliser: 1}
	for i, rate := range rates {
		id := fmt.Sprintf("task-%03d", i)
		r.Tasks = append(r.Tasks, report.Task{Task: event.Task{ID: id}, Contract: json.RawMessage(`{}`)})
		for k := range n {
			e := report.Episode{Name: fmt.Sprintf("%s#%d", id, k+1), TaskID: id, Repetition: k + 1, Status: event.Failed}
			if random.Float64() < rate {
				e.Status = event.Passed
			}
			e.Steps = 3 + random.IntN(3)
			e.ToolCalls = e.Steps + 1
			e.DurationMs = slower * (1000 + 200*random.Float64())
			r.Episodes = append(r.Episodes, e)
		}
	}
	r.Totals = report.Totals{Planned: len(r.Episodes), Finished: len(r.Episodes)}
	return r
}

func evenly(tasks int, rate float64) []float64 {
	rates := make([]float64, tasks)
	for i := range rates {
		rates[i] = rate
	}
	return rates
}

func compare(t testing.TB, base, head *report.Report) *comparison.Comparison {
	t.Helper()
	c, err := comparison.Compare(base, head, comparison.Options{Interleaved: true})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Two runs of the same server: at most 5 % of the comparisons, and of the judged gates,
// may see a difference.
func TestFalseAlarms(t *testing.T) {
	gate, err := comparison.ParseGate("flips==0,success.drop<=0%,steps.rise<=0%,duration.rise<=0%")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tasks, n int
		rate     float64
	}{{1, 20, 0.8}, {3, 10, 0.7}, {7, 10, 0.5}, {10, 5, 0.9}, {10, 20, 0.6}, {25, 6, 0.8}} {
		t.Run(fmt.Sprintf("%d tasks, %d repetitions", test.tasks, test.n), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(test.tasks), uint64(test.n)))
			rates := evenly(test.tasks, test.rate)
			const runs = 300
			alarms := map[string]int{}
			for range runs {
				c := compare(t, simulated(random, test.n, 1, rates...), simulated(random, test.n, 1, rates...))
				if c.Finding == comparison.Better || c.Finding == comparison.Worse {
					alarms["better or worse"]++
				}
				for _, b := range gate.Judge(c).Breached {
					alarms[b.Rule]++
				}
			}
			for what, n := range alarms {
				if n > runs*5/100 {
					t.Errorf("%s: %d false alarms in %d comparisons", what, n, runs)
				}
			}
			t.Log(alarms)
		})
	}
}

// The number of repetitions that a comparison asks for finds a drop of ten points in every
// task nine times of ten.
func TestNeeded(t *testing.T) {
	for _, test := range []struct {
		tasks int
		rate  float64
	}{{1, 1}, {3, 1}, {3, 0.8}, {7, 1}, {10, 0.9}, {10, 0.6}, {25, 0.8}} {
		t.Run(fmt.Sprintf("%d tasks at %g", test.tasks, test.rate), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(test.tasks), 8))
			base, head := evenly(test.tasks, test.rate), evenly(test.tasks, test.rate-0.1)
			var first *comparison.Comparison
			pilot := simulated(random, 10, 1, base...)
			for i := range pilot.Episodes { // its rate is the true one: no number can make up for a wrong one
				e := &pilot.Episodes[i]
				if e.Status = event.Failed; e.Repetition <= int(10*test.rate) {
					e.Status = event.Passed
				}
			}
			for first == nil || first.Finding != comparison.TooFew {
				first = compare(t, pilot, simulated(random, 10, 1, head...))
			}
			const runs = 150
			found, early := 0, 0
			for range runs {
				if compare(t, simulated(random, first.Needed, 1, base...), simulated(random, first.Needed, 1, head...)).Finding == comparison.Worse {
					found++
				}
				if compare(t, simulated(random, first.Needed/4, 1, base...), simulated(random, first.Needed/4, 1, head...)).Finding == comparison.Worse {
					early++
				}
			}
			if found < runs*9/10 || early > runs/2 {
				t.Errorf("%d repetitions find the drop %d times of %d; a quarter of them finds it %d times", first.Needed, found, runs, early)
			}
		})
	}
}
