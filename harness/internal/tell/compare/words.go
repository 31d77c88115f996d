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
	var figures sentence
	figures.add(len(c.gone) > 0, "the head has no %s", display.Visible(report.Named(c.gone)))
	figures.add(len(c.added) > 0, "new: %s", display.Visible(report.Named(c.added)))
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
		figures.add(true, undecided)
	}
	figures.add(c.Counted == 0 && shown == "", "no pair of episodes counts")
	if c.Counted > 0 {
		figures = append(figures, c.outcomes()...)
	}
	figures.add(few, "a regression or a fix needs %d repetitions a side", least)
	figures.add(c.Needed > 0, "bench:parity finds a drop of ten points in every task with %s of each",
		display.Count(c.Needed, "repetition"))
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
	parts.add(b.Void+h.Void > 0, undecided)
	parts.add(atLimit > 0 && !c.Interleaved, "%s ended at a time limit: bench:parity decides, because its "+
		"servers take turns", display.Count(atLimit, "episode"))
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

// outcomes says how many passed before and after, how many tasks fell and rose, and names those that did not
// by chance. The grid and the table have the others, and why.
func (c *Comparison) outcomes() (parts sentence) {
	fell := len(c.tasks(func(t *Task) bool { return t.Success.Change.Value < 0 }))
	rose := len(c.tasks(func(t *Task) bool { return t.Success.Change.Value > 0 }))
	if fell+rose+c.Changed == 0 {
		return sentence{c.unchanged()}
	}
	parts.add(true, "%s: %s fell, %d rose", c.overall(), tasks(fell), rose)
	for _, how := range []string{string(Regression), "less often", noTool, string(Fix), "more often"} {
		of := c.tasks(func(t *Task) bool { return t.how() == how })
		parts.add(len(of) > 0, "%s: %s", how, names(of))
	}
	return parts
}

// noTool is why a task fell or rose whose side called a tool that it lacks.
const noTool = "for lack of a tool"

// how says how a task changed; empty if that may be chance.
func (t *Task) how() string {
	switch {
	case t.Reversal != NoReversal:
		return string(t.Reversal)
	case t.noTool:
		return noTool
	case t.Worse():
		return "less often"
	case t.Better():
		return "more often"
	}
	return ""
}

// unchanged says in how many episodes no outcome changed, and whether a loss would have shown there.
func (c *Comparison) unchanged() string {
	groups := together(c.Tasks)
	where := fmt.Sprintf("%s × %d", tasks(len(groups)), c.Counted/len(groups))
	if slices.ContainsFunc(groups, func(of []*Task) bool { return sampleOf(of).pairs*len(groups) != c.Counted }) {
		where = display.Count(c.Counted, "pair") + " of " + tasks(len(groups))
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

// besides says what changed beside the outcomes. The table has the tasks.
func (c *Comparison) besides() (parts sentence) {
	told := slices.DeleteFunc(slices.Clone(c.Turned), func(t Turned) bool {
		return slices.Contains(c.gone, t.Tool) || slices.Contains(c.added, t.Tool) // said before
	})
	parts.add(len(told) > 0, "%s", turned(told))
	for _, m := range slices.Backward(metrics) { // durations first
		if s := c.Shifts[m]; s.clear() {
			parts.add(true, "%s: %s", m, s.words())
		} else if up, down := c.clear(m); len(up)+len(down) > 0 {
			parts.add(true, "%s: %s up, %d down", m, tasks(len(up)), len(down))
		}
	}
	return parts
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

// undecided is said where void episodes could change an answer. [Comparison.Remarks] says how many, and why.
const undecided = "void episodes could change the answer"

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
	b, h := c.Base.Episodes-c.Pairs, c.Head.Episodes-c.Pairs
	notes.add(b+h > 0, "%s without a partner: %d %s, %d %s; they count in the rates",
		display.Count(b+h, "episode"), b, c.Base.in(), h, c.Head.in())
	notes.add(!c.Interleaved, "%s", noDurations)
	notes.add(!c.SameServer && !c.Peers(), "tools are not compared: on one side no session started")
	_, note := why.CompareUntrue(c.Base.Report, c.Head.Report)
	notes.add(note != "", "%s", note)
	return notes
}

// in is where something is.
func (s *Side) in() string { return "in " + s.the() }

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
	return strings.Join(parts, "; ")
}

// Legend explains the marks of [Comparison.Table].
const Legend = "A rate that varies has a 95 % interval. * marks a change that chance alone would rarely give."

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
	header = []string{"tool", "calls", "errors", "tokens"}
	for _, t := range c.Tools {
		b, h := t.Base, t.Head
		rows = append(rows, []string{
			t.Name, numbers(b.Calls, h.Calls), numbers(b.Errors, h.Errors), numbers(b.Tokens, h.Tokens),
		})
	}
	if c.Interleaved {
		header = append(header, "time of a call")
		for i, t := range c.Tools {
			ms := arrow(Duration.write(t.Base.Ms), Duration.write(t.Head.Ms))
			rows[i] = append(rows[i], starred(ms, t.Shift.Clear()))
		}
	}
	return header, rows
}

// maxListed is how many causes, and tasks with their figures, a sentence names.
const maxListed = 10

// list names the first tasks, with what say says of each.
func list(of []*Task, say func(*Task) string) string {
	var names sentence
	for _, t := range of[:min(len(of), maxListed)] {
		names.add(true, "%s, %s", display.Visible(t.ID), say(t))
	}
	names.add(len(of) > maxListed, "and %d more", len(of)-maxListed)
	return strings.Join(names, "; ")
}

func names(of []*Task) string {
	var ids []string
	for _, t := range of {
		ids = append(ids, t.ID)
	}
	return display.Visible(report.Named(ids))
}

// about puts tasks behind what is said of them.
func about(text, tasks string) string {
	if tasks == "" {
		return text
	}
	return text + ": " + tasks
}

func rates(t *Task) string {
	return fmt.Sprintf("%d of %d to %d of %d", t.Base.Passed, t.Base.N(), t.Head.Passed, t.Head.N())
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
