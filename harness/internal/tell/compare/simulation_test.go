package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// setting is how two equal servers run: each task passes with its rate.
type setting struct {
	name     string
	n        int       // repetitions
	rates    []float64 // of the tasks
	run      float64   // standard deviation of a shock that a whole run shares, in log-odds
	burst    float64   // of one that the repetitions of a task share
	together bool      // both runs share the shocks, because they take turns
	policies int       // each task runs under so many, which all end alike; 0: there are none
}

// outcomes returns simulated outcomes of both sides. The rates of the head are lower by drop. It
// makes no reports, because these take most of the time.
func (s setting) outcomes(random *rand.Rand, drop float64) *Comparison {
	c := &Comparison{Tasks: make([]Task, len(s.rates)), NoTokens: "not simulated", Interleaved: s.together}
	runs := [2]float64{s.run * random.NormFloat64(), s.run * random.NormFloat64()}
	for i, rate := range s.rates {
		bursts := [2]float64{s.burst * random.NormFloat64(), s.burst * random.NormFloat64()}
		for k, side := range []*Counts{&c.Tasks[i].Base.Counts, &c.Tasks[i].Head.Counts} {
			at := k
			if s.together {
				at = 0
			}
			r := rate - drop*float64(k)
			if shock := runs[at] + bursts[at]; shock != 0 {
				r = 1 / (1 + math.Exp(-math.Log(r/(1-r))-shock))
			}
			for range s.n {
				if random.Float64() < r {
					side.Passed++
				}
			}
			side.Lost = s.n - side.Passed
		}
		b, h := c.Tasks[i].Base, c.Tasks[i].Head
		c.Base.Passed, c.Base.Lost = c.Base.Passed+b.Passed, c.Base.Lost+b.Lost
		c.Head.Passed, c.Head.Lost = c.Head.Passed+h.Passed, c.Head.Lost+h.Lost
		c.Counted += s.n
	}
	tasks := c.Tasks
	for i := range tasks {
		tasks[i].ID = fmt.Sprint("t", i)
		for p := range s.policies {
			t := tasks[i]
			t.ID = record.PolicyID(t.ID, fmt.Sprint("p", p))
			c.Tasks = append(c.Tasks, t)
		}
	}
	if s.policies > 0 {
		c.Tasks = c.Tasks[len(tasks):]
	}
	c.reversals()
	c.success()
	return c
}

func evenly(tasks int, rate float64) []float64 { return slices.Repeat([]float64{rate}, tasks) }

// outcomes are those of a server in steady conditions, in runs that take turns.
func outcomes(random *rand.Rand, tasks, n int, base, head float64) *Comparison {
	return setting{n: n, rates: evenly(tasks, base), together: true}.outcomes(random, base-head)
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

// Two runs of the same server, stored or in turns: at most 5 % of the comparisons, and of the
// judged gates, may see a difference. That the shocks are strong shows in the tests of rates: they
// would often see one, if they judged stored runs.
func TestFalseAlarms(t *testing.T) {
	gate, err := ParseGate("regressions==0,success.drop<=0%,steps.rise<=0%,duration.rise<=0%")
	need.OK(t, err)
	four := append(evenly(100, 1), evenly(4, 0.7)...)
	for _, test := range []setting{
		{name: "all independent", n: 10, rates: evenly(104, 0.9)},
		{name: "one repetition", n: 1, rates: evenly(104, 0.995)},
		{name: "three repetitions, four tasks vary", n: 3, rates: four},
		{name: "four policies", n: 10, rates: evenly(104, 0.9), policies: 4},
		{name: "smoke", n: 10, rates: evenly(6, 0.8)},
		{name: "smoke, three repetitions", n: 3, rates: evenly(6, 0.95)},
		{name: "one task", n: 20, rates: evenly(1, 0.8)},
		{name: "a shock of the run", n: 10, rates: evenly(104, 0.9), run: 0.5},
		{name: "a strong shock of the run", n: 10, rates: evenly(104, 0.9), run: 1},
		{name: "a burst within a task", n: 10, rates: evenly(104, 0.9), burst: 1},
	} {
		for _, test.together = range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, in turns %t", test.name, test.together), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(len(test.rates)), uint64(test.n)))
				const runs = 400
				alarms, uncorrected := map[string]int{}, 0
				for range runs {
					c := test.outcomes(random, 0)
					if len(test.rates) < 10 {
						times(random, c, test.n, 1)
						c.shifts()
					}
					if c.shown() != "" {
						alarms["better or worse"]++
					}
					if c.speed() != "" {
						alarms["slower or faster"]++
					}
					for _, b := range gate.Judge(c).Breached {
						alarms[b.Rule]++
					}
					if !test.together {
						c.Interleaved = true
						if c.success(); c.shown() != "" {
							uncorrected++
						}
					}
				}
				for what, n := range alarms {
					if n > runs*5/100 {
						t.Errorf("%s: %d false alarms in %d comparisons", what, n, runs)
					}
				}
				if shocked := test.run+test.burst > 0 && !test.together; shocked && uncorrected < runs*10/100 {
					t.Errorf("the shocks are weak: tests of the rates see a difference in %d of %d comparisons", uncorrected, runs)
				}
				t.Log(alarms, uncorrected)
			})
		}
	}
}

// Where the outcomes of many tasks vary, chance reverses some. A server that became unsteady still
// shows what it lost.
func TestReversals(t *testing.T) {
	const passed, failed, mixed = "3 0", "0 3", "2 1"
	for _, test := range []struct {
		name  string
		tasks [][2]string
		want  int
	}{
		{"steady", [][2]string{{passed, failed}, {passed, passed}}, 1},
		{"the other way", [][2]string{{failed, passed}}, 1},
		{"two repetitions", [][2]string{{"2 0", "0 3"}}, 0},
		{"two repetitions, two regressions", [][2]string{{"2 0", "0 3"}, {"2 0", "0 2"}}, 0},
		{"one task varies", [][2]string{{passed, failed}, {mixed, mixed}}, 0},
		{"one task varies, more repetitions", [][2]string{{"5 0", "0 5"}, {mixed, mixed}}, 1},
		{"one task varies, two regressions", [][2]string{{passed, failed}, {passed, failed}, {mixed, mixed}}, 2},
		{"only the head varies", [][2]string{{passed, failed}, {passed, mixed}, {passed, mixed}}, 1},
	} {
		c := &Comparison{}
		for _, side := range test.tasks {
			var task Task
			fmt.Sscan(side[0], &task.Base.Passed, &task.Base.Lost)
			fmt.Sscan(side[1], &task.Head.Passed, &task.Head.Lost)
			c.Tasks = append(c.Tasks, task)
		}
		c.reversals()
		need.Is(t, test.name, test.want, len(c.tasks(func(t *Task) bool { return t.Reversal != NoReversal })))
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
					if c := outcomes(random, test.tasks, n, test.rate, test.rate-drop); c.shown() == Worse {
						found++
					}
				}
				return found
			}
			if found, early := finds(needed, runs), finds(needed/5, runs/3); found < runs*9/10 || early > runs/3/2 {
				t.Errorf("%d repetitions find the drop %d times of %d; a fifth of them finds it %d times of %d", needed, found, runs, early, runs/3)
			}
		})
	}
}

// The repetitions that docs/benchmarks/comparing.md advises find a drop of ten points in 90 %.
func TestAdvisedRepetitions(t *testing.T) {
	for tasks, n := range map[int]int{6: 20, 40: 3, 104: 3} {
		random := rand.New(rand.NewPCG(uint64(tasks), 8))
		found := 0
		for range 400 {
			if outcomes(random, tasks, n, 1, 1-drop).shown() == Worse {
				found++
			}
		}
		if found < 400*9/10 {
			t.Errorf("%d repetitions of %d tasks find the drop in %d of 400 comparisons", n, tasks, found)
		}
	}
}

// The pairs of all tasks together show that the head is slower, long before the pairs of one task do.
// A rule says how many it needs.
func TestFewPairs(t *testing.T) {
	gate, err := ParseGate("duration.rise<=20%")
	need.OK(t, err)
	for _, test := range []struct {
		tasks, n int
		unknown  string // empty: the rule is breached
	}{
		{1, 5, "5 pairs with the same outcome, and an interval needs 6"},
		{1, 6, ""},
		{6, 1, "6 pairs with the same outcome, and an interval needs 7"},
		{6, 2, ""},
	} {
		random := rand.New(rand.NewPCG(1, 1))
		c := outcomes(random, test.tasks, 0, 1, 1)
		times(random, c, test.n, 1.5)
		c.shifts()
		switch r := gate.Judge(c); {
		case test.unknown == "" && (len(r.Breached) != 1 || c.speed() != "slower"):
			t.Errorf("%d tasks, %d repetitions: %q, %v", test.tasks, test.n, c.speed(), r)
		case test.unknown != "" && (len(r.Unknown) != 1 || r.Unknown[0].Figures != test.unknown):
			t.Errorf("%d tasks, %d repetitions: %v, want %s", test.tasks, test.n, r, test.unknown)
		}
	}
}

// An episode at a busy moment slows all its calls, so they are one observation of a tool.
func TestTimesOfTools(t *testing.T) {
	slower := func(random *rand.Rand, by float64) bool {
		c := &Comparison{}
		for range 18 {
			var p Pair
			for side, e := range []**report.Episode{&p.Base, &p.Head} {
				*e = &report.Episode{}
				ms := 500 * math.Exp(random.NormFloat64()/3) * math.Pow(by, float64(side))
				for range 10 {
					(*e).Calls = append((*e).Calls, report.Call{Tool: "interact", DurationMs: ms})
				}
			}
			c.count(&p)
		}
		c.tools()
		return c.Tools[0].Shift.Clear()
	}
	random := rand.New(rand.NewPCG(7, 7))
	alarms, found := 0, 0
	for range 400 {
		if slower(random, 1) {
			alarms++
		}
		if slower(random, 3) {
			found++
		}
	}
	if alarms > 400*5/100 || found < 400*9/10 {
		t.Errorf("of 400 comparisons, %d of equal servers show a difference, and %d of one that is three times slower", alarms, found)
	}
}

// The workflow to copy runs enough repetitions to judge every rule of its gate.
func TestGateOfWorkflow(t *testing.T) {
	text := need.Read(t, "../../../../docs/ci/openchrome.yml")
	m := regexp.MustCompile(`(?s)-repetitions=(\d+).*-gate='([^']*)'`).FindStringSubmatch(string(text))
	if m == nil {
		t.Fatal("no -repetitions and -gate")
	}
	n, _ := strconv.Atoi(m[1])
	gate, err := ParseGate(m[2])
	need.OK(t, err)
	random := rand.New(rand.NewPCG(1, 1))
	c := outcomes(random, 6, n, 1, 1)
	times(random, c, n, 1)
	c.shifts()
	if r := gate.Judge(c); len(r.Kept) != len(gate) {
		t.Errorf("the gate of equal servers says %+v", r)
	}
	if found := outcomes(random, 6, n, 1, 0.8); found.shown() != Worse {
		t.Errorf("a drop of 20 points is %q", found.shown())
	}
}

// The unit of a duration is chosen after rounding.
func TestMetricUnits(t *testing.T) {
	for v, want := range map[float64]string{0: "0 ms", 999.4: "999 ms", 999.7: "1.00 s", 1500: "1.50 s"} {
		need.Is(t, fmt.Sprintf("%g ms", v), want, Duration.write(v))
	}
}
