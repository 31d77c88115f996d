package compare

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
)

const (
	alpha  = 0.05 // how often a comparison may see a difference where there is none
	least  = 3    // repetitions that count, which a regression or a fix needs on each side
	drop   = 0.1  // of each task's rate, that a comparison must find
	power  = 0.8  // how often it must find it, before it says that there is no difference
	margin = 0.02 // of the power: the rate is not known
	single = 0.25 // of alpha, for what is said of single tasks where others vary
)

// Reversal is a regression or a fix: all repetitions of a task changed their outcome.
type Reversal string

// The reversals.
const (
	NoReversal Reversal = ""
	Regression Reversal = "no longer passes" // all passed in the base, none in the head
	Fix        Reversal = "passes now"       // the other way round
)

// whole reports how every repetition of the task changed its outcome, however few there are.
func (t *Task) whole() Reversal {
	switch base, head := t.Base, t.Head; {
	case !t.counts():
	case base.Lost == 0 && head.Passed == 0:
		return Regression
	case base.Passed == 0 && head.Lost == 0:
		return Fix
	}
	return NoReversal
}

// reversals finds the regressions and the fixes. Where outcomes vary, chance can reverse a task too: each
// that varies reverses at most once in 2^(n-1) times, if both sides together have n repetitions. So if
// chance alone would often give as many reversals, none is shown. The side that varies less counts: a
// server that became unsteady does not hide what it lost. The policies of a task reverse together, or each
// that varies at all; a task of which some policies just vary counts among the others.
func (c *Comparison) reversals() {
	if c.Agents {
		return
	}
	var reversed []*Task
	n, k, base, head := math.MaxInt, 0, 0, 0
	for _, group := range together(c.tasks((*Task).counts)) {
		changed := slices.DeleteFunc(slices.Clone(group), (*Task).steady)
		other := func(t *Task) bool {
			return t.whole() == NoReversal || t.whole() != changed[0].whole() || min(t.Base.N(), t.Head.N()) < least
		}
		if len(changed) > 0 && !slices.ContainsFunc(changed, other) {
			k, reversed = k+1, append(reversed, changed...)
			for _, t := range changed {
				n = min(n, t.Base.N()+t.Head.N())
			}
			continue
		}
		base += count(slices.ContainsFunc(group, func(t *Task) bool { return t.Base.Varies() }))
		head += count(slices.ContainsFunc(group, func(t *Task) bool { return t.Head.Varies() }))
	}
	level, vary := alpha, min(base, head)
	if vary > 0 { // and as many more of which all repetitions of the side ended alike by chance
		level, vary = alpha*single, int(math.Ceil(float64(vary)/(1-math.Exp2(float64(1-n/2)))))
	}
	if stats.AtLeast(k, k+vary, math.Exp2(float64(1-n))) > level {
		return
	}
	for _, t := range reversed {
		t.Reversal = t.whole()
	}
}

// steady reports whether all repetitions of both sides ended alike.
func (t *Task) steady() bool { return t.Base.Lost+t.Head.Lost == 0 || t.Base.Passed+t.Head.Passed == 0 }

// Success is how the rate of passed episodes changed.
type Success struct {
	Change stats.Estimate // head minus base, from -1 to 1
	// Shown says that the test, corrected for the number of tasks, shows a difference.
	Shown bool
}

// turn is a repetition of a task, maybe under a policy: what both sides made of it.
type turn struct {
	at         int
	base, head outcome
}

// success compares the rates. Only if the two runs took turns, it also tests them, by flipped signs: the
// sides of a turn could as well have had each other's outcomes. The policies of a task take their turn
// together. One run a side cannot tell a change from a busy hour of its machine.
func (c *Comparison) success() {
	of := c.tasks((*Task).counts)
	if len(of) == 0 {
		return
	}
	var base, head Counts
	for _, t := range of {
		t.Success.Change.Value = t.Head.Rate() - t.Base.Rate()
		base.sum(t.Base.Counts)
		head.sum(t.Head.Counts)
	}
	c.Success.Change.Value = head.Rate() - base.Rate()
	// Chance moves every agent.
	chancy := func(t *Task) bool { return c.Agents || t.Base.Varies() || t.Head.Varies() }
	if !c.Interleaved {
		return
	}
	var all sample
	var groups []sample
	for _, group := range together(of) {
		s := sampleOf(group)
		groups = append(groups, s)
		all.add(s)
	}
	level := level(len(groups))
	c.Success.Shown = stats.Flips(all.turns) <= level && slices.ContainsFunc(of, chancy)
	if slices.ContainsFunc(of, chancy) {
		c.Success.Change.Interval = stats.Difference(c.Success.Change.Value, all.variance, all.pairs, level)
	}
	if len(groups) > 1 {
		level = alpha * single
	}
	var ps, least []float64
	for _, s := range groups {
		p, lowest := s.test(all)
		ps, least = append(ps, p), append(least, lowest)
	}
	level = stats.Share(least, level)
	for i, group := range together(of) {
		for _, t := range group {
			t.Success.Shown = ps[i] <= level && t.Success.Change.Value*float64(groups[i].sum()) > 0
			if chancy(t) {
				s := sampleOf([]*Task{t})
				t.Success.Change.Interval = stats.Difference(t.Success.Change.Value, s.variance, s.pairs, level)
			}
		}
	}
}

// sample is what the turns of a task, or of all tasks, give.
type sample struct {
	turns    []int   // by how much more passed in the head than in the base
	pairs    int     // episodes on each side
	changed  int     // pairs with different outcomes
	squares  int     // the sum of the squares of turns
	variance float64 // of the sum of turns, from how they differ within each task
	policies int     // the most that a task has
}

func sampleOf(group []*Task) (s sample) {
	at := map[int]int{}
	for _, t := range group {
		for _, turn := range t.turns {
			if turn.base != void && turn.head != void {
				d := count(turn.head == passed) - count(turn.base == passed)
				at[turn.at] += d
				s.pairs, s.changed = s.pairs+1, s.changed+d*d
			}
		}
	}
	s.policies = len(group)
	for _, d := range slices.Sorted(maps.Values(at)) { // in one order: a sum depends on it
		s.turns, s.squares = append(s.turns, d), s.squares+d*d
	}
	n, sum := float64(len(at)), float64(s.sum())
	s.variance = float64(s.squares)
	if n > 1 {
		s.variance = (float64(s.squares) - sum*sum/n) * n / (n - 1)
	}
	return s
}

func (s *sample) add(other sample) {
	s.turns = append(s.turns, other.turns...)
	s.pairs, s.changed, s.squares = s.pairs+other.pairs, s.changed+other.changed, s.squares+other.squares
	s.variance, s.policies = s.variance+other.variance, max(s.policies, other.policies)
}

func (s *sample) sum() (sum int) {
	for _, d := range s.turns {
		sum += d
	}
	return sum
}

// test returns the p of one task, and the lowest that it could have. The policies of a task may end alike, so
// that their changes are fewer than they look: the other tasks say how many times.
func (s *sample) test(all sample) (p, lowest float64) {
	k := float64(all.policies)
	alike := (float64(all.squares-s.squares) + k*k) / (float64(all.changed-s.changed) + k)
	alike = min(max(alike, 1), k)
	n := float64(s.changed) / alike
	return stats.Sign(math.Abs(float64(s.sum()))/alike, n), stats.Sign(n, n)
}

// level is the one of the test of all tasks together: it shares alpha with what is said of each.
func level(tasks int) float64 {
	if tasks > 1 {
		return alpha / 2
	}
	return alpha
}

// Shift is how much more the head needed. Only pairs with the same outcome count: an
// episode that fails takes another time than one that passes. Known defects make no call, so
// they have no shift.
type Shift struct {
	Metric   Metric
	N        int            // pairs
	Change   stats.Estimate // head minus base, in the unit of the metric
	Relative stats.Estimate // the same as a share of the base
}

// clear reports whether chance alone would rarely give the shift. A nil Shift is none.
func (s *Shift) clear() bool { return s != nil && s.Change.Clear() }

// shifts estimates how much more the head needed, for each metric that both sides have: of each task, and
// of all, of which equal servers make each as likely to rise as to fall.
func (c *Comparison) shifts() {
	of := c.tasks(func(t *Task) bool { return len(t.same) > 0 })
	level := level(len(of))
	c.Shifts = map[Metric]*Shift{}
	for _, t := range of {
		t.Shifts = map[Metric]*Shift{}
	}
	for _, m := range c.metrics() {
		for _, t := range of { // so the intervals of all tasks hold together
			t.Shifts[m] = shiftIn([]*Task{t}, m, level/float64(len(of)))
		}
		if len(of) > 1 {
			c.Shifts[m] = shiftIn(of, m, level)
		}
	}
}

func shiftIn(of []*Task, m Metric, level float64) *Shift {
	var none bool // of the base has no share
	changes := pooled(of, func(p *Pair) float64 { return amount(p.Head, m) - amount(p.Base, m) })
	shares := pooled(of, func(p *Pair) float64 {
		b, h := amount(p.Base, m), amount(p.Head, m)
		none = none || b <= 0
		return h/b - 1
	})
	s := &Shift{Metric: m, N: len(changes), Change: stats.Median(changes, level)}
	if !none {
		s.Relative = stats.Median(shares, level)
	}
	return s
}

// The policies of a task see the same pages, so what chance does to one it may do to all. Tests over
// all tasks therefore count them as one observation.

// together groups rows of a task under several policies. Without policies each row is a group.
func together(of []*Task) (groups [][]*Task) {
	at := map[string]int{}
	for _, t := range of {
		i, ok := at[t.of]
		if !ok {
			i, groups = len(groups), append(groups, nil)
			at[t.of] = i
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// pooled are the values of all pairs; of the policies of a task, the mean in each repetition.
func pooled(of []*Task, value func(*Pair) float64) (list []float64) {
	for _, group := range together(of) {
		sums, n := map[int]float64{}, map[int]float64{}
		for _, t := range group {
			for i := range t.same {
				p, at := &t.same[i], t.same[i].Base.Repetition
				if len(group) == 1 {
					at = i
				}
				sums[at] += value(p)
				n[at]++
			}
		}
		for _, at := range slices.Sorted(maps.Keys(sums)) { // in one order: a sum depends on it
			list = append(list, sums[at]/n[at])
		}
	}
	return list
}

// needed returns how many repetitions of each task both sides need to find a drop of ten points in every
// task with a power of 80 %. Its policies count once. The rate before the drop is the one of the base. Half a
// passed and half a lost episode more keep a small sample from looking too sure.
func (c *Comparison) needed() int {
	tasks := len(together(c.tasks((*Task).counts)))
	rate := max(drop, (float64(c.Base.Passed)+0.5)/(float64(c.Base.N())+1))
	return (stats.Pairs(rate, drop, level(tasks), power+margin) + tasks - 1) / tasks
}

// finds returns in what share of comparisons of this size a drop of ten points in every task would show. They
// are simulated at the rates of the base, always with the same numbers.
func (c *Comparison) finds() float64 {
	random, shown := rand.New(rand.NewPCG(39, 0)), 0
	var of []*Task
	for _, t := range c.tasks((*Task).counts) {
		of = append(of, &Task{of: t.of, turns: make([]turn, len(t.turns))})
	}
	rates := c.tasks((*Task).counts)
	for range simulations {
		one := &Comparison{Interleaved: c.Interleaved, Agents: c.Agents, Tasks: of}
		for i, t := range of {
			t.Base, t.Head, t.Reversal, t.Success = TaskSide{}, TaskSide{}, NoReversal, Success{}
			rate := rates[i].Base.Rate()
			for n := range t.turns {
				at := turn{n, lost, lost}
				if random.Float64() < rate {
					at.base = passed
				}
				if random.Float64() < rate-drop {
					at.head = passed
				}
				t.turns[n] = at
				t.Base.count(at.base)
				t.Head.count(at.head)
			}
			one.Base.sum(t.Base.Counts)
			one.Head.sum(t.Head.Counts)
		}
		one.reversals()
		one.success()
		shown += count(one.shown() == Worse)
	}
	return float64(shown) / simulations
}

// simulations is how many comparisons say what one of them would find.
const simulations = 200

// A void episode has no outcome, but if it had ended it would have one. So a comparison is also
// made twice with every void episode counted: once in the worst way for the head, and once in
// the best way. What differs between the two, void episodes could decide.

// ends are the two comparisons with every void episode counted; nil if none is void.
type ends struct{ worst, best *Comparison }

func (c *Comparison) ends() *ends {
	if c.Base.Void+c.Head.Void == 0 {
		return nil
	}
	return &ends{c.counted(true), c.counted(false)}
}

// counted returns a copy for [Gate.Judge] and [Comparison.shown] in which every void episode
// counts. If worst, it passed in the base and failed in the head, where it changed, many times, and
// needed far more there.
func (c *Comparison) counted(worst bool) *Comparison {
	extreme := Pair{Base: needing(1), Head: needing(1 << 40)}
	if !worst {
		extreme.Base, extreme.Head = extreme.Head, extreme.Base
	}
	out := *c
	out.Base.Counts, out.Head.Counts = c.Base.resolved(worst), c.Head.resolved(!worst)
	out.Counted, out.Success, out.Shifts, out.Tasks = c.Pairs, Success{}, nil, nil
	for _, was := range c.Tasks {
		t := *was
		if worst {
			t.Head.ChangedAnswers += 1 << 40 * min(t.Head.Void, 1) // an episode can have many
		}
		t.Base.Counts, t.Head.Counts = t.Base.resolved(worst), t.Head.resolved(!worst)
		t.Reversal, t.Success, t.Shifts = NoReversal, Success{}, nil
		t.same = slices.Concat(t.same, slices.Repeat([]Pair{extreme}, t.void))
		t.turns = slices.Clone(t.turns)
		for i := range t.turns {
			t.turns[i].resolve(worst)
		}
		out.Tasks = append(out.Tasks, &t)
	}
	out.reversals()
	out.success()
	out.shifts()
	return &out
}

// needing is an episode that needed this much of each metric.
func needing(n int) *report.Episode {
	return &report.Episode{
		Steps: n, ToolCalls: n, OpenchromeErrors: n, DurationMs: float64(n), Calls: []report.Call{{ArgTokens: n}},
	}
}

// resolved counts every void episode as passed, or as lost.
func (c Counts) resolved(pass bool) Counts {
	if pass {
		c.Passed += c.Void
	} else {
		c.Lost += c.Void
		c.WrongSideEffects += c.Void
	}
	c.Void = 0
	return c
}

func (t *turn) resolve(worst bool) {
	for _, side := range []struct {
		of   *outcome
		pass bool
	}{{&t.base, worst}, {&t.head, !worst}} {
		if *side.of == void {
			*side.of = lost
			if side.pass {
				*side.of = passed
			}
		}
	}
}

// Finding is the answer to "did that change?".
type Finding string

// The findings. They are about outcomes; [Comparison.Sentence] says besides whether the
// head is slower or needs more.
const (
	Better       Finding = "better"
	Worse        Finding = "worse"
	NoDifference Finding = "no difference shown"
	TooFew       Finding = "too few episodes to say"
	MayBeChance  Finding = "may be chance"
)

// shown returns what regressions, fixes and tests show: [Worse] if anything got worse, else [Better] if
// anything got better, else "".
func (c *Comparison) shown() Finding {
	all := &Task{Success: c.Success}
	switch {
	case all.Worse() || slices.ContainsFunc(c.Tasks, (*Task).Worse):
		return Worse
	case all.Better() || slices.ContainsFunc(c.Tasks, (*Task).Better):
		return Better
	}
	return ""
}

// Worse reports whether a regression, a test or a missing tool shows that the task passes less often.
func (t *Task) Worse() bool {
	return t.Reversal == Regression || (t.Success.Shown || t.noTool) && t.Success.Change.Value < 0
}

// Better is the reverse of Worse.
func (t *Task) Better() bool {
	return t.Reversal == Fix || (t.Success.Shown || t.noTool) && t.Success.Change.Value > 0
}

// findTools finds the tools that only one side lists, and the tasks that this lost: each lost episode called such
// a tool in vain. That is not put down to chance, but it is no regression: one call is enough. Without the lists
// it takes the tools that only one side called in vain.
func (c *Comparison) findTools() {
	base, head := c.Base.Report, c.Head.Report
	if !c.SameServer {
		return
	}
	if base.Listed != nil && head.Listed != nil {
		c.gone, c.added = without(base.Listed, head.Listed), without(head.Listed, base.Listed)
	} else {
		c.gone, c.added = without(head.NoTools, base.NoTools), without(base.NoTools, head.NoTools)
	}
	lack := func(side TaskSide, tools []string) bool {
		inVain := func(call report.Call) bool { return call.Error && slices.Contains(tools, call.Tool) }
		spared := func(e *report.Episode) bool { return outcomeOf(e) == lost && !slices.ContainsFunc(e.Calls, inVain) }
		return side.Lost > 0 && !slices.ContainsFunc(side.episodes, spared)
	}
	for _, t := range c.Tasks {
		v := t.Success.Change.Value
		t.noTool = !c.Agents && (v < 0 && lack(t.Head, c.gone) || v > 0 && lack(t.Base, c.added))
	}
}

func without(all, some []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(s string) bool { return slices.Contains(some, s) })
}

// tasks returns the tasks of which is is true.
func (c *Comparison) tasks(is func(*Task) bool) (of []*Task) {
	for _, t := range c.Tasks {
		if is(t) {
			of = append(of, t)
		}
	}
	return of
}
