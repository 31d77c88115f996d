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

// add adds a task, maybe under a policy, with the repetitions that passed. It makes no reports, because
// these take most of the time.
func (c *Comparison) add(of, policy string, base, head []bool) {
	t := &Task{ID: record.PolicyID(of, policy), of: of, policy: policy}
	ended := map[bool]outcome{true: passed, false: lost}
	for i := range base {
		t.turns = append(t.turns, turn{i, ended[base[i]], ended[head[i]]})
		t.Base.sum(Counts{Passed: count(base[i]), Lost: count(!base[i])})
		t.Head.sum(Counts{Passed: count(head[i]), Lost: count(!head[i])})
	}
	c.Base.sum(t.Base.Counts)
	c.Head.sum(t.Head.Counts)
	c.Counted += len(base)
	c.Tasks = append(c.Tasks, t)
}

// test finds what the outcomes show.
func (c *Comparison) test() *Comparison {
	c.reversals()
	c.success()
	return c
}

// runs is how many comparisons a test simulates.
const runs = 300

// often returns how many of these comparisons show something, which is in parts of 100.
func often(shows func() bool) (percent float64) {
	n := 0
	for range runs {
		n += count(shows())
	}
	return 100 * float64(n) / runs
}

// passing returns which of n repetitions pass, each with this rate.
func passing(random *rand.Rand, n int, rate float64) []bool {
	passed := make([]bool, n)
	for i := range passed {
		passed[i] = random.Float64() < rate
	}
	return passed
}

// first returns n repetitions of which the first so many passed.
func first(passed, n int) []bool {
	return append(slices.Repeat([]bool{true}, passed), make([]bool, n-passed)...)
}

// outcomes returns simulated outcomes of both sides. The rates of the head are lower by drop.
func (s setting) outcomes(random *rand.Rand, drop float64) *Comparison {
	c := &Comparison{Base: Side{Report: new(report.Report)}, Interleaved: s.together}
	runs := [2]float64{s.run * random.NormFloat64(), s.run * random.NormFloat64()}
	for i, rate := range s.rates {
		bursts := [2]float64{s.burst * random.NormFloat64(), s.burst * random.NormFloat64()}
		var passed [2][]bool
		for k := range passed {
			at := k
			if s.together {
				at = 0
			}
			r := rate - drop*float64(k)
			if shock := runs[at] + bursts[at]; shock != 0 {
				r = 1 / (1 + math.Exp(-math.Log(r/(1-r))-shock))
			}
			passed[k] = passing(random, s.n, r)
		}
		id := fmt.Sprint("t", i)
		if s.policies == 0 {
			c.add(id, "", passed[0], passed[1])
		}
		for p := range s.policies {
			c.add(id, fmt.Sprint("p", p), passed[0], passed[1])
		}
	}
	return c.test()
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
				alarms := map[string]int{}
				uncorrected := often(func() bool {
					c := test.outcomes(random, 0)
					if len(test.rates) < 10 {
						times(random, c, test.n, 1)
						c.shifts()
					}
					alarms["better or worse"] += count(c.shown() != "")
					alarms["slower or faster"] += count(c.speed() != "")
					for _, b := range gate.Judge(c).Breached {
						alarms[b.Rule]++
					}
					c.Interleaved = true
					c.success()
					return c.shown() != ""
				})
				for what, n := range alarms {
					if n > runs*5/100 {
						t.Errorf("%s: %d false alarms in %d comparisons", what, n, runs)
					}
				}
				if shocked := test.run+test.burst > 0 && !test.together; shocked && uncorrected < 10 {
					t.Errorf("the shocks are weak: tests of the rates see a difference in %g %% of comparisons", uncorrected)
				}
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
		c := &Comparison{Base: Side{Report: new(report.Report)}}
		for i, side := range test.tasks {
			t := &Task{of: fmt.Sprint("t", i)}
			fmt.Sscan(side[0], &t.Base.Passed, &t.Base.Lost)
			fmt.Sscan(side[1], &t.Head.Passed, &t.Head.Lost)
			c.Tasks = append(c.Tasks, t)
		}
		c.reversals()
		need.Is(t, test.name, test.want, len(c.tasks(func(t *Task) bool { return t.Reversal != NoReversal })))
	}
}

// How often a comparison shows something, in percent: rarely where nothing is, often where something is.
func TestHowOften(t *testing.T) {
	check := func(least, most float64, shows func(*rand.Rand) bool, format string, args ...any) {
		random := rand.New(rand.NewPCG(3, 3))
		if got := often(func() bool { return shows(random) }); got < least || got > most {
			t.Errorf("%s: in %g %% of comparisons, want %g to %g", fmt.Sprintf(format, args...), got, least, most)
		}
	}
	// All tasks take 10 % longer: the intervals of all tasks hold together.
	for _, tasks := range []int{6, 25} {
		check(0, 5, func(random *rand.Rand) bool {
			c := outcomes(random, tasks, 0, 1, 1)
			times(random, c, 20, 1.1)
			c.shifts()
			return slices.ContainsFunc(c.Tasks, func(t *Task) bool {
				in := t.Shifts[Duration].Relative.Interval
				return in.Low > 0.1 || in.High < 0.1
			})
		}, "an interval of %d tasks misses the true value", tasks)
	}
	falls := func(tasks, n int, from, to float64) func(*rand.Rand) bool {
		return func(random *rand.Rand) bool { return outcomes(random, tasks, n, from, to).shown() == Worse }
	}
	// The number of repetitions that a comparison asks for finds a drop in every task.
	for _, test := range []struct {
		tasks int
		rate  float64
	}{{1, 1}, {3, 1}, {3, 0.8}, {7, 1}, {10, 0.9}, {10, 0.6}, {21, 0.8}} {
		// The rate of the pilot is the true one: no number can make up for a wrong one.
		pilot, passed := &Comparison{Base: Side{Report: new(report.Report)}}, first(int(10*test.rate), 10)
		for i := range test.tasks {
			pilot.add(fmt.Sprint("t", i), "", passed, passed)
		}
		n := pilot.needed()
		check(77, 100, falls(test.tasks, n, test.rate, test.rate-drop), "%d tasks at %g, the %d that it needs", test.tasks, test.rate, n)
		check(0, 50, falls(test.tasks, n/5, test.rate, test.rate-drop), "%d tasks at %g, a fifth of what it needs", test.tasks, test.rate)
	}
	for tasks, n := range map[int]int{6: 20, 40: 3, 104: 3} { // as docs/benchmarks/comparing.md advises
		check(90, 100, falls(tasks, n, 1, 1-drop), "%d repetitions of %d tasks", n, tasks)
	}
	// An episode at a busy moment slows all its calls, so they are one observation of a tool.
	check(0, 5, slowerTool(1), "the tool of equal servers")
	check(90, 100, slowerTool(3), "a tool that is three times slower")
	for _, policies := range []int{2, 8} { // that end independently
		check(0, 5, func(random *rand.Rand) bool {
			passed := func(int, int) []bool { return passing(random, 3, 0.9) }
			return compared(40, policies, passed, passed).Success.Shown
		}, "%d policies on equal servers", policies)
	}
	for _, n := range []int{1, 2, 3, 5} {
		check(0, 5, func(random *rand.Rand) bool { return agents(random, n, 0).shown() != "" }, "equal agents, %d repetitions", n)
	}
	check(85, 100, func(random *rand.Rand) bool { return agents(random, 3, 0.1).shown() == Worse }, "agents, a drop of ten points")
}

// The pairs of all tasks together show that the head is slower, long before the pairs of one task do.
func TestFewPairs(t *testing.T) {
	gate, err := ParseGate("duration.rise<=20%")
	need.OK(t, err)
	for _, test := range []struct {
		tasks, n int
		unknown  string // empty: the rule is breached
	}{
		{1, 5, "too few pairs have the same outcome, or the base has 0 duration; run more repetitions"},
		{1, 6, ""},
		{6, 1, "too few pairs have the same outcome, or the base has 0 duration; run more repetitions"},
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

// slowerTool reports whether the times of a tool differ, if the head takes so many times as long.
func slowerTool(by float64) func(*rand.Rand) bool {
	return func(random *rand.Rand) bool {
		c := &Comparison{Base: Side{Report: new(report.Report)}, Interleaved: true}
		for range 18 {
			var p Pair
			for side, e := range []**report.Episode{&p.Base, &p.Head} {
				ms := 500 * math.Exp(random.NormFloat64()/3) * math.Pow(by, float64(side))
				*e = &report.Episode{Calls: slices.Repeat([]report.Call{{Tool: "interact", DurationMs: ms}}, 10)}
			}
			c.count(&p)
		}
		c.tools()
		return c.Tools[0].Shift.Clear()
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

// compared returns a comparison of tasks under some policies, of which each row passed as base and head say.
func compared(tasks, policies int, base, head func(task, policy int) []bool) *Comparison {
	c := &Comparison{Base: Side{Report: new(report.Report)}, Interleaved: true}
	for i := range tasks {
		for p := range policies {
			c.add(fmt.Sprint("t", i), fmt.Sprint("p", p), base(i, p), head(i, p))
		}
	}
	return c.test()
}

// A part of an episode that every task loses counts, however many policies share it.
func TestLossesOfPolicies(t *testing.T) {
	for _, test := range []struct{ tasks, policies, n, lost int }{{100, 8, 3, 4}, {40, 2, 3, 1}} {
		all := func(int, int) []bool { return first(test.n, test.n) }
		but := func(_, policy int) []bool { // each policy loses one, until all are lost
			return first(test.n-count(policy < test.lost), test.n)
		}
		for _, way := range []struct {
			c    *Comparison
			want Finding
		}{
			{compared(test.tasks, test.policies, all, but), Worse},
			{compared(test.tasks, test.policies, but, all), Better},
			{compared(test.tasks, test.policies, but, but), ""},
		} {
			change := way.c.Success.Change
			if way.c.shown() != way.want || change.Value < change.Interval.Low || change.Value > change.Interval.High {
				t.Errorf("%d tasks, %d policies: %q, %v in %v, want %q", test.tasks, test.policies, way.c.shown(), change.Value, *change.Interval, way.want)
			}
		}
	}
}

// The first line of a comparison whose sides took turns: how often it says that the head is worse, or that it
// differs, and how often the interval has the true difference. Each policy of a task ends by itself.
func TestFirstLine(t *testing.T) {
	type rates func(task, policy int) (base, head float64)
	of := func(base, head float64) rates { return func(int, int) (float64, float64) { return base, head } }
	falls := func(in func(task, policy int) bool, vary int, rate float64) rates {
		return func(task, policy int) (float64, float64) {
			switch {
			case in(task, policy):
				return 1, 0
			case task <= vary:
				return rate, rate
			}
			return 1, 1
		}
	}
	one := func(task, policy int) bool { return task+policy == 0 }
	whole := func(task, _ int) bool { return task == 0 }
	none := func(int, int) bool { return false }
	for _, test := range []struct {
		name               string
		tasks, policies, n int
		rates              rates
		worse, differ      float64 // at least, at most; in percent
	}{
		{"loses 10 % at random", 40, 2, 3, of(1, 0.9), 90, 100},
		{"of more", 100, 8, 3, of(1, 0.9), 95, 100},
		{"ten points lower", 40, 2, 3, of(0.8, 0.7), 55, 100},
		{"one task falls", 40, 1, 3, falls(one, 0, 0), 100, 100},
		{"one task under one of two policies", 40, 2, 3, falls(one, 0, 0), 100, 100},
		{"one task under one of eight policies", 40, 8, 3, falls(one, 0, 0), 100, 100},
		{"one task under all policies", 40, 8, 3, falls(whole, 0, 0), 100, 100},
		{"one task under all policies, where 15 vary", 16, 8, 3, falls(whole, 15, 0.8), 100, 100},
		{"one task under all policies, where 15 vary much", 100, 8, 3, falls(whole, 15, 0.5), 100, 100},
		{"equal, 15 vary", 100, 8, 3, falls(none, 14, 0.5), 0, 5},
		{"equal, all vary", 100, 1, 3, of(0.5, 0.5), 0, 5},
		{"equal, one varies", 40, 1, 3, falls(none, 0, 0.5), 0, 5},
	} {
		random := rand.New(rand.NewPCG(5, uint64(test.tasks)))
		truth := 0.0
		for i := range test.tasks * test.policies {
			base, head := test.rates(i/test.policies, i%test.policies)
			truth += (head - base) / float64(test.tasks*test.policies)
		}
		missed := 0
		side := func(head bool) func(task, policy int) []bool {
			return func(task, policy int) []bool {
				rate, after := test.rates(task, policy)
				if head {
					rate = after
				}
				return passing(random, test.n, rate)
			}
		}
		worse := 0
		differ := often(func() bool {
			c := compared(test.tasks, test.policies, side(false), side(true))
			worse += count(c.shown() == Worse)
			in := c.Success.Change.Interval
			missed += count(in != nil && (in.Low > truth+1e-9 || in.High < truth-1e-9))
			return c.shown() != ""
		})
		percent := func(n int) float64 { return 100 * float64(n) / runs }
		if percent(worse) < test.worse || differ > test.differ || percent(missed) > 7 {
			t.Errorf("%s: worse in %g %%, better or worse in %g %%; the interval misses the truth in %g %%", test.name, percent(worse), differ, percent(missed))
		}
	}
}

// A shock that follows the order in which episodes run moves both sides of a turn.
func TestShockInTurns(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	shock := 0.0
	episode := func() bool {
		shock = 0.9*shock + math.Sqrt(1-0.81)*random.NormFloat64()
		return random.Float64() < 1/(1+math.Exp(-2-shock))
	}
	differ := often(func() bool {
		c := &Comparison{Base: Side{Report: new(report.Report)}, Interleaved: true}
		for i := range 40 * 4 {
			base, head := make([]bool, 3), make([]bool, 3)
			for n := range base {
				base[n], head[n] = episode(), episode()
			}
			c.add(fmt.Sprint("t", i/4), fmt.Sprint("p", i%4), base, head)
		}
		return c.test().shown() != ""
	})
	if differ > 5 {
		t.Errorf("equal servers differ in %g %% of comparisons", differ)
	}
}

// agents returns simulated outcomes of two agents on 90 tasks, of which 45 % pass nearly always
// and 25 % nearly never. The mean rate of the head is lower by drop: the others fall by more.
func agents(random *rand.Rand, n int, drop float64) *Comparison {
	c := &Comparison{Base: Side{Report: new(report.Report)}, Interleaved: true, Agents: true}
	for i := range 90 {
		rate, fall := 0.97, drop*90/68
		switch {
		case i >= 68:
			rate, fall = 0.03, 0
		case i >= 41:
			rate = 0.15 + 0.7*float64(i-41)/26
		}
		c.add(fmt.Sprint("t", i), "", passing(random, n, rate), passing(random, n, rate-fall))
	}
	return c.test()
}

// What a test shows never keeps a rule that a weaker one would leave open: here all repetitions of a row fail, and
// another policy of its task varies.
func TestGateOfPolicies(t *testing.T) {
	gate, err := ParseGate("regressions==0,success.drop<=0.05")
	need.OK(t, err)
	rows := func(whole, varies int) func(task, policy int) []bool {
		return func(task, policy int) []bool {
			switch {
			case task > 0:
				return first(20, 20)
			case policy == 0:
				return first(whole, 20)
			}
			return first(varies, 20)
		}
	}
	c := compared(40, 2, rows(20, 10), rows(0, 5))
	if r := gate.Judge(c); len(r.Unknown) != 1 || len(r.Breached) != 1 || c.shown() != Worse {
		t.Errorf("%s: %+v", c.shown(), r)
	}
}
