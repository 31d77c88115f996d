package page

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// How many pairs of episodes that changed a comparison has, and as many tasks that did not end alike; and how many
// characters of an answer and of a call.
const (
	maxPairs  = 200
	maxAnswer = 400
	maxCall   = 80
)

// Compared is the document of a comparison, the finding first. It links to the pages of the runs that are in the
// reports of out, where it is itself.
func Compared(c *compare.Comparison, gate compare.Result, out string) Document {
	d := Document{Name: c.Base.Name + " and " + c.Head.Name, Verdict: Say(c.Sentence)}
	switch {
	case c.Unfinished != "":
		d.Verdict, d.Blocks = Say("NOT FINISHED: ", c.Unfinished), []Block{Say(In(Strong, c.Sentence))}
	case c.Peers():
	case c.Finding == compare.Better:
		d.Tone = Pass
	case c.Finding == compare.Worse:
		d.Tone = Fail
	}
	base, head := pageOf(c.Base.Report, out), pageOf(c.Head.Report, out)
	sides := Table{Header: []string{"side", "run", "began", "episodes", "server", "build"}}
	add := func(s *compare.Side, link string) {
		r := s.Report
		sides.Add(s.Part, linked(Plain, s.Name, link), began(r), s.Summary(), r.Server.Words(), build(r))
	}
	add(&c.Base, base)
	add(&c.Head, head)
	var gates List
	for _, b := range gate.Breached {
		gates.Add(In(Fail, "Gate breached:"), " ", b)
	}
	for _, b := range gate.Unknown {
		gates.Add(In(Void, "Gate not judged:"), " ", b)
	}
	for _, rule := range gate.Kept {
		gates.Add(In(Pass, "Gate kept:"), " ", rule)
	}
	if gates.Items != nil {
		d.Blocks = append(d.Blocks, gates)
	}
	of := comparedTasks(c)
	if c.Policies != nil {
		of = policies(c.Policies.Lines(), []compare.Table{c.Policies.Table()})
	}
	d.Blocks = slices.Concat(d.Blocks, []Block{sides, notes(c.Remarks())}, grid(c.Grid, base, head), of,
		section("Tools", plainTable(c.ToolTable())), bothUntrue(c, base, head), reworded(c))
	return d
}

// Parity is the document of servers that took turns: what each needed, and how tasks ended on them. It links to the
// pages of the runs that are in the reports of out. unfinished says which pairs are not done.
func Parity(run, unfinished string, s compare.Table, g compare.Grid, out string, runs ...*report.Report) Document {
	var pages, passed []string
	var driven Facts
	for i, r := range runs {
		pages = append(pages, pageOf(r, out))
		passed = append(passed, fmt.Sprintf("%s passed %d of %d", g.Names[i], g.All[i].Passed, g.All[i].N()))
		text := Say(linked(Plain, r.Server.Brief(), pages[i]))
		if b := build(r); b != nil {
			text = append(text, Say("; ", b)...)
		}
		driven.Add(g.Names[i], text)
	}
	driven = append(driven, asked(runs[0])...)
	verdict := Say(strings.Join(passed, ", "),
		fmt.Sprintf("; %d of %s did not end alike", len(g.Rows), display.Count(len(g.Rows)+len(g.Alike), "task")))
	d := Document{Name: "Servers of " + run, Verdict: verdict}
	if unfinished != "" {
		d.Verdict, d.Blocks = Say("NOT FINISHED: ", unfinished), []Block{verdict}
	}
	d.Blocks = slices.Concat(d.Blocks, []Block{driven}, servers(s), grid(g, pages...))
	return d
}

// grid has the tasks that did not end alike, with links to the pages of the runs, and their steps beside each other.
func grid(g compare.Grid, pages ...string) []Block {
	table := Table{Header: append([]string{"task"}, g.Names...)}
	var beside []Block
	for _, row := range g.Rows[:min(len(g.Rows), maxPairs)] {
		cells := []any{In(Code, row.ID)}
		var all []*report.Episode
		for i, c := range row.Cells {
			cells = append(cells, ended(c, pages[i]))
			all = append(all, c.Episode)
		}
		table.Add(cells...)
		title := Say("Steps of ", In(Code, row.ID))
		beside = append(beside, Section{Title: title, Folded: true, Blocks: []Block{stepByStep(g.Names, all)}})
	}
	var notes []string
	if more := len(g.Rows) - maxPairs; more > 0 {
		notes = append(notes, fmt.Sprintf("%d more are left out, to keep this page small.", more))
	}
	if len(g.Alike) > 0 {
		notes = append(notes, "The others ended alike: "+report.Named(g.Alike))
	}
	note := Say(In(Faint, strings.Join(notes, " ")))
	return section("Tasks that did not end alike", append([]Block{table, note}, beside...)...)
}

// ended says how a task ended on one side, and why its first episode that did not pass did not.
func ended(c compare.Cell, page string) Text {
	if c.Episode == nil {
		return Say("–")
	}
	words := Status(c.Episode.Status, string(c.Episode.Outcome))
	if n := c.N() + c.Void; n > 1 {
		words = fmt.Sprintf("%d of %d passed", c.Passed, n)
	}
	link := ""
	if page != "" {
		link = page + toEpisode(c.Episode.Name)
	}
	text := Say(linked(Tone(c.Episode.Status.Class()), words, link))
	if line := why.Line(c.Episode); line != "" {
		text = append(text, Say(": ", display.Cut(line, maxSummary))...)
	}
	return text
}

// stepByStep has the calls of episodes of one task beside each other, and what the pages got.
func stepByStep(names []string, all []*report.Episode) Table {
	table := Table{Header: append([]string{"step"}, names...)}
	for i := 0; ; i++ {
		cells, more := []any{i}, false
		for _, e := range all {
			if e == nil || i >= len(e.Calls) {
				cells = append(cells, "")
				continue
			}
			more = true
			c := &e.Calls[i]
			text := Say(In(Code, display.Cut(c.Tool+" "+c.Args, maxCall)))
			var s Step
			s.flags(c)
			for _, flag := range s.Flags {
				text = append(text, Say(" ", flag)...)
			}
			if s.Did.Text != "" {
				text = append(text, Say(" ", s.Did)...)
			}
			cells = append(cells, text)
		}
		if !more {
			return table
		}
		table.Add(cells...)
	}
}

func notes(all []string) (f Facts) {
	for _, note := range all {
		f.Add("note", note)
	}
	return f
}

// pageOf returns the page of a run, relative to out/reports; empty if it is not there.
func pageOf(r *report.Report, out string) string {
	name := r.RunID + ".html"
	if out == "" || !filepath.IsLocal(name) {
		return ""
	}
	if _, err := os.Stat(filepath.Join(out, report.ReportsDir, name)); err != nil {
		return ""
	}
	return url.PathEscape(name)
}

func comparedTasks(c *compare.Comparison) []Block {
	header, rows, note := c.Table()
	table := Table{Header: header}
	for _, r := range rows {
		row := rowOf(r.Cells)
		switch {
		case r.Worse():
			row.Cells[3][0].Tone = Fail
		case r.Better():
			row.Cells[3][0].Tone = Pass
		}
		table.Rows = append(table.Rows, row)
	}
	return []Block{Section{Title: Say("Tasks"), Blocks: []Block{table, Say(note), Say(In(Faint, compare.Legend))}}}
}

// bothUntrue has the false successes and the unreported side effects of both sides, with links to their pages.
func bothUntrue(c *compare.Comparison, base, head string) []Block {
	table := Table{Header: []string{"tool", "what", c.Base.Part, c.Head.Part, "such as", "change"}}
	legend := Say(In(Faint, "No test says whether a change is chance."))
	if c.Peers() { // neither is better than before
		table.Header, legend = table.Header[:5], nil
	}
	of := func(u why.Untrue) string { return fmt.Sprintf("%d of %s", u.N, display.Count(u.Of, "answer")) }
	rows, _ := why.CompareUntrue(c.Base.Report, c.Head.Report)
	for _, u := range rows {
		first, link := u.Head, head
		if first.N == 0 {
			first, link = u.Base, base
		}
		name, step := first.Episodes[0].Name, first.Steps[0]
		if link != "" {
			link += toStep(name, step)
		}
		such := linked(Plain, fmt.Sprintf("%s, step %d", name, step), link)
		cells := []any{u.Tool, u.Word, of(u.Base), of(u.Head), such, u.Change()}
		table.Add(cells[:len(table.Header)]...)
	}
	apart := Say(upper(c.Base.Part), ": ", why.Apart(c.Base.Report), "; ",
		upper(c.Head.Part), ": ", why.Apart(c.Head.Report), ".")
	return section("False successes and unreported side effects", apart, table, legend)
}

// servers has a row for each server of bench:parity.
func servers(s compare.Table) []Block {
	legend := In(Faint, "Calls and tokens are means per episode; tokens are counted with o200k_base. "+
		"A server that leaves out words of the page saves tokens, so compare tokens of answers together with words held. "+
		"The time has the waits of the server itself.")
	return section("Servers", plainTable(s.Header, s.Rows), Say(legend))
}

// Beside puts an agent beside policies.
func Beside(rows *compare.Rows) []Block {
	legend := Say("An agent beside policies: a model thinks for the agent, and a script for the policies, " +
		"so nothing is compared.")
	return slices.Concat([]Block{legend}, tables(rows.Tables), []Block{notes(rows.Notes)})
}

// reworded has the answers that differ, by tool, with examples.
func reworded(c *compare.Comparison) []Block {
	var list List
	for _, t := range c.Tools {
		if t.Reworded == 0 {
			continue
		}
		under := list.Add(In(Code, t.Name), ": ", t.Reworded, " of ", display.Count(t.Compared, "answer"), " reworded")
		for _, e := range t.Examples {
			under.Add(e.Count, "× such as ", In(Code, e.Episode), ", step ", e.Base.Step).answers(e.Answer)
		}
	}
	return section("Answers", list)
}

// answers adds two answers to the same call. The part that differs is marked.
func (l *List) answers(a compare.Answer) {
	base, head := compare.Excerpts(a.Base.Answer, a.Head.Answer, maxAnswer)
	if base == head {
		l.Add(compare.NoTexts)
		return
	}
	b, h := []rune(base), []rune(head)
	begin := 0
	for begin < len(b) && begin < len(h) && b[begin] == h[begin] {
		begin++
	}
	end := 0
	for end < len(b)-begin && end < len(h)-begin && b[len(b)-1-end] == h[len(h)-1-end] {
		end++
	}
	before, after := string(b[:begin]), string(b[len(b)-end:])
	l.Add("base  ", before, In(Mark, string(b[begin:len(b)-end])), after)
	l.Add("head  ", before, In(Mark, string(h[begin:len(h)-end])), after)
}
