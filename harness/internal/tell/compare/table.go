package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/text/display"
)

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
	header = []string{"task", "base passed", "head passed", "change", "changed answers"}
	for _, m := range Metrics {
		if c.has(m) {
			header = append(header, string(m))
		}
	}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if !t.changed() {
			continue
		}
		row := []string{t.ID, t.Base.passed(), t.Head.passed(), t.change(), arrow(fmt.Sprint(t.Base.ChangedAnswers), fmt.Sprint(t.Head.ChangedAnswers))}
		for _, m := range Metrics {
			if c.has(m) {
				row = append(row, t.metric(m))
			}
		}
		rows = append(rows, Row{t, row})
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(a.order(), b.order()) })
	if same := len(c.Tasks) - len(rows); same > 0 {
		note = tasks(same) + " without a change"
		if slices.ContainsFunc(c.Shifts, func(s Shift) bool { return s.Change.Clear() }) {
			note += " that the task alone shows"
		}
	}
	return header, rows, note
}

// changed reports whether anything in the task's row changed that chance alone would rarely change.
func (t *Task) changed() bool {
	return t.change() != "none" || t.Base.Void+t.Head.Void > 0 || t.Base.WrongSideEffects != t.Head.WrongSideEffects || t.Base.ChangedAnswers != t.Head.ChangedAnswers ||
		slices.ContainsFunc(t.Shifts, func(s Shift) bool { return s.Change.Clear() })
}

// order is where the task stands in a table: regressions and fixes, then what fell or rose most.
func (t *Task) order() float64 {
	if t.Reversal != NoReversal {
		return -2
	}
	return -math.Abs(t.Success.Change.Value)
}

func (c *Comparison) has(m Metric) bool {
	return (m != Tokens || c.NoTokens == "") && (m != Duration || c.NoDurations == "")
}

func (t *TaskSide) passed() string {
	if t.N() == 0 {
		return fmt.Sprintf("none counts, %d void", t.Void)
	}
	text := fmt.Sprintf("%d of %d", t.Passed, t.N())
	if t.Varies() {
		text += fmt.Sprintf(" (%s to %s)", percent(t.Interval.Low), percent(t.Interval.High))
	}
	if t.WrongSideEffects > 0 {
		text += fmt.Sprintf(", %d had a wrong side effect", t.WrongSideEffects)
	}
	if t.Void > 0 {
		text += fmt.Sprintf(", %d void", t.Void)
	}
	return text
}

func (t *Task) change() string {
	switch {
	case t.Base.N() == 0 || t.Head.N() == 0:
		return "unknown"
	case t.Reversal != NoReversal:
		return string(t.Reversal)
	case t.Success.Shown:
		return points(t.Success.Change.Value) + " *"
	case t.Success.Change.Value != 0:
		return points(t.Success.Change.Value)
	}
	return "none"
}

func (t *Task) metric(m Metric) string {
	text := arrow(t.Base.metric(m), t.Head.metric(m))
	if s := shiftOf(t.Shifts, m); s != nil && s.Change.Clear() {
		text += " *"
	}
	return text
}

func (t *TaskSide) metric(m Metric) string {
	if t.N() == 0 {
		return "unknown"
	}
	return m.write(t.Usual[m])
}

func arrow(base, head string) string {
	if base == head {
		return base
	}
	return base + " → " + head
}

func (m Metric) write(v float64) string {
	return strings.TrimPrefix(m.Signed(v), "+")
}

// Outcomes returns the pairs of which one passed and the other did not.
func (c *Comparison) Outcomes() []Pair {
	var list []Pair
	for _, p := range c.Episodes {
		b, h := outcomeOf(p.Base), outcomeOf(p.Head)
		if b != void && h != void && (b == passed) != (h == passed) {
			list = append(list, p)
		}
	}
	return list
}

// Summary describes a side in a line.
func (s *Side) Summary() string {
	text := fmt.Sprintf("%s passed", share(s.Counts))
	text += knownOf(s.Counts, "; %s")
	if s.WrongSideEffects > 0 {
		text += fmt.Sprintf("; %d had a wrong side effect", s.WrongSideEffects)
	}
	if s.Void > 0 {
		text += fmt.Sprintf("; %s left out", display.Count(s.Void, "void episode"))
	}
	return text
}

// NoTexts says why no texts are shown for answers that differ.
const NoTexts = "nothing to show: only event logs hold texts, cut at a million characters; differences in images are not shown"

// Remarks are all notes, and what is not compared.
func (c *Comparison) Remarks() []string {
	list := append([]string(nil), c.Notes...)
	if c.NoDurations != "" {
		list = append(list, "durations are not compared: "+c.NoDurations)
	}
	if c.NoTokens != "" {
		list = append(list, "tokens and hints are not compared: "+c.NoTokens)
	}
	switch {
	case c.SameServer:
	case c.Base.Report.Server == nil || c.Head.Report.Server == nil:
		list = append(list, "answers are not compared: on one side no session started")
	default:
		list = append(list, "answers are not compared: the servers differ")
	}
	if _, note := explain.CompareUntrue(c.Base.Report, c.Head.Report); note != "" {
		list = append(list, note)
	}
	return list
}

// UntrueTable is [explain.CompareUntrue] as a table of texts.
func (c *Comparison) UntrueTable() (header []string, cells [][]string) {
	header = []string{"tool", "what", "base", "head", "change", "such as"}
	rows, _ := explain.CompareUntrue(c.Base.Report, c.Head.Report)
	for _, u := range rows {
		first := u.Head
		if first.N == 0 {
			first = u.Base
		}
		of := func(u explain.Untrue) string { return fmt.Sprintf("%d of %s", u.N, display.Count(u.Of, "answer")) }
		cells = append(cells, []string{u.Tool, u.Word, of(u.Base), of(u.Head), u.Change(), fmt.Sprintf("%s, step %d", first.Episodes[0].Name, first.Steps[0])})
	}
	return header, cells
}
