package compare

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Gate is a list of rules that a comparison must keep. [ParseGate] makes one.
type Gate []rule

type rule struct {
	text  string // as it was written
	kind  *ruleKind
	limit float64 // percents are divided by 100
}

// ruleKind is a rule without its limit.
type ruleKind struct {
	name, op string
	relative bool    // the limit is written with %
	headOnly bool    // it does not look at the base
	each     bool    // it needs an episode that counts on both sides of each task
	most     float64 // the highest limit
	judge    func(c *Comparison, r rule) judged
	count    func(c *Comparison) int // what == compares with the limit; nil for other rules
}

// judged is what became of a rule. A rule is kept if all fields are empty.
type judged struct {
	figures string // why it is breached
	tasks   []string
	unknown string // why it cannot be judged
}

// ruleKinds are all rules, in the order of the documentation.
var ruleKinds = []ruleKind{
	{"regressions", "==", false, false, false, math.Inf(1), judgeRegressions, countRegressions},
	{"changed-answers", "==", false, true, false, math.Inf(1), judgeChanged, countChanged},
	{"wrong-side-effects", "==", false, true, false, math.Inf(1), judgeSideEffects, countSideEffects},
	{"success", ">=", false, true, false, 1, judgeSuccess, nil},
	{"success.drop", "<=", false, false, true, 1, judgeDrop, nil},
	{"steps.rise", "<=", true, false, true, math.Inf(1), judgeRise(Steps), nil},
	{"calls.rise", "<=", true, false, true, math.Inf(1), judgeRise(Calls), nil},
	{"tokens.rise", "<=", true, false, true, math.Inf(1), judgeRise(Tokens), nil},
	{"duration.rise", "<=", true, false, true, math.Inf(1), judgeRise(Duration), nil},
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

func parseRule(text string) (rule, error) {
	if text == "" {
		return rule{}, fmt.Errorf("it is empty; write a rule such as regressions==0, or remove the comma")
	}
	end := strings.IndexAny(text, "<>=! ")
	if end < 0 {
		end = len(text)
	}
	name, rest := text[:end], strings.TrimSpace(text[end:])
	var k *ruleKind
	var names []string
	for i := range ruleKinds {
		names = append(names, ruleKinds[i].name)
		if ruleKinds[i].name == name {
			k = &ruleKinds[i]
		}
	}
	if k == nil {
		return rule{}, fmt.Errorf("there is no rule %s; the rules are %s%s", display.Quote(name), strings.Join(names, ", "), display.DidYouMean(name, names))
	}
	limit, ok := strings.CutPrefix(rest, k.op)
	if !ok {
		return rule{}, fmt.Errorf("want %s after %s, such as %s", k.op, k.name, k.example())
	}
	number, percent := strings.CutSuffix(strings.TrimSpace(limit), "%")
	if k.relative && !percent {
		return rule{}, fmt.Errorf("the limit needs a %%, such as %s", k.example())
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if percent {
		v /= 100
	}
	whole := k.op != "==" || !percent && v == math.Trunc(v)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 || v > k.most || !whole {
		return rule{}, fmt.Errorf("the limit is %s, want %s, such as %s", display.Quote(limit), k.wants(), k.example())
	}
	return rule{strings.Join(strings.Fields(text), " "), k, v}, nil
}

func (k *ruleKind) example() string {
	switch {
	case k.relative:
		return k.name + k.op + "10%"
	case k.op == "==":
		return k.name + k.op + "0"
	case k.op == ">=":
		return k.name + k.op + "0.95"
	}
	return k.name + k.op + "0.05"
}

func (k *ruleKind) wants() string {
	switch {
	case k.relative:
		return "a percentage"
	case k.op == "==":
		return "a whole number"
	}
	return "a number from 0 to 1"
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
		j := r.kind.judge(c, r)
		if j.unknown == "" && ends != nil {
			j = r.withVoid(c, ends, j)
		}
		if j.figures == "" && j.unknown == "" && r.kind.each {
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
	if k := r.kind; k.count != nil {
		least, most := k.count(ends.best), k.count(ends.worst)
		open = least < most && float64(least) <= r.limit && r.limit <= float64(most)
	} else {
		breached := func(j judged) bool { return j.figures != "" }
		open = breached(k.judge(ends.worst, r)) != breached(j) || breached(k.judge(ends.best, r)) != breached(j)
	}
	if open {
		return judged{unknown: c.undecided(r.kind.headOnly), tasks: c.withVoid(r.kind.headOnly)}
	}
	return j
}

// uncounted names the tasks that a rule about each task could not look at.
func (r rule) uncounted(c *Comparison) (j judged) {
	j.tasks = ids(c.tasks(func(t *Task) bool { return t.Head.N() == 0 || t.Base.N() == 0 }))
	if n := len(j.tasks); n > 0 {
		j.unknown = fmt.Sprintf("%s without an episode that counts on both sides: %s", tasks(n), display.Visible(strings.Join(j.tasks[:min(n, maxListed)], ", ")))
	}
	return j
}

func countRegressions(c *Comparison) int {
	return len(c.tasks(func(t *Task) bool { return t.Reversal == Regression }))
}

// judgeRegressions names the tasks that no longer pass. It is not known whether a task is one if all of
// it failed, but too rarely.
func judgeRegressions(c *Comparison, r rule) (j judged) {
	if c.Agents {
		return judged{unknown: "chance moves the outcomes of an agent, so a regression is no fact; write success.drop instead"}
	}
	of := c.tasks(func(t *Task) bool { return t.Reversal == Regression })
	open := c.tasks((*Task).open)
	switch n := len(of); {
	case float64(n) <= r.limit && float64(n+len(open)) >= r.limit && len(open) > 0:
		return judged{unknown: tooRare(open), tasks: ids(open)}
	case float64(n) == r.limit:
		return j
	}
	j.figures, j.tasks = display.Count(len(of), "regression"), ids(of)
	if len(of) > 0 {
		j.figures += ": " + list(of, maxTasks, rates)
	}
	return j
}

// open reports whether all repetitions of the task passed and now fail, which may be chance.
func (t *Task) open() bool {
	return t.whole() == Regression && t.Reversal == NoReversal && !t.Success.Shown
}

func tooRare(of []*Task) string {
	return fmt.Sprintf("a regression or a fix needs %d repetitions a side, and more if outcomes of other tasks vary: %s", least, list(of, maxTasks, rates))
}

func (c *Comparison) tasks(is func(*Task) bool) (of []*Task) {
	for i := range c.Tasks {
		if is(&c.Tasks[i]) {
			of = append(of, &c.Tasks[i])
		}
	}
	return of
}

func ids(of []*Task) (ids []string) {
	for _, t := range of {
		ids = append(ids, t.ID)
	}
	return ids
}

func countChanged(c *Comparison) (sum int) {
	for i := range c.Tasks {
		sum += c.Tasks[i].Head.ChangedAnswers
	}
	return sum
}

func judgeChanged(c *Comparison, r rule) (j judged) {
	sum := countChanged(c)
	if float64(sum) == r.limit {
		return j
	}
	j.tasks = ids(c.tasks(func(t *Task) bool { return t.Head.ChangedAnswers > 0 }))
	j.figures = fmt.Sprintf("%s in %d episodes of the head, in %s", display.Count(sum, "changed answer"), c.Head.Episodes, tasks(len(j.tasks)))
	if len(j.tasks) > 0 {
		j.figures += ": " + display.Visible(strings.Join(j.tasks[:min(len(j.tasks), maxListed)], ", "))
	}
	return j
}

func countSideEffects(c *Comparison) int { return c.Head.WrongSideEffects }

// judgeSideEffects names the tasks in which an episode of the head had a wrong side effect.
func judgeSideEffects(c *Comparison, r rule) (j judged) {
	if float64(c.Head.WrongSideEffects) == r.limit {
		return j
	}
	of := c.tasks(func(t *Task) bool { return t.Head.WrongSideEffects > 0 })
	j.tasks = ids(of)
	j.figures = fmt.Sprintf("%s of the head had a wrong side effect: %s", display.Count(c.Head.WrongSideEffects, "episode"), list(of, maxListed, func(t *Task) string { return display.Count(t.Head.WrongSideEffects, "episode") }))
	return j
}

// judgeSuccess compares the rate of the head itself, without known defects.
func judgeSuccess(c *Comparison, r rule) judged {
	head := c.Head.Counts.withoutKnown()
	switch {
	case head.N() == 0 && c.Head.Void > 0:
		return judged{unknown: c.undecided(true)}
	case head.N() == 0:
		return judged{unknown: "every episode of the head is a known defect, so none could pass"}
	case head.Rate() >= r.limit:
		return judged{}
	}
	of := c.tasks(func(t *Task) bool {
		head := t.Head.Counts.withoutKnown()
		return head.N() > 0 && head.Rate() < r.limit
	})
	j := judged{tasks: ids(of)}
	j.figures = fmt.Sprintf("%s passed in the head%s: %s", share(head), knownOf(c.Head.Counts, ", without %s"), list(of, maxListed, func(t *Task) string { return share(t.Head.Counts) }))
	return j
}

// judgeDrop looks at the drop over all tasks, and of each task. A regression is a drop of 100 points.
// Other drops need the interval of runs that took turns.
func judgeDrop(c *Comparison, r rule) judged {
	if c.Counted == 0 {
		return judged{unknown: "no pair of episodes counts"}
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
		return judged{figures: list(of, maxTasks, drops), tasks: ids(of)}
	case beyond(c.Success):
		return judged{figures: c.overall()}
	case len(fell) > 0 && !c.Agents && (*Task).open(fell[0]):
		return judged{unknown: tooRare(fell), tasks: ids(fell)}
	case len(fell) > 0:
		return judged{unknown: "outcomes vary, which only bench:parity can judge: " + list(fell, maxTasks, rates), tasks: ids(fell)}
	}
	return judged{}
}

// judgeRise looks at the rise over all tasks, and of each task.
func judgeRise(m Metric) func(*Comparison, rule) judged {
	return func(c *Comparison, r rule) judged {
		switch {
		case m == Duration && c.NoDurations != "":
			return judged{unknown: "durations are not compared: " + c.NoDurations}
		case m == Tokens && c.NoTokens != "":
			return judged{unknown: "tokens are not compared: " + c.NoTokens}
		}
		j, known := judged{}, false
		beyond := func(s *Shift) bool {
			known = known || s != nil && s.Relative.Interval != nil
			return s != nil && s.Relative.Interval != nil && s.Relative.Interval.Low > r.limit
		}
		of := c.tasks(func(t *Task) bool { return beyond(shiftOf(t.Shifts, m)) })
		j.tasks = ids(of)
		figures := func(s *Shift) string {
			return fmt.Sprintf("%s %s, 95 %% interval %s, %s", m, rise(s.Relative.Value), between(s.Relative.Interval, rise), display.Count(s.N, "pair"))
		}
		all := shiftOf(c.Shifts, m)
		switch pairs, least := c.pairs(m); {
		case beyond(all):
			j.figures = figures(all)
		case len(of) > 0:
			j.figures = list(of, maxListed, func(t *Task) string { return figures(shiftOf(t.Shifts, m)) })
		case !known && pairs >= least:
			j.unknown = fmt.Sprintf("the base has pairs with 0 %s, so a rise in percent cannot be computed", m)
		case !known:
			j.unknown = fmt.Sprintf("%s with the same outcome, and an interval needs %d", display.Count(pairs, "pair"), least)
		}
		return j
	}
}

func rise(v float64) string { return fmt.Sprintf("%+.1f %%", 100*v) }

// pairs returns how many pairs a shift of all tasks, or of the only one, is made of, and how many
// it needs for an interval.
func (c *Comparison) pairs(m Metric) (n, least int) {
	level := alpha
	for i := range c.Tasks {
		n += len(c.Tasks[i].same)
	}
	if s := shiftOf(c.Shifts, m); s != nil { // in which the policies of a task are one
		n = s.N
		level, _ = halves(len(c.Tasks))
	}
	for least = 1; math.Exp2(float64(1-least)) > level; least++ { // all on one side, by chance
	}
	return n, least
}
