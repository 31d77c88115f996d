package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// sentence is a list of what is to be said.
type sentence []string

// add adds a part if is is true.
func (s *sentence) add(is bool, format string, args ...any) {
	if is {
		*s = append(*s, fmt.Sprintf(format, args...))
	}
}

// find says what was found: the finding, and what it follows from.
func (c *Comparison) find() {
	if c.Peers() {
		c.Finding, c.Sentence = cmp.Or(c.shown(), NoDifference), c.ofServers()
		return
	}
	few := !c.Agents && slices.ContainsFunc(c.Tasks, func(t *Task) bool {
		return !t.noTool && t.whole() != t.Reversal && min(t.Base.N(), t.Head.N()) < least
	})
	c.decide(few)
	figures := c.missingTools()
	b, h := c.Base.Report, c.Head.Report
	if c.SameServer && b.Package != nil && h.Package != nil && b.Server.Package != "" && h.Server.Package != "" {
		differ := b.Server.Package != h.Server.Package && !b.Package.Dirty && !h.Package.Dirty // else git says why
		commit := b.Package.Commit
		figures.add(differ && commit != "" && commit == h.Package.Commit, "both name commit %s, but their dist differs, "+
			"so it is not the same version", display.Visible(commit))
	}
	shown := c.shown()
	if ends := c.ends(); ends != nil && (ends.worst.shown() != shown || ends.best.shown() != shown) {
		c.Finding = TooFew
		figures = append(figures, c.undecided(false))
	}
	figures.add(c.Counted == 0 && shown == "", "no pair of episodes counts; the base has %s, the head %d",
		display.Count(c.Base.Episodes, "episode"), c.Head.Episodes)
	if c.Counted > 0 {
		figures = append(figures, c.outcomes()...)
	}
	figures.add(few, "a regression or a fix needs %d repetitions a side", least)
	figures.add(c.Needed > 0, "bench:parity finds a drop of ten points in every task with %s of each",
		display.Count(c.Needed, "repetition"))
	figures.add(c.All > len(c.Tasks), "compared %d of %s", len(c.Tasks), tasks(c.All))
	figures = append(figures, c.besides()...)
	word := string(c.Finding)
	if c.Finding == NoDifference {
		word = cmp.Or(c.speed(), word)
	}
	c.Sentence = word + ": " + strings.Join(figures, "; ")
}

// ofServers says how many tasks two servers passed, and which of them only one did. They are no builds of one
// server, so neither is better by a rule for builds.
func (c *Comparison) ofServers() string {
	var only, more [2]int // of the base, of the head
	atLimit := 0
	for _, group := range together(c.tasks((*Task).counts)) {
		var base, head Counts
		for _, t := range group {
			base.sum(t.Base.Counts)
			head.sum(t.Head.Counts)
		}
		winner := 0
		switch {
		case base.Rate() == head.Rate():
			continue
		case base.Rate() < head.Rate():
			winner = 1
		}
		more[winner]++
		if base.Passed*head.Passed == 0 && base.Lost*head.Lost == 0 { // always one, never the other
			only[winner]++
		}
		for _, t := range group {
			for _, e := range slices.Concat(t.Base.episodes, t.Head.episodes) {
				atLimit += count(e.Cause == record.CauseTimeCap)
			}
		}
	}
	b, h := &c.Base, &c.Head
	parts := sentence{fmt.Sprintf("%s passed %d of %d, %s %d of %d (%s)",
		b.Part, b.Passed, b.N(), h.Part, h.Passed, h.N(), c.runs())}
	for i, s := range c.sides() {
		parts.add(true, "only %s: %d", s.Part, only[i])
		parts.add(more[i] > only[i], "%s more often: %d", s.Part, more[i]-only[i])
	}
	parts.add(true, "wrong side effects: %d and %d", b.WrongSideEffects, h.WrongSideEffects)
	if n := float64(more[0] + more[1]); n > 0 {
		p := stats.Sign(math.Abs(float64(more[0]-more[1])), n)
		parts.add(p < 0.001, "sign test p < 0.001")
		parts.add(p >= 0.001 && p <= alpha, "sign test p = %.2g", p)
		parts.add(p > alpha, "sign test p = %.2g, so it may be chance", p)
	}
	parts.add(b.Void+h.Void > 0, "%s", c.undecided(false))
	parts.add(atLimit > 0 && !c.Interleaved, "%s ended at a time limit: bench:parity decides, because its "+
		"servers take turns", display.Count(atLimit, "episode"))
	parts.add(c.All > len(c.Tasks), "compared %d of %s", len(c.Tasks), tasks(c.All))
	return strings.Join(parts, "; ")
}

// runs says how often each task ran on each side, and of stored runs when, and how busy the machine was.
func (c *Comparison) runs() string {
	n := 0
	for _, t := range c.Tasks {
		n = max(n, len(t.pairs))
	}
	words := "one run each"
	if n != 1 {
		words = fmt.Sprintf("%d runs each", n)
	}
	if c.Interleaved {
		return words + ", in turns"
	}
	for _, s := range c.sides() {
		r := s.Report
		if !r.Began.IsZero() {
			words += r.Began.UTC().Format(", 2006-01-02")
		}
		if r.Host.Load > 0 {
			words += fmt.Sprintf(" at load %.1f", r.Host.Load)
		}
	}
	return words
}

// decide sets the finding, and how many repetitions are needed. few says that a task has too few.
func (c *Comparison) decide(few bool) {
	changed := func(t *Task) bool { return t.Success.Change.Value != 0 }
	switch c.Finding = c.shown(); {
	case c.Finding != "":
	case c.Counted > 0 && !slices.ContainsFunc(c.Tasks, changed):
		c.Finding = NoDifference
	case c.Counted == 0 || few:
		c.Finding = TooFew
	case !c.Interleaved:
		c.Finding, c.Needed = MayBeChance, c.needed()
	default:
		c.Finding = NoDifference
		if c.finds() < power {
			c.Finding, c.Needed = TooFew, c.needed()
		}
	}
}

// missingTools names the tools that only one side lists, and those that were called in vain.
func (c *Comparison) missingTools() (parts sentence) {
	say := func(what string, tools []string) {
		parts.add(len(tools) > 0, "%s %s", what, display.Visible(report.Named(tools)))
	}
	say("the head has no", slices.Concat(c.gone, without(c.Head.Report.NoTools, c.gone)))
	inBase := c.Base.Report.NoTools
	if c.listed {
		say("new:", c.added)
		inBase = without(inBase, c.added)
	}
	say("the base has no", inBase)
	return parts
}

// outcomes says how many passed before and after, names the tasks that fell and that rose, and
// says where the failures of those that fell ended.
func (c *Comparison) outcomes() (parts sentence) {
	fell := c.tasks(func(t *Task) bool { return t.Success.Change.Value < 0 })
	rose := c.tasks(func(t *Task) bool { return t.Success.Change.Value > 0 })
	text := c.overall()
	switch f, r := len(fell), len(rose); {
	case f+r == 0 && c.Changed == 0:
		text = c.unchanged()
	case f+r == 0:
	case r == 0:
		text += ": " + tasks(f) + " fell"
	case f == 0:
		text += ": " + tasks(r) + " rose"
	default:
		text += fmt.Sprintf(": %s fell, %d rose", tasks(f), r)
	}
	parts = append(parts, text)
	say := func(how string, of []*Task, is func(*Task) bool, each func(*Task) string) {
		of = slices.DeleteFunc(slices.Clone(of), func(t *Task) bool { return !is(t) })
		parts.add(len(of) > 0, "%s: %s", how, list(of, maxTasks, each))
	}
	reversed := func(t *Task) bool { return t.Reversal != NoReversal }
	tested := func(t *Task) bool { return !reversed(t) && t.Success.Shown }
	noTool := func(t *Task) bool { return !reversed(t) && !tested(t) && t.noTool }
	chance := func(t *Task) bool { return !reversed(t) && !tested(t) && !t.noTool }
	say(string(Regression), fell, reversed, drops)
	say("less often", fell, tested, drops)
	say("less often, for lack of a tool", fell, noTool, rates)
	say("less often, which may be chance", fell, chance, rates)
	say(string(Fix), rose, reversed, drops)
	say("more often", rose, tested, drops)
	say("more often, for lack of a tool in the base", rose, noTool, rates)
	say("more often, which may be chance", rose, chance, rates)
	var failures report.Episodes
	for _, t := range fell {
		for _, e := range t.Head.episodes {
			if outcomeOf(e) == lost {
				failures.Add(*e)
			}
		}
	}
	why := why.WentWrong(failures)
	parts.add(why != "", "%s", why)
	return parts
}

// unchanged says in how many episodes no outcome changed, and whether a loss would have shown there.
func (c *Comparison) unchanged() string {
	of := len(together(c.Tasks))
	where := display.Count(c.Counted, "pair") + " of " + tasks(of)
	if c.Counted%of == 0 {
		where = fmt.Sprintf("%s × %d", tasks(of), c.Counted/of)
	}
	share := "under 1 %"
	switch found := c.finds(); {
	case found > 0.99:
		share = "over 99 %"
	case found >= 0.01:
		share = fmt.Sprintf("%.0f %%", 100*found)
	}
	const text = "no outcome changed in %s; a loss of one episode in ten would show in %s of such comparisons"
	return fmt.Sprintf(text, where, share)
}

// Peers reports whether two servers are compared, and not two builds of one.
func (c *Comparison) Peers() bool {
	return !c.SameServer && c.Base.Report.Server != nil && c.Head.Report.Server != nil
}

// overall says how many passed on both sides.
func (c *Comparison) overall() string {
	text := fmt.Sprintf("%d of %d to %d of %d passed", c.Base.Passed, c.Base.N(), c.Head.Passed, c.Head.N())
	if len(c.Tasks) > 1 {
		text += change(c.Success)
	}
	return text
}

// speed is the first word if only durations changed.
func (c *Comparison) speed() string {
	all := c.Shifts[Duration]
	switch up, down := c.clear(Duration); {
	case len(up) > 0 || all.clear() && all.Change.Value > 0:
		return "slower"
	case len(down) > 0 || all.clear():
		return "faster"
	}
	return ""
}

// clear returns the tasks whose metric clearly rose and fell.
func (c *Comparison) clear(m Metric) (up, down []*Task) {
	is := func(sign float64) func(*Task) bool {
		return func(t *Task) bool { return t.Shifts[m].clear() && sign*t.Shifts[m].Change.Value > 0 }
	}
	return c.tasks(is(1)), c.tasks(is(-1))
}

// besides says what changed beside the outcomes.
func (c *Comparison) besides() (parts sentence) {
	var reworded, calls sentence
	for _, t := range c.Tools {
		words := t.words()
		reworded.add(t.Reworded > 0, "%d of %s", t.Reworded, display.Visible(t.Name))
		calls.add(c.SameServer && words != "", "%s", words)
	}
	parts.add(c.Reworded > 0, "%s reworded (%s)", display.Count(c.Reworded, "answer"), strings.Join(reworded, ", "))
	parts = append(parts, calls...)
	for _, m := range slices.Backward(metrics) { // durations first
		up, down := c.clear(m)
		if s := c.Shifts[m]; s.clear() {
			text := fmt.Sprintf("%s: %s", m, s.words())
			if len(up)+len(down) > 0 {
				text += fmt.Sprintf("; of %s, up in %d, down in %d", tasks(len(c.Tasks)), len(up), len(down))
			}
			parts = append(parts, text)
			continue
		}
		by := func(t *Task) string { return t.Shifts[m].words() }
		parts.add(len(up) > 0, "%s up in %s: %s", m, tasks(len(up)), list(up, maxListed, by))
		parts.add(len(down) > 0, "%s down in %s: %s", m, tasks(len(down)), list(down, maxListed, by))
	}
	return parts
}

// words says what changed in the calls of the tool beside their number; empty if nothing did.
func (t *Tool) words() string {
	var parts sentence
	parts.add(t.Shift.Clear(), "%s to %s", Duration.write(t.Base.Ms), Duration.write(t.Head.Ms))
	parts.add(t.Base.Errors != t.Head.Errors, "%d to %s", t.Base.Errors, display.Count(t.Head.Errors, "error"))
	if parts == nil {
		return ""
	}
	parts.add(true, "%s", display.Count(t.Head.Calls, "call"))
	return display.Visible(t.Name) + " " + strings.Join(parts, ", ")
}

// words says a shift with its share, its interval, and of how many pairs it is the median.
func (s *Shift) words() string {
	var more sentence
	more.add(s.Relative.Value != 0, "%+.1f %%", 100*s.Relative.Value)
	if s.Change.Interval != nil {
		more = append(more, within(s.Change, s.Metric.signed))
	}
	more = append(more, display.Count(s.N, "pair"))
	return s.Metric.signed(s.Change.Value) + " (" + strings.Join(more, ", ") + ")"
}

// undecided says that void episodes could change an answer: how many they are, and why.
func (c *Comparison) undecided(headOnly bool) string {
	var sides sentence
	for _, s := range c.sides() {
		sides.add(s.Void > 0 && !(headOnly && s == &c.Base), "%s %s", s.in(), s.voidWords())
	}
	return "void episodes could change the answer: " + strings.Join(sides, "; ")
}

// voidWords says how many episodes are void, and the most frequent causes.
func (s *Side) voidWords() string {
	causes := why.Causes(s.Report.Episodes.Where(func(e *report.Episode) bool { return outcomeOf(e) == void }))
	var words sentence
	for _, c := range causes[:min(len(causes), maxListed)] {
		words.add(true, "%d × %s", len(c.Episodes), display.VisibleTo(cmp.Or(c.Group, string(c.Episodes[0].Status)), 200))
	}
	more := len(causes) - maxListed
	words.add(more > 0, "and %s", display.Count(more, "more cause"))
	return fmt.Sprintf("%d of %d (%s)", s.Void, s.Episodes, strings.Join(words, ", "))
}

// Remarks are what else a reader must know, and what is not compared.
func (c *Comparison) Remarks() []string {
	notes := sentence(slices.Clone(c.Notes))
	for _, s := range c.sides() {
		if s.Void > 0 {
			notes.add(true, "%s: left out void episodes, which say nothing about the server: %s",
				display.Visible(s.Name), s.voidWords())
		}
	}
	for _, t := range c.Tasks {
		notes.add(!t.counts(), "task %s has no episode that counts on both sides", display.Visible(t.ID))
	}
	b, h := c.Base.Episodes-c.Pairs, c.Head.Episodes-c.Pairs
	notes.add(b+h > 0, "%s without a partner: %d %s, %d %s; they count in the rates",
		display.Count(b+h, "episode"), b, c.Base.in(), h, c.Head.in())
	for _, m := range []Metric{Duration, Tokens} {
		notes.add(c.Lacks[m] != "", "%s", c.Lacks[m])
	}
	notes.add(c.Peers(), "answers are not compared: the servers differ")
	notes.add(!c.SameServer && !c.Peers(), "answers are not compared: on one side no session started")
	_, note := why.CompareUntrue(c.Base.Report, c.Head.Report)
	notes.add(note != "", "%s", note)
	return notes
}

// in is where something is: in one of two builds, or on one of two servers.
func (s *Side) in() string {
	if s.Part == "base" || s.Part == "head" {
		return "in the " + s.Part
	}
	return "on " + s.Part
}

// the is one of two builds, or the run of one of two servers.
func (s *Side) the() string {
	if s.Part == "base" || s.Part == "head" {
		return "the " + s.Part
	}
	return "the run of " + s.Part
}

// Summary describes a side in a line.
func (s *Side) Summary() string {
	parts := sentence{share(s.Counts) + " passed"}
	parts.add(s.Known > 0, "%s", display.Count(s.Known, "known defect"))
	parts.add(s.WrongSideEffects > 0, "%d had a wrong side effect", s.WrongSideEffects)
	parts.add(s.Void > 0, "%s left out", display.Count(s.Void, "void episode"))
	return strings.Join(parts, "; ")
}

// Legend explains the marks of [Comparison.Table].
const Legend = "A rate that varies has a 95 % interval. * marks a change that chance alone would rarely give."

// NoTexts says why no texts are shown for answers that differ.
const NoTexts = "nothing to show: only event logs hold texts, cut at a million characters; " +
	"differences in images are not shown"

// Row is a task in a table of texts.
type Row struct {
	*Task
	Cells []string
}

// Table returns the tasks that changed as a table, those whose outcome changed first. It has only
// the metrics that are compared. The note counts the other tasks; empty if there are none.
func (c *Comparison) Table() (header []string, rows []Row, note string) {
	header = []string{"task", c.Base.Part + " passed", c.Head.Part + " passed", "change", "changed answers"}
	for _, m := range c.metrics() {
		header = append(header, string(m))
	}
	of := c.tasks((*Task).changed)
	size := func(t *Task) float64 { return math.Abs(t.Success.Change.Value) }
	slices.SortStableFunc(of, func(a, b *Task) int { return cmp.Compare(size(b), size(a)) })
	for _, t := range of {
		answers := numbers(t.Base.ChangedAnswers, t.Head.ChangedAnswers)
		row := Row{t, []string{t.ID, t.Base.passed(), t.Head.passed(), t.change(), answers}}
		for _, m := range c.metrics() {
			row.Cells = append(row.Cells, t.metric(m))
		}
		rows = append(rows, row)
	}
	if same := len(c.Tasks) - len(rows); same > 0 {
		note = tasks(same) + " without a change"
		if slices.ContainsFunc(metrics, func(m Metric) bool { return c.Shifts[m].clear() }) {
			note += " that the task alone shows"
		}
	}
	return header, rows, note
}

// changed reports whether anything in the task's row changed that chance alone would rarely change.
func (t *Task) changed() bool {
	b, h := t.Base, t.Head
	return !t.counts() || t.Success.Change.Value != 0 || t.Success.Shown || b.Void+h.Void > 0 ||
		b.WrongSideEffects != h.WrongSideEffects || b.ChangedAnswers != h.ChangedAnswers ||
		slices.ContainsFunc(metrics, func(m Metric) bool { return t.Shifts[m].clear() })
}

func (t *TaskSide) passed() string {
	parts := sentence{fmt.Sprintf("%d of %d", t.Passed, t.N())}
	if i := stats.Wilson(t.Passed, t.N()); i != nil {
		parts[0] += " (" + between(i, display.Rate) + ")"
	} else if t.N() == 0 {
		parts[0] = "none counts"
	}
	parts.add(t.WrongSideEffects > 0, "%d had a wrong side effect", t.WrongSideEffects)
	parts.add(t.Void > 0 || t.N() == 0, "%d void", t.Void)
	return strings.Join(parts, ", ")
}

func (t *Task) change() string {
	switch v := t.Success.Change.Value; {
	case !t.counts():
		return "unknown"
	case t.Reversal != NoReversal:
		return string(t.Reversal)
	case v == 0 && !t.Success.Shown:
		return "none"
	default:
		return starred(display.Points(v), t.Worse() || t.Better())
	}
}

func (t *Task) metric(m Metric) string {
	side := func(s *TaskSide) string {
		if s.N() == 0 {
			return "unknown"
		}
		return m.write(s.usual(m))
	}
	return starred(arrow(side(&t.Base), side(&t.Head)), t.Shifts[m].clear())
}

// ToolTable returns the tools as a table of texts, if the servers have the same ones.
func (c *Comparison) ToolTable() (header []string, rows [][]string) {
	if !c.SameServer {
		return nil, nil
	}
	header = []string{"tool", "calls", "errors"}
	for _, t := range c.Tools {
		rows = append(rows, []string{t.Name, numbers(t.Base.Calls, t.Head.Calls), numbers(t.Base.Errors, t.Head.Errors)})
	}
	column := func(m Metric, title string, cell func(*Tool) string) {
		if c.Lacks[m] != "" {
			return
		}
		header = append(header, title)
		for i := range rows {
			rows[i] = append(rows[i], cell(c.Tools[i]))
		}
	}
	column(Tokens, "tokens", func(t *Tool) string { return numbers(t.Base.Tokens, t.Head.Tokens) })
	column(Duration, "time of a call", func(t *Tool) string {
		return starred(arrow(Duration.write(t.Base.Ms), Duration.write(t.Head.Ms)), t.Shift.Clear())
	})
	return header, rows
}

// A sentence names at most maxTasks tasks whose outcome changed, and maxListed others.
const (
	maxTasks  = 100
	maxListed = 3
)

// list names the first tasks, with what say says of each.
func list(of []*Task, most int, say func(*Task) string) string {
	var names sentence
	for _, t := range of[:min(len(of), most)] {
		names.add(true, "%s, %s", display.Visible(t.ID), say(t))
	}
	names.add(len(of) > most, "and %d more", len(of)-most)
	return strings.Join(names, "; ")
}

func firstOf(of []*Task) string {
	var ids []string
	for _, t := range of[:min(len(of), maxListed)] {
		ids = append(ids, t.ID)
	}
	return display.Visible(strings.Join(ids, ", "))
}

// about puts tasks behind what is said of them.
func about(text, tasks string) string {
	if tasks == "" {
		return text
	}
	return text + ": " + tasks
}

func rates(t *Task) string {
	rate := func(c Counts) string { return fmt.Sprintf("%d of %d%s", c.Passed, c.N(), knownOf(c, " (%s)")) }
	return rate(t.Base.Counts) + " to " + rate(t.Head.Counts)
}

// knownOf says how many known defects there are; empty if there are none.
func knownOf(c Counts, format string) string {
	if c.Known == 0 {
		return ""
	}
	return fmt.Sprintf(format, display.Count(c.Known, "known defect"))
}

func drops(t *Task) string { return rates(t) + change(t.Success) }

// change says a change of rates with its interval; empty without one.
func change(s Success) string {
	if s.Change.Interval == nil {
		return ""
	}
	return fmt.Sprintf(" (%s, %s)", display.Points(s.Change.Value), within(s.Change, display.Points))
}

func share(c Counts) string {
	if c.N() == 0 {
		return "none of 0"
	}
	return fmt.Sprintf("%d of %d (%s)", c.Passed, c.N(), display.Rate(c.Rate()))
}

func within(e stats.Estimate, say func(float64) string) string {
	return "95 % interval " + between(e.Interval, say)
}

func between(i *stats.Interval, say func(float64) string) string {
	return say(i.Low) + " to " + say(i.High)
}

func tasks(n int) string { return display.Count(n, "task") }

func arrow(base, head string) string {
	if base == head {
		return base
	}
	return base + " → " + head
}

func numbers(base, head int) string { return arrow(fmt.Sprint(base), fmt.Sprint(head)) }

func starred(text string, is bool) string {
	if is {
		return text + " *"
	}
	return text
}

// signed writes a change of the metric, with its unit.
func (m Metric) signed(v float64) string {
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

func (m Metric) write(v float64) string { return strings.TrimPrefix(m.signed(v), "+") }
