package comparison

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// find decides the finding, and says it.
func (c *Comparison) find() {
	losses, gains := c.flips(Lost), c.flips(Gained)
	var worse, better []*Task // shown by the tests, and no flips
	for i := range c.Tasks {
		switch t := &c.Tasks[i]; {
		case t.Flip != NoFlip || !t.Success.Shown:
		case t.Success.Change.Value < 0:
			worse = append(worse, t)
		default:
			better = append(better, t)
		}
	}
	var parts []string
	if len(losses) > 0 {
		parts = append(parts, fmt.Sprintf("%s no longer %s: %s", tasks(len(losses)), passes(len(losses)), list(losses, rates)))
	}
	if len(worse) > 0 {
		parts = append(parts, fmt.Sprintf("%s less often: %s", doPass(len(worse)), list(worse, drops)))
	}
	if len(gains) > 0 {
		parts = append(parts, fmt.Sprintf("%s %s now: %s", tasks(len(gains)), passes(len(gains)), list(gains, rates)))
	}
	if len(better) > 0 {
		parts = append(parts, fmt.Sprintf("%s more often: %s", doPass(len(better)), list(better, drops)))
	}
	if c.Success.Shown && len(c.Tasks) > 1 && len(losses)+len(gains) == 0 {
		parts = slices.Insert(parts, 0, c.overall())
	}
	switch c.Finding = c.shown(); {
	case c.Finding != "":
	case c.Counted == 0:
		c.Finding = TooFew
		parts = append(parts, fmt.Sprintf("no pair of episodes counts; the base has %s, the head %d", display.Count(c.Base.Episodes, "episode"), c.Head.Episodes))
	case c.Changed == 0:
		c.Finding = NoDifference
		parts = append(parts, fmt.Sprintf("no outcome changed in %s of %s", display.Count(c.Counted, "pair"), tasks(len(c.Tasks))))
	default:
		c.uncertain(&parts)
	}
	if ends := c.ends(); ends != nil && (ends.worst.shown() != c.shown() || ends.best.shown() != c.shown()) {
		c.Finding = TooFew
		parts = slices.Insert(parts, 0, c.undecided(false))
	}
	parts = append(parts, c.besides()...)
	c.Word, c.Figures = string(c.Finding), strings.Join(parts, "; ")
	if c.Finding == NoDifference {
		c.Word = cmp.Or(c.speed(), c.Word)
	}
	c.Sentence = c.Word + ": " + c.Figures
}

// shown returns what flips and tests show: [Worse] if anything got worse, else [Better] if
// anything got better, else "".
func (c *Comparison) shown() Finding {
	worse := c.Success.Shown && c.Success.Change.Value < 0
	better := c.Success.Shown && c.Success.Change.Value > 0
	for i := range c.Tasks {
		t := &c.Tasks[i]
		worse = worse || t.Flip == Lost || t.Success.Shown && t.Success.Change.Value < 0
		better = better || t.Flip == Gained || t.Success.Shown && t.Success.Change.Value > 0
	}
	switch {
	case worse:
		return Worse
	case better:
		return Better
	}
	return ""
}

// uncertain is for outcomes that changed without a test that shows a difference.
func (c *Comparison) uncertain(parts *[]string) {
	c.Finding = NoDifference
	text := c.overall()
	repetitions := math.MaxInt
	for i := range c.Tasks {
		repetitions = min(repetitions, c.Tasks[i].Base.N(), c.Tasks[i].Head.N())
	}
	if n := c.needed(); repetitions < n {
		c.Finding, c.Needed = TooFew, n
		more := ""
		if n >= maxNeeded {
			more = "at least "
		}
		text += fmt.Sprintf("; to find a drop of ten points in every task, run %s%d repetitions of each task on both sides (now %d)", more, n, repetitions)
	}
	*parts = append(*parts, text)
}

// overall says how many passed on both sides.
func (c *Comparison) overall() string {
	text := fmt.Sprintf("%s passed in the base, %s in the head", share(c.Base.Counts), share(c.Head.Counts))
	if e := c.Success.Change; e.Interval != nil {
		text += fmt.Sprintf(": %s a task (95 %% interval %s, %s)", points(e.Value), between(e.Interval, points), tasks(len(c.Tasks)))
	}
	return text
}

func (c *Comparison) flips(f Flip) []*Task {
	var of []*Task
	for i := range c.Tasks {
		if c.Tasks[i].Flip == f {
			of = append(of, &c.Tasks[i])
		}
	}
	return of
}

// speed is the first word if only durations changed.
func (c *Comparison) speed() string {
	switch up, down := c.clear(Duration); {
	case len(up) > 0:
		return "slower"
	case len(down) > 0:
		return "faster"
	}
	return ""
}

// clear returns the tasks whose metric clearly rose and fell.
func (c *Comparison) clear(m Metric) (up, down []*Task) {
	for i := range c.Tasks {
		switch s := shiftOf(c.Tasks[i].Shifts, m); {
		case s == nil || !s.Change.Clear():
		case s.Change.Value > 0:
			up = append(up, &c.Tasks[i])
		default:
			down = append(down, &c.Tasks[i])
		}
	}
	return up, down
}

// besides says what changed beside the outcomes.
func (c *Comparison) besides() []string {
	var parts []string
	if c.Reworded > 0 {
		var of []string
		for _, t := range c.Tools {
			if t.Reworded > 0 {
				of = append(of, fmt.Sprintf("%d of %s", t.Reworded, display.Visible(t.Name)))
			}
		}
		parts = append(parts, fmt.Sprintf("%s reworded (%s)", display.Count(c.Reworded, "answer"), strings.Join(of, ", ")))
	}
	slower, faster := c.clear(Duration)
	for _, m := range slices.Backward(Metrics) { // durations first
		up, down := slower, faster
		if m != Duration {
			up, down = c.clear(m)
		}
		if s := shiftOf(c.Shifts, m); s != nil && s.Change.Clear() {
			parts = append(parts, fmt.Sprintf("%s: %s", m, s.words("task")))
			continue
		}
		by := func(t *Task) string { return shiftOf(t.Shifts, m).words("pair") }
		if len(up) > 0 {
			parts = append(parts, fmt.Sprintf("%s up in %s: %s", m, tasks(len(up)), list(up, by)))
		}
		if len(down) > 0 {
			parts = append(parts, fmt.Sprintf("%s down in %s: %s", m, tasks(len(down)), list(down, by)))
		}
	}
	return parts
}

// words says a shift with its share, its interval, and how many of what it is the median of.
func (s *Shift) words(of string) string {
	text := s.Metric.Signed(s.Change.Value)
	var more []string
	if s.Relative.Value != 0 {
		more = append(more, fmt.Sprintf("%+.1f %%", 100*s.Relative.Value))
	}
	if s.Change.Interval != nil {
		more = append(more, "95 % interval "+between(s.Change.Interval, s.Metric.Signed))
	}
	more = append(more, display.Count(s.N, of))
	return text + " (" + strings.Join(more, ", ") + ")"
}

// Signed writes a change of the metric, with its unit.
func (m Metric) Signed(v float64) string {
	switch {
	case m == Duration && math.Abs(v) >= 999.5:
		return fmt.Sprintf("%+.2f s", v/1000)
	case m == Duration:
		return fmt.Sprintf("%+.0f ms", v)
	case v == math.Trunc(v):
		return fmt.Sprintf("%+.0f", v)
	}
	return fmt.Sprintf("%+.1f", v)
}

// maxListed is how many tasks a sentence names.
const maxListed = 3

// list names the first tasks, with what say says of each.
func list(of []*Task, say func(*Task) string) string {
	var names []string
	for _, t := range of[:min(len(of), maxListed)] {
		names = append(names, fmt.Sprintf("%s, %s", display.Visible(t.ID), say(t)))
	}
	if more := len(of) - maxListed; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, "; ")
}

func rates(t *Task) string {
	return fmt.Sprintf("%d of %d in the base%s and %d of %d in the head%s",
		t.Base.Passed, t.Base.N(), knownOf(t.Base.Counts, " (%s)"), t.Head.Passed, t.Head.N(), knownOf(t.Head.Counts, " (%s)"))
}

// knownOf says how many known defects there are; empty if there are none.
func knownOf(c Counts, format string) string {
	if c.Known == 0 {
		return ""
	}
	return fmt.Sprintf(format, display.Count(c.Known, "known defect"))
}

func drops(t *Task) string {
	text := rates(t)
	if e := t.Success.Change; e.Interval != nil {
		text += fmt.Sprintf(" (%s, 95 %% interval %s)", points(e.Value), between(e.Interval, points))
	}
	return text
}

func share(c Counts) string {
	if c.N() == 0 {
		return "none of 0"
	}
	return fmt.Sprintf("%d of %d (%s)", c.Passed, c.N(), percent(c.Rate()))
}

// percent writes a rate; rounding never makes it 0 % or 100 %.
func percent(rate float64) string {
	return fmt.Sprintf("%.1f %%", display.Percent(math.Round(1000*rate)/10, rate))
}

func points(v float64) string { return fmt.Sprintf("%+.1f points", 100*v) }

func between(i *stats.Interval, say func(float64) string) string {
	return say(i.Low) + " to " + say(i.High)
}

func tasks(n int) string { return display.Count(n, "task") }

func passes(n int) string {
	if n == 1 {
		return "passes"
	}
	return "pass"
}

func doPass(n int) string { return tasks(n) + " " + passes(n) }
