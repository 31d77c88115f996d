package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Gate is a list of rules that a comparison must keep. [ParseGate] makes one.
type Gate []rule

type rule struct {
	*ruleKind
	text  string  // as it was written
	limit float64 // percents are divided by 100
}

// ruleKind is a rule without its limit.
type ruleKind struct {
	name string
	limitKind
	headOnly bool // it does not look at the base
	each     bool // it needs an episode that counts on both sides of each task
	judge    func(c *Comparison, r rule) judged
	count    func(t *Task) int // what == compares with the limit, of a task; nil for other rules
}

// limitKind is how a limit is written.
type limitKind struct {
	op, example, wants string
	most               float64
}

var (
	exact   = limitKind{"==", "0", "a whole number", math.Inf(1)}
	floor   = limitKind{">=", "0.95", "a number from 0 to 1", 1}
	ceiling = limitKind{"<=", "0.05", "a number from 0 to 1", 1}
	growth  = limitKind{"<=", "10%", "a percentage", math.Inf(1)}
)

// judged is what became of a rule. A rule is kept if all fields are empty.
type judged struct {
	figures string // why it is breached
	unknown string // why it cannot be judged
	tasks   []string
}

func breached(figures string, of []*Task) judged { return judged{figures: figures, tasks: ids(of)} }
func unknown(why string, of []*Task) judged      { return judged{unknown: why, tasks: ids(of)} }

// ruleKinds are all rules, in the order of the documentation.
var ruleKinds = []ruleKind{
	{"regressions", exact, false, false, judgeRegressions, func(t *Task) int { return count(t.Reversal == Regression) }},
	{"changed-answers", exact, true, false, judgeChanged, func(t *Task) int { return t.Head.ChangedAnswers }},
	{"wrong-side-effects", exact, true, false, judgeSideEffects, func(t *Task) int { return t.Head.WrongSideEffects }},
	{"success", floor, true, false, judgeSuccess, nil},
	{"success.drop", ceiling, false, true, judgeDrop, nil},
	{"steps.rise", growth, false, true, judgeRise(Steps), nil},
	{"calls.rise", growth, false, true, judgeRise(Calls), nil},
	{"tokens.rise", growth, false, true, judgeRise(Tokens), nil},
	{"duration.rise", growth, false, true, judgeRise(Duration), nil},
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// ParseGate reads rules, separated by commas, such as "regressions==0,duration.rise<=20%". The
// error names the rule by its number.
func ParseGate(s string) (Gate, error) {
	if strings.TrimSpace(s) == "" {
		return nil, nil
	}
	var g Gate
	for i, text := range strings.Split(s, ",") {
		r, err := parseRule(strings.TrimSpace(text))
		if err != nil {
			return nil, fmt.Errorf("-gate: rule %d, %s: %w", i+1, display.Quote(strings.TrimSpace(text)), err)
		}
		g = append(g, r)
	}
	return g, nil
}

func parseRule(text string) (r rule, err error) {
	if text == "" {
		return r, fmt.Errorf("it is empty; write a rule such as regressions==0, or remove the comma")
	}
	end := strings.IndexAny(text, "<>=! ")
	if end < 0 {
		end = len(text)
	}
	name, rest := text[:end], strings.TrimSpace(text[end:])
	var names []string
	for i := range ruleKinds {
		names = append(names, ruleKinds[i].name)
	}
	at := slices.Index(names, name)
	if at < 0 {
		return r, fmt.Errorf("there is no rule %s; the rules are %s%s",
			display.Quote(name), strings.Join(names, ", "), display.DidYouMean(name, names))
	}
	k := &ruleKinds[at]
	example := k.name + k.op + k.example
	limit, ok := strings.CutPrefix(rest, k.op)
	if !ok {
		return r, fmt.Errorf("want %s after %s, such as %s", k.op, k.name, example)
	}
	number, isPercent := strings.CutSuffix(strings.TrimSpace(limit), "%")
	if k.limitKind == growth && !isPercent {
		return r, fmt.Errorf("the limit needs a %%, such as %s", example)
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if isPercent {
		v /= 100
	}
	whole := k.limitKind != exact || !isPercent && v == math.Trunc(v)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || v > k.most || !whole {
		return r, fmt.Errorf("the limit is %s, want %s, such as %s", display.Quote(limit), k.wants, example)
	}
	return rule{k, strings.Join(strings.Fields(text), " "), v}, nil
}

// Result is what became of a gate.
type Result struct {
	Kept     []string // rules
	Breached []Breach
	Unknown  []Breach // rules that cannot be judged, with the reason
}

// Breach is a rule that is not kept, or that cannot be judged.
type Breach struct {
	Rule    string
	Figures string   // why, in words
	Tasks   []string // the ids of the tasks that breach it; nil: it is about all tasks
}

func (b Breach) String() string { return b.Rule + ": " + b.Figures }

// Judge judges every rule. If void episodes could change the answer of a rule, however each of
// them would have ended, the rule cannot be judged.
func (g Gate) Judge(c *Comparison) Result {
	var result Result
	ends := c.ends()
	for _, r := range g {
		j := r.judge(c, r)
		if j.unknown == "" && ends != nil {
			j = r.withVoid(c, ends, j)
		}
		if j.figures == "" && j.unknown == "" && r.each {
			j = r.uncounted(c)
		}
		switch {
		case j.figures != "":
			result.Breached = append(result.Breached, Breach{r.text, j.figures, j.tasks})
		case j.unknown != "":
			result.Unknown = append(result.Unknown, Breach{r.text, j.unknown, j.tasks})
		case c.Unfinished != "":
			result.Unknown = append(result.Unknown, Breach{Rule: r.text, Figures: c.Unfinished})
		default:
			result.Kept = append(result.Kept, r.text)
		}
	}
	return result
}

// withVoid returns j, unless void episodes could change it.
func (r rule) withVoid(c *Comparison, ends *ends, j judged) judged {
	open := false
	if r.count != nil {
		least, most := r.sum(ends.best), r.sum(ends.worst)
		open = least < most && float64(least) <= r.limit && r.limit <= float64(most)
	} else {
		other := func(c *Comparison) bool { return (r.judge(c, r).figures == "") != (j.figures == "") }
		open = other(ends.worst) || other(ends.best)
	}
	if open {
		void := c.tasks(func(t *Task) bool { return t.Head.Void > 0 || t.Base.Void > 0 && !r.headOnly })
		return unknown(c.undecided(r.headOnly), void)
	}
	return j
}

// uncounted names the tasks that a rule about each task could not look at.
func (r rule) uncounted(c *Comparison) judged {
	of := c.tasks(func(t *Task) bool { return !t.counts() })
	if len(of) == 0 {
		return judged{}
	}
	return unknown(fmt.Sprintf("%s without an episode that counts on both sides: %s", tasks(len(of)), firstOf(of)), of)
}

// sum adds up what a rule counts.
func (r rule) sum(c *Comparison) (sum int) {
	for _, t := range c.Tasks {
		sum += r.count(t)
	}
	return sum
}

// counted returns the sum, and the tasks that have a part of it. ok reports whether the rule is kept.
func (r rule) counted(c *Comparison) (sum int, of []*Task, ok bool) {
	sum = r.sum(c)
	return sum, c.tasks(func(t *Task) bool { return r.count(t) > 0 }), float64(sum) == r.limit
}

// judgeRegressions names the tasks that no longer pass. It is not known whether a task is one if all of
// it failed, but too rarely.
func judgeRegressions(c *Comparison, r rule) judged {
	if c.Agents {
		return unknown("chance moves the outcomes of an agent, so a regression is no fact; write success.drop instead", nil)
	}
	n, of, ok := r.counted(c)
	open := c.tasks((*Task).open)
	switch {
	case len(open) > 0 && float64(n) <= r.limit && r.limit <= float64(n+len(open)):
		return unknown(tooRare(open), open)
	case ok:
		return judged{}
	case n == 0:
		return breached("0 regressions", nil)
	}
	return breached(display.Count(n, "regression")+": "+list(of, maxTasks, rates), of)
}

// open reports whether all repetitions of the task passed and now fail, which may be chance.
func (t *Task) open() bool {
	return t.whole() == Regression && t.Reversal == NoReversal && !t.Success.Shown
}

func tooRare(of []*Task) string {
	return fmt.Sprintf("a regression or a fix needs %d repetitions a side, and more if outcomes of other tasks vary: %s",
		least, list(of, maxTasks, rates))
}

func judgeChanged(c *Comparison, r rule) judged {
	n, of, ok := r.counted(c)
	if ok {
		return judged{}
	}
	text := display.Count(n, "changed answer")
	text += fmt.Sprintf(" in %d episodes of the head, in %s", c.Head.Episodes, tasks(len(of)))
	if n > 0 {
		text += ": " + firstOf(of)
	}
	return breached(text, of)
}

func judgeSideEffects(c *Comparison, r rule) judged {
	n, of, ok := r.counted(c)
	if ok {
		return judged{}
	}
	count := func(n int) string { return display.Count(n, "episode") }
	each := list(of, maxListed, func(t *Task) string { return count(t.Head.WrongSideEffects) })
	return breached(fmt.Sprintf("%s of the head had a wrong side effect: %s", count(n), each), of)
}

// judgeSuccess compares the rate of the head itself, without known defects.
func judgeSuccess(c *Comparison, r rule) judged {
	head := c.Head.Counts.withoutKnown()
	switch {
	case head.N() == 0 && c.Head.Void > 0:
		return unknown(c.undecided(true), nil)
	case head.N() == 0:
		return unknown("every episode of the head is a known defect, so none could pass", nil)
	case head.Rate() >= r.limit:
		return judged{}
	}
	of := c.tasks(func(t *Task) bool {
		head := t.Head.Counts.withoutKnown()
		return head.N() > 0 && head.Rate() < r.limit
	})
	each := list(of, maxListed, func(t *Task) string { return share(t.Head.Counts) })
	known := knownOf(c.Head.Counts, ", without %s")
	return breached(fmt.Sprintf("%s passed in the head%s: %s", share(head), known, each), of)
}

// judgeDrop looks at the drop over all tasks, and of each task. A regression is a drop of 100 points.
// Other drops need the interval of runs that took turns.
func judgeDrop(c *Comparison, r rule) judged {
	if c.Counted == 0 {
		return unknown("no pair of episodes counts", nil)
	}
	beyond := func(s Success) bool {
		return s.Shown && s.Change.Interval != nil && s.Change.Interval.High < -r.limit
	}
	of := c.tasks(func(t *Task) bool { return t.Reversal == Regression && r.limit < 1 || beyond(t.Success) })
	fell := c.tasks(func(t *Task) bool {
		return t.Success.Change.Value < -r.limit && (t.open() && !c.Agents || !c.Interleaved && t.Reversal == NoReversal)
	})
	switch {
	case len(of) > 0:
		return breached(list(of, maxTasks, drops), of)
	case beyond(c.Success):
		return breached(c.overall(), nil)
	case len(fell) > 0 && !c.Agents && fell[0].open():
		return unknown(tooRare(fell), fell)
	case len(fell) > 0:
		return unknown("outcomes vary, which only bench:parity can judge: "+list(fell, maxTasks, rates), fell)
	}
	return judged{}
}

// judgeRise looks at the rise over all tasks, and of each task.
func judgeRise(m Metric) func(*Comparison, rule) judged {
	rise := func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*v) }
	figures := func(s *Shift) string {
		return fmt.Sprintf("%s %s, %s, %s", m, rise(s.Relative.Value), within(s.Relative, rise), display.Count(s.N, "pair"))
	}
	return func(c *Comparison, r rule) judged {
		if why := c.lacks(m); why != "" {
			return unknown(fmt.Sprintf("%s are not compared: %s", m.plural(), why), nil)
		}
		known := false
		beyond := func(s *Shift) bool {
			if s == nil || s.Relative.Interval == nil {
				return false
			}
			known = true
			return s.Relative.Interval.Low > r.limit
		}
		of := c.tasks(func(t *Task) bool { return beyond(shiftOf(t.Shifts, m)) })
		all := shiftOf(c.Shifts, m)
		switch pairs, least := c.pairs(m); {
		case beyond(all):
			return breached(figures(all), of)
		case len(of) > 0:
			return breached(list(of, maxListed, func(t *Task) string { return figures(shiftOf(t.Shifts, m)) }), of)
		case !known && pairs >= least:
			return unknown(fmt.Sprintf("the base has pairs with 0 %s, so a rise in percent cannot be computed", m), nil)
		case !known:
			words := display.Count(pairs, "pair")
			return unknown(fmt.Sprintf("%s with the same outcome, and an interval needs %d", words, least), nil)
		}
		return judged{}
	}
}

// pairs returns how many pairs a shift of all tasks, or of the only one, is made of, and how many
// it needs for an interval.
func (c *Comparison) pairs(m Metric) (n, least int) {
	level := alpha
	for _, t := range c.Tasks {
		n += len(t.same)
	}
	if s := shiftOf(c.Shifts, m); s != nil { // in which the policies of a task are one
		n = s.N
		level, _ = halves(len(c.Tasks))
	}
	for least = 1; math.Exp2(float64(1-least)) > level; least++ { // all on one side, by chance
	}
	return n, least
}
