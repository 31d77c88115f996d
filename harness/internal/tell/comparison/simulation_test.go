package comparison

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/openchrome/bench/harness/internal/tell/report"
)

// outcomes returns tasks of n simulated repetitions on each side. It
// makes no reports, because these take most of the time.
func outcomes(random *rand.Rand, tasks, n int, base, head float64) *Comparison {
	draw := func(rate float64) (c Counts) {
		for range n {
			if random.Float64() < rate {
				c.Passed++
			}
		}
		c.Lost = n - c.Passed
		return c
	}
	c := &Comparison{Tasks: make([]Task, tasks), NoTokens: "not simulated"}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		t.Base.Counts, t.Head.Counts = draw(base), draw(head)
		t.Flip = flip(t.Base.Counts, t.Head.Counts)
		c.Counted += n
	}
	return c
}

// times adds n pairs with the same outcome to each task. The durations of the head are
// slower times as long as those of the base, around which they vary.
func times(random *rand.Rand, c *Comparison, n int, slower float64) {
	episode := func(slower float64) *report.Episode {
		return &report.Episode{Steps: 3 + random.IntN(3), DurationMs: slower * 1000 * math.Exp(random.NormFloat64()/50)}
	}
	for i := range c.Tasks {
		for range n {
			c.Tasks[i].same = append(c.Tasks[i].same, Pair{Base: episode(1), Head: episode(slower)})
		}
	}
}

// Two runs of the same server: at most 5 % of the comparisons, and of the judged gates,
// may see a difference.
func TestFalseAlarms(t *testing.T) {
	gate, err := ParseGate("flips==0,success.drop<=0%,steps.rise<=0%,duration.rise<=0%")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tasks, n int
		rate     float64
	}{{1, 20, 0.8}, {3, 10, 0.7}, {7, 10, 0.5}, {10, 5, 0.9}, {10, 20, 0.6}, {21, 6, 0.8}} {
		t.Run(fmt.Sprintf("%d tasks, %d repetitions", test.tasks, test.n), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(test.tasks), uint64(test.n)))
			const runs = 300
			alarms := map[string]int{}
			for range runs {
				c := outcomes(random, test.tasks, test.n, test.rate, test.rate)
				c.success()
				times(random, c, test.n, 1)
				c.shifts()
				if c.shown() != "" {
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

// All tasks take 10 % longer. In 95 % of the comparisons, the intervals of all tasks hold
// together, so a limit that is exactly kept is rarely breached.
func TestIntervalsHoldTogether(t *testing.T) {
	for _, tasks := range []int{6, 25} {
		random := rand.New(rand.NewPCG(3, 3))
		const runs = 400
		missed := 0
		for range runs {
			c := outcomes(random, tasks, 0, 1, 1)
			times(random, c, 20, 1.1)
			c.shift(Duration)
			for i := range c.Tasks {
				in := shiftOf(c.Tasks[i].Shifts, Duration).Relative.Interval
				if in.Low > 0.1 || in.High < 0.1 {
					missed++
					break
				}
			}
		}
		if missed > runs*5/100 {
			t.Errorf("%d tasks: an interval misses the true value in %d of %d comparisons", tasks, missed, runs)
		}
	}
}

// The number of repetitions that a comparison asks for finds a drop of ten points in every
// task nine times of ten.
func TestNeeded(t *testing.T) {
	for _, test := range []struct {
		tasks int
		rate  float64
	}{{1, 1}, {3, 1}, {3, 0.8}, {7, 1}, {10, 0.9}, {10, 0.6}, {21, 0.8}} {
		t.Run(fmt.Sprintf("%d tasks at %g", test.tasks, test.rate), func(t *testing.T) {
			random := rand.New(rand.NewPCG(uint64(test.tasks), 8))
			// The rate of the pilot is the true one: no number can make up for a wrong one.
			pilot := &Comparison{Tasks: make([]Task, test.tasks)}
			for i := range pilot.Tasks {
				passed := int(10 * test.rate)
				side := Counts{Passed: passed, Lost: 10 - passed}
				pilot.Tasks[i].Base.Counts, pilot.Tasks[i].Head.Counts = side, side
				pilot.Base.Passed += side.Passed
				pilot.Base.Lost += side.Lost
			}
			needed := pilot.needed()
			const runs = 150
			finds := func(n, runs int) (found int) {
				for range runs {
					c := outcomes(random, test.tasks, n, test.rate, test.rate-drop)
					if c.success(); c.shown() == Worse {
						found++
					}
				}
				return found
			}
			if found, early := finds(needed, runs), finds(needed/4, runs/3); found < runs*9/10 || early > runs/3/2 {
				t.Errorf("%d repetitions find the drop %d times of %d; a quarter of them finds it %d times of %d", needed, found, runs, early, runs/3)
			}
		})
	}
}

// A task without pairs takes no part in the correction for many tasks.
func TestFewestPairs(t *testing.T) {
	tasks := make([]Task, 8)
	tasks[0].same = make([]Pair, 5)
	one, all := &Comparison{Tasks: tasks[:1]}, &Comparison{Tasks: tasks}
	if got, want := all.fewest(), one.fewest(); got != want {
		t.Errorf("a task needs %d pairs, want %d, as alone", got, want)
	}
}

// The unit of a duration is chosen after rounding.
func TestMetricUnits(t *testing.T) {
	for v, want := range map[float64]string{0: "0 ms", 999.4: "999 ms", 999.7: "1.00 s", 1500: "1.50 s"} {
		if got := Duration.write(v); got != want {
			t.Errorf("%g ms is %s, want %s", v, got, want)
		}
	}
}
