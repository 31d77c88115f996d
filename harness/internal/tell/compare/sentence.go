package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func (c *Comparison) find() {
	var parts []string
	few := false
	for i := range c.Tasks {
		t := &c.Tasks[i]
		few = few || !c.Agents && t.whole() != t.Reversal && min(t.Base.N(), t.Head.N()) < least
	}
	switch c.Finding = c.shown(); {
	case c.Finding != "":
	case c.Counted == 0:
		c.Finding = TooFew
		parts = append(parts, fmt.Sprintf("no pair of episodes counts; the base has %s, the head %d", display.Count(c.Base.Episodes, "episode"), c.Head.Episodes))
	case !slices.ContainsFunc(c.Tasks, func(t Task) bool { return t.Success.Change.Value != 0 }):
		c.Finding = NoDifference
	case few:
		c.Finding = TooFew
	case !c.Interleaved:
		c.Finding, c.Needed = MayBeChance, c.needed()
	default:
		c.Finding = NoDifference
		repetitions := math.MaxInt
		for i := range c.Tasks {
			repetitions = min(repetitions, c.Tasks[i].Base.N(), c.Tasks[i].Head.N())
		}
		if n := c.needed(); repetitions < n {
			c.Finding, c.Needed = TooFew, n
		}
	}
	if c.Counted > 0 {
		parts = append(parts, c.outcomes()...)
	}
	if few {
		parts = append(parts, fmt.Sprintf("a regression or a fix needs %d repetitions a side", least))
	}
	if c.Needed > 0 {
		parts = append(parts, fmt.Sprintf("bench:parity finds a drop of ten points in every task with %s of each", display.Count(c.Needed, "repetition")))
	}
	if c.All > len(c.Tasks) {
		parts = append(parts, fmt.Sprintf("compared %d of %s", len(c.Tasks), tasks(c.All)))
	}
	if ends := c.ends(); ends != nil && (ends.worst.shown() != c.shown() || ends.best.shown() != c.shown()) {
		c.Finding = TooFew
		parts = slices.Insert(parts, 0, c.undecided(false))
	}
	if commit := c.otherBuild(); commit != "" {
		parts = slices.Insert(parts, 0, fmt.Sprintf("both name commit %s, but their dist differs, so it is not the same version", display.Visible(commit)))
	}
	for _, s := range []Side{c.Head, c.Base} {
		if tools := s.Report.NoTools; tools != nil {
			missing := display.Visible(strings.Join(tools, ", "))
			parts = slices.Insert(parts, 0, fmt.Sprintf("the server of %s has no tool %s", display.Visible(s.Name), missing))
		}
	}
	parts = append(parts, c.besides()...)
	c.Word, c.Figures = string(c.Finding), strings.Join(parts, "; ")
	if c.Finding == NoDifference {
		c.Word = cmp.Or(c.speed(), c.Word)
	}
	if c.peers() && (c.Finding == Better || c.Finding == Worse) {
		c.Word = "the servers differ"
	}
	c.Sentence = c.Word + ": " + c.Figures
}

// otherBuild returns the commit that both runs name although their packages differ, and git shows no
// change; empty if there is none.
func (c *Comparison) otherBuild() string {
	b, h := c.Base.Report, c.Head.Report
	if b.Package == nil || h.Package == nil || b.Package.Commit != h.Package.Commit || !c.SameServer {
		return ""
	}
	if x, y := b.Server.Package, h.Server.Package; x == "" || y == "" || x == y || b.Package.Dirty || h.Package.Dirty {
		return ""
	}
	return b.Package.Commit
}

// How tasks fell and rose, in words.
const (
	lessOften = "less often"
	moreOften = "more often"
	chance    = ", which may be chance"
)

// outcomes says how many passed before and after, names the tasks that fell and that rose, and
// says where the failures of those that fell ended.
func (c *Comparison) outcomes() (parts []string) {
	groups := map[string][]*Task{}
	fell, rose := 0, 0
	for i := range c.Tasks {
		t := &c.Tasks[i]
		var how string
		switch v := t.Success.Change.Value; {
		case v == 0:
			continue
		case v < 0:
			fell++
			how = cmp.Or(string(t.Reversal), lessOften)
		default:
			rose++
			how = cmp.Or(string(t.Reversal), moreOften)
		}
		if t.Reversal == NoReversal && !t.Success.Shown {
			how += chance
		}
		groups[how] = append(groups[how], t)
	}
	text := c.overall()
	switch {
	case fell+rose == 0 && c.Changed == 0:
		return []string{fmt.Sprintf("no outcome changed in %s of %s", display.Count(c.Counted, "pair"), tasks(len(c.Tasks)))}
	case fell+rose == 0:
		return []string{text}
	case rose == 0:
		text += ": " + tasks(fell) + " fell"
	case fell == 0:
		text += ": " + tasks(rose) + " rose"
	default:
		text += fmt.Sprintf(": %s fell, %d rose", tasks(fell), rose)
	}
	parts = append(parts, text)
	for _, how := range []string{string(Regression), lessOften, lessOften + chance, string(Fix), moreOften, moreOften + chance} {
		if of := groups[how]; of != nil {
			say := drops
			if strings.HasSuffix(how, chance) {
				say = rates
			}
			parts = append(parts, fmt.Sprintf("%s: %s", c.called(how, len(of)), list(of, maxTasks, say)))
		}
	}
	if why := c.wentWrong(); why != "" {
		parts = append(parts, why)
	}
	return parts
}

// called is how tasks changed; of two servers, neither is before or after the other.
func (c *Comparison) called(how string, n int) string {
	title := func(s Side) string {
		if s.Report.Server.Name == record.StandinName {
			return "the stand-in"
		}
		return display.Visible(server.Title(s.Report.Server.Name))
	}
	passes := func(a, b Side) string {
		return fmt.Sprintf("%s passes %s that %s does not", title(a), tasks(n), title(b))
	}
	switch {
	case c.peers() && how == string(Regression):
		return passes(c.Base, c.Head)
	case c.peers() && how == string(Fix):
		return passes(c.Head, c.Base)
	}
	return how
}

// peers reports whether two servers are compared, and not two builds of one.
func (c *Comparison) peers() bool {
	return !c.SameServer && c.Base.Report.Server != nil && c.Head.Report.Server != nil
}

// wentWrong says where the failed episodes of the tasks that fell went wrong.
func (c *Comparison) wentWrong() string {
	fell := map[string]bool{}
	for i := range c.Tasks {
		fell[c.Tasks[i].ID] = c.Tasks[i].Success.Change.Value < 0
	}
	return explain.WentWrong(c.Head.Report.Episodes.Where(func(e *report.Episode) bool { return fell[e.TaskID] && outcomeOf(e) == lost }))
}

// shown returns what regressions, fixes and tests show: [Worse] if anything got worse, else [Better] if
// anything got better, else "".
func (c *Comparison) shown() Finding {
	worse := c.Success.Shown && c.Success.Change.Value < 0
	better := c.Success.Shown && c.Success.Change.Value > 0
	for i := range c.Tasks {
		worse = worse || c.Tasks[i].Worse()
		better = better || c.Tasks[i].Better()
	}
	switch {
	case worse:
		return Worse
	case better:
		return Better
	}
	return ""
}

// Worse reports whether a regression or a test shows that the task passes less often.
func (t *Task) Worse() bool {
	return t.Reversal == Regression || t.Success.Shown && t.Success.Change.Value < 0
}

// Better is the reverse of Worse.
func (t *Task) Better() bool {
	return t.Reversal == Fix || t.Success.Shown && t.Success.Change.Value > 0
}

// overall says how many passed on both sides.
func (c *Comparison) overall() string {
	text := fmt.Sprintf("%d of %d to %d of %d passed", c.Base.Passed, c.Base.N(), c.Head.Passed, c.Head.N())
	if e := c.Success.Change; e.Interval != nil && len(c.Tasks) > 1 {
		text += fmt.Sprintf(" (%s, 95 %% interval %s)", points(e.Value), between(e.Interval, points))
	}
	return text
}

// speed is the first word if only durations changed.
func (c *Comparison) speed() string {
	s := shiftOf(c.Shifts, Duration)
	all := s != nil && s.Change.Clear()
	switch up, down := c.clear(Duration); {
	case len(up) > 0 || all && s.Change.Value > 0:
		return "slower"
	case len(down) > 0 || all:
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
	if c.SameServer {
		for i := range c.Tools {
			if words := c.Tools[i].words(); words != "" {
				parts = append(parts, words)
			}
		}
	}
	for _, m := range slices.Backward(Metrics) { // durations first
		up, down := c.clear(m)
		if s := shiftOf(c.Shifts, m); s != nil && s.Change.Clear() {
			text := fmt.Sprintf("%s: %s", m, s.words())
			if len(up)+len(down) > 0 {
				text += fmt.Sprintf("; of %s, up in %d, down in %d", tasks(len(c.Tasks)), len(up), len(down))
			}
			parts = append(parts, text)
			continue
		}
		by := func(t *Task) string { return shiftOf(t.Shifts, m).words() }
		if len(up) > 0 {
			parts = append(parts, fmt.Sprintf("%s up in %s: %s", m, tasks(len(up)), list(up, maxListed, by)))
		}
		if len(down) > 0 {
			parts = append(parts, fmt.Sprintf("%s down in %s: %s", m, tasks(len(down)), list(down, maxListed, by)))
		}
	}
	return parts
}

// words says a shift with its share, its interval, and of how many pairs it is the median.
func (s *Shift) words() string {
	text := s.Metric.Signed(s.Change.Value)
	var more []string
	if s.Relative.Value != 0 {
		more = append(more, fmt.Sprintf("%+.1f %%", 100*s.Relative.Value))
	}
	if s.Change.Interval != nil {
		more = append(more, "95 % interval "+between(s.Change.Interval, s.Metric.Signed))
	}
	more = append(more, display.Count(s.N, "pair"))
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

// A sentence names at most maxTasks tasks whose outcome changed, and maxListed others.
const (
	maxTasks  = 100
	maxListed = 3
)

// list names the first tasks, with what say says of each.
func list(of []*Task, most int, say func(*Task) string) string {
	var names []string
	for _, t := range of[:min(len(of), most)] {
		names = append(names, fmt.Sprintf("%s, %s", display.Visible(t.ID), say(t)))
	}
	if more := len(of) - most; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, "; ")
}

func rates(t *Task) string {
	return fmt.Sprintf("%d of %d%s to %d of %d%s",
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
