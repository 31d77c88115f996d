package compare

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/openchrome/bench/harness/internal/record"
)

// compared returns a comparison of tasks under some policies in n repetitions, of which each row
// passed as often as base and head say.
func compared(tasks, policies, n int, base, head func(task, policy int) int) *Comparison {
	c := &Comparison{Interleaved: true}
	for i := range tasks {
		for p := range policies {
			t := Task{ID: record.PolicyID(fmt.Sprint("t", i), fmt.Sprint("p", p))}
			b, h := base(i, p), head(i, p)
			t.Base.Counts, t.Head.Counts = Counts{Passed: b, Lost: n - b}, Counts{Passed: h, Lost: n - h}
			c.Base.sum(t.Base.Counts)
			c.Head.sum(t.Head.Counts)
			c.Tasks = append(c.Tasks, t)
		}
	}
	c.reversals()
	c.success()
	return c
}

// A part of an episode that every task loses counts, however many policies share it.
func TestLossesOfPolicies(t *testing.T) {
	for _, test := range []struct{ tasks, policies, n, lost int }{{100, 8, 3, 4}, {40, 2, 3, 1}} {
		all := func(int, int) int { return test.n }
		but := func(_, policy int) int { // each policy loses one, until all are lost
			if policy < test.lost {
				return test.n - 1
			}
			return test.n
		}
		for _, way := range []struct {
			c    *Comparison
			want Finding
		}{
			{compared(test.tasks, test.policies, test.n, all, but), Worse},
			{compared(test.tasks, test.policies, test.n, but, all), Better},
			{compared(test.tasks, test.policies, test.n, but, but), ""},
		} {
			change := way.c.Success.Change
			if way.c.shown() != way.want || change.Value < change.Interval.Low || change.Value > change.Interval.High {
				t.Errorf("%d tasks, %d policies: %q, %v in %v, want %q", test.tasks, test.policies, way.c.shown(), change.Value, *change.Interval, way.want)
			}
		}
	}
}

// Equal servers under policies that end independently: at most 5 % of comparisons see a difference.
func TestFalseAlarmsOfPolicies(t *testing.T) {
	random := rand.New(rand.NewPCG(40, 3))
	const runs, n = 400, 3
	for _, policies := range []int{2, 8} {
		passed := func(int, int) (passed int) {
			for range n {
				if random.Float64() < 0.9 {
					passed++
				}
			}
			return passed
		}
		alarms := 0
		for range runs {
			if c := compared(40, policies, n, passed, passed); c.Success.Shown {
				alarms++
			}
		}
		if alarms > runs*5/100 {
			t.Errorf("%d policies: %d false alarms in %d comparisons", policies, alarms, runs)
		}
	}
}
