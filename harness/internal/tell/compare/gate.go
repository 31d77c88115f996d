package compare

import (
	"cmp"
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
	each bool // it needs an episode that counts on both sides of each task
	// judge says why the rule is breached, or why it cannot be judged. It is kept if both are empty.
	judge func(c *Comparison, r rule) (breach, unknown string)
	count func(t *Task) int // what == compares with the limit, of a task; nil for other rules
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

// ruleKinds are all rules, in the order of the documentation.
var ruleKinds = []ruleKind{
	{"regressions", exact, false, judgeRegressions, func(t *Task) int { return count(t.Reversal == Regression) }},
	{"changed-answers", exact, false, exactly(changedAnswers), func(t *Task) int { return t.Head.ChangedAnswers }},
	{"wrong-side-effects", exact, false, exactly(wrongSideEffects), func(t *Task) int { return t.Head.WrongSideEffects }},
	{"success", floor, false, judgeSuccess, nil},
	{"success.drop", ceiling, true, judgeDrop, nil},
	{"steps.rise", growth, true, judgeRise(Steps), nil},
	{"calls.rise", growth, true, judgeRise(Calls), nil},
	{"tokens.rise", growth, true, judgeRise(Tokens), nil},
	{"duration.rise", growth, true, judgeRise(Duration), nil},
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
	Figures string // why, in words
}

func (b Breach) String() string { return b.Rule + ": " + b.Figures }

// Judge judges every rule. If void episodes could change the answer of a rule, however each of
// them would have ended, the rule cannot be judged.
func (g Gate) Judge(c *Comparison) Result {
	var result Result
	ends := c.ends()
	for _, r := range g {
		breach, unknown := r.judge(c, r)
		if unknown == "" && ends != nil && r.open(ends, breach) {
			breach, unknown = "", undecided
		}
		if breach+unknown == "" && r.each {
			unknown = c.uncounted()
		}
		unknown = cmp.Or(unknown, c.Unfinished)
		switch {
		case breach != "":
			result.Breached = append(result.Breached, Breach{r.text, breach})
		case unknown != "":
			result.Unknown = append(result.Unknown, Breach{r.text, unknown})
		default:
			result.Kept = append(result.Kept, r.text)
		}
	}
	switch breach, unknown := c.strict(); {
	case breach != "":
		result.Breached = append(result.Breached, Breach{strictRule, breach})
	case unknown != "":
		result.Unknown = append(result.Unknown, Breach{strictRule, unknown})
	}
	return result
}

// NotJudged is the result if no rule can be judged, and why.
func (g Gate) NotJudged(why string) (result Result) {
	for _, r := range g {
		result.Unknown = append(result.Unknown, Breach{r.text, why})
	}
	return result
}

// open reports whether void episodes could change the answer.
func (r rule) open(ends *ends, breach string) bool {
	if r.count != nil {
		least, most := r.sum(ends.best), r.sum(ends.worst)
		return least < most && float64(least) <= r.limit && r.limit <= float64(most)
	}
	other := func(c *Comparison) bool {
		again, _ := r.judge(c, r)
		return (again == "") != (breach == "")
	}
	return other(ends.worst) || other(ends.best)
}

// uncounted names the tasks that a rule about each task could not look at; empty if there are none.
func (c *Comparison) uncounted() string {
	of := c.tasks(func(t *Task) bool { return !t.counts() })
	if of == nil {
		return ""
	}
	return fmt.Sprintf("%s without an episode that counts on both sides: %s", tasks(len(of)), names(of))
}

// sum adds up what a rule counts.
func (r rule) sum(c *Comparison) (sum int) {
	for _, t := range c.Tasks {
		sum += r.count(t)
	}
	return sum
}

// exactly judges a rule that counts. say names what was counted: n, in the tasks of.
func exactly(say func(c *Comparison, n int, of []*Task) string) func(*Comparison, rule) (breach, unknown string) {
	return func(c *Comparison, r rule) (breach, unknown string) {
		if n := r.sum(c); float64(n) != r.limit {
			breach = say(c, n, c.tasks(func(t *Task) bool { return r.count(t) > 0 }))
		}
		return breach, ""
	}
}

// judgeRegressions names the tasks that no longer pass. It is not known whether a task is one if all of
// it failed, but too rarely.
func judgeRegressions(c *Comparison, r rule) (breach, unknown string) {
	if c.Agents {
		return "", "chance moves the outcomes of an agent, so a regression is no fact; write success.drop instead"
	}
	open := c.tasks((*Task).open)
	if n := float64(r.sum(c)); open != nil && n <= r.limit && r.limit <= n+float64(len(open)) {
		return "", tooRare(open)
	}
	return exactly(regressions)(c, r)
}

func regressions(_ *Comparison, n int, of []*Task) string {
	return about(display.Count(n, "regression"), list(of, rates))
}

// open reports whether all repetitions of the task passed and now fail, and that is no regression: by chance, or
// because its other policies vary.
func (t *Task) open() bool {
	return t.whole() == Regression && t.Reversal == NoReversal
}

func tooRare(of []*Task) string {
	return fmt.Sprintf("a regression or a fix needs %d repetitions a side, and more if outcomes of other tasks vary: %s",
		least, list(of, rates))
}

func changedAnswers(c *Comparison, n int, of []*Task) string {
	return about(fmt.Sprintf("%s in %d episodes of the head, in %s",
		display.Count(n, "changed answer"), c.Head.Episodes, tasks(len(of))), names(of))
}

func wrongSideEffects(_ *Comparison, n int, of []*Task) string {
	count := func(n int) string { return display.Count(n, "episode") }
	each := func(t *Task) string { return count(t.Head.WrongSideEffects) }
	return about(count(n)+" of the head had a wrong side effect", list(of, each))
}

// judgeSuccess compares the rate of the head itself, without known defects.
func judgeSuccess(c *Comparison, r rule) (breach, unknown string) {
	head := c.Head.Counts.withoutKnown()
	switch {
	case head.N()+head.Void == 0:
		return "", "every episode of the head is a known defect, so none could pass"
	case head.Rate() >= r.limit:
		return "", ""
	}
	of := c.tasks(func(t *Task) bool {
		head := t.Head.Counts.withoutKnown()
		return head.N() > 0 && head.Rate() < r.limit
	})
	text := share(head) + " passed in the head"
	if n := c.Head.Known; n > 0 {
		text += ", without " + display.Count(n, "known defect")
	}
	return about(text, list(of, func(t *Task) string { return share(t.Head.Counts) })), ""
}

// judgeDrop looks at the drop over all tasks, and of each task. A regression is a drop of 100 points.
// Other drops need runs that took turns: the test, and the interval where outcomes vary.
func judgeDrop(c *Comparison, r rule) (breach, unknown string) {
	beyond := func(s Success) bool {
		high := s.Change.Value
		if s.Change.Interval != nil { // else all repetitions of each side ended alike
			high = s.Change.Interval.High
		}
		return s.Shown && high < -r.limit
	}
	of := c.tasks(func(t *Task) bool { return t.Reversal == Regression && r.limit < 1 || beyond(t.Success) })
	fell := c.tasks(func(t *Task) bool {
		return t.Success.Change.Value < -r.limit && (t.open() && !c.Agents || !c.Interleaved && t.Reversal == NoReversal)
	})
	switch {
	case len(of) > 0:
		return list(of, drops), ""
	case beyond(c.Success):
		return c.overall(), ""
	case len(fell) > 0 && !c.Agents && fell[0].open():
		return "", tooRare(fell)
	case len(fell) > 0:
		return "", "outcomes vary, which only bench:parity can judge: " + list(fell, rates)
	}
	return "", ""
}

// judgeRise looks at the rise over all tasks, and of each task.
func judgeRise(m Metric) func(*Comparison, rule) (breach, unknown string) {
	rise := func(v float64) string { return fmt.Sprintf("%+.1f %%", 100*v) }
	figures := func(s *Shift) string {
		return fmt.Sprintf("%s %s, %s, %s", m, rise(s.Relative.Value), within(s.Relative, rise), display.Count(s.N, "pair"))
	}
	return func(c *Comparison, r rule) (breach, unknown string) {
		if m == Duration && !c.Interleaved {
			return "", noDurations
		}
		known := false
		beyond := func(s *Shift) bool {
			if s == nil || s.Relative.Interval == nil {
				return false
			}
			known = true
			return s.Relative.Interval.Low > r.limit
		}
		of := c.tasks(func(t *Task) bool { return beyond(t.Shifts[m]) })
		all := c.Shifts[m]
		switch {
		case beyond(all):
			return figures(all), ""
		case len(of) > 0:
			return list(of, func(t *Task) string { return figures(t.Shifts[m]) }), ""
		case !known:
			return "", fmt.Sprintf("too few pairs have the same outcome, or the base has 0 %s; run more repetitions", m)
		}
		return "", ""
	}
}
