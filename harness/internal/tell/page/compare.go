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
// characters of a call.
const (
	maxPairs = 200
	maxCall  = 80
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
	base, head := PageOf(c.Base.Report.RunID, out), PageOf(c.Head.Report.RunID, out)
	sides := Table{Header: []string{"side", "run", "began", "episodes", "server", "build"}}
	add := func(s *compare.Side, link string) {
		r := s.Report
		sides.Add(s.Part, linked(Plain, s.Name, link), began(r), s.Summary(), r.Server.Words(), build(r))
	}
	add(&c.Base, base)
	add(&c.Head, head)
	d.Blocks = append(d.Blocks, gates(gate)...)
	of := comparedTasks(c)
	if c.Policies != nil {
		of = policies(c.Policies.Lines(), []compare.Table{c.Policies.Table()})
	}
	d.Blocks = slices.Concat(d.Blocks, []Block{sides, notes(c.Remarks())}, grid(c.Grid, base, head), of,
		section("Tools", plainTable(c.ToolTable())), turned(c, base, head), bothUntrue(c, base, head))
	return d
}

func gates(gate compare.Result) []Block {
	var list List
	for _, b := range gate.Breached {
		list.Add(In(Fail, "Gate breached:"), " ", b)
	}
	for _, b := range gate.Unknown {
		list.Add(In(Void, "Gate not judged:"), " ", b)
	}
	for _, rule := range gate.Kept {
		list.Add(In(Pass, "Gate kept:"), " ", rule)
	}
	if list.Items == nil {
		return nil
	}
	return []Block{list}
}

// Parity is the document of servers that took turns: what each needed, and how tasks ended on them. It links to the
// pages of the runs that are in the reports of out. unfinished says which pairs are not done.
func Parity(run, unfinished string, s compare.Table, g compare.Grid, out string, runs ...*report.Report) Document {
	var pages, passed []string
	var driven Facts
	for i, r := range runs {
		pages = append(pages, PageOf(r.RunID, out))
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
	d := Document{Name: "Run " + run + ", all servers", Verdict: verdict}
	if unfinished != "" {
		d.Verdict, d.Blocks = Say("NOT FINISHED: ", unfinished), []Block{verdict}
	}
	d.Blocks = slices.Concat(d.Blocks, []Block{driven}, servers(s), grid(g, pages...), suites(g.Names, runs))
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

// PageOf returns the page of a run, relative to out/reports; empty if it is not there.
func PageOf(run, out string) string {
	name := run + ".html"
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

// turned has the hints and errors that one side has more often, with links to the page where the answer has one.
func turned(c *compare.Comparison, base, head string) []Block {
	table := Table{Header: []string{"task", "tool", "what", c.Base.Part, c.Head.Part, "such as", "change"}}
	for _, t := range c.Turned[:min(len(c.Turned), maxPairs)] {
		link := head
		if t.Head == 0 {
			link = base
		}
		if link != "" {
			link += toStep(t.Episode, t.Step)
		}
		such := linked(Plain, fmt.Sprintf("%s, step %d", t.Episode, t.Step), link)
		of := func(n int) string { return fmt.Sprintf("%d of %d", n, t.Of) }
		table.Add(In(Code, t.Task), In(Code, t.Tool), In(Code, t.What()), of(t.Base), of(t.Head), such, t.Change())
	}
	legend := "Only calls that both sides made alike count. With -drift=strict any row breaches the gate. " +
		"No test says whether a change is chance."
	return section("Hints and errors", table, Say(In(Faint, legend)))
}

// bothUntrue has the false successes and the unreported side effects of both sides, with links to their pages.
func bothUntrue(c *compare.Comparison, base, head string) []Block {
	table := Table{Header: []string{"tool", "what", c.Base.Part, c.Head.Part, "such as"}}
	of := func(u why.Untrue) string { return fmt.Sprintf("%d of %s", u.N, display.Count(u.Of, "answer")) }
	rows, _ := why.CompareUntrue(c.Base.Report, c.Head.Report)
	for _, u := range rows {
		first, link := u.Sides[1], head
		if first.N == 0 {
			first, link = u.Sides[0], base
		}
		name, step := first.Episodes[0].Name, first.Steps[0]
		if link != "" {
			link += toStep(name, step)
		}
		such := linked(Plain, fmt.Sprintf("%s, step %d", name, step), link)
		table.Add(u.Tool, u.Word, of(u.Sides[0]), of(u.Sides[1]), such)
	}
	apart := Say(upper(c.Base.Part), ": ", why.Apart(c.Base.Report), "; ",
		upper(c.Head.Part), ": ", why.Apart(c.Head.Report), ".")
	return section("False successes and unreported side effects", apart, table)
}

// servers has a row for each server of bench:parity.
func servers(s compare.Table) []Block {
	legend := In(Faint, "Calls and tokens are means per episode; tokens are counted with o200k_base. "+
		"A server that leaves out words of the page saves tokens, so compare tokens of answers together with words held. "+
		"The time has the waits of the server itself.")
	return section("Servers", plainTable(s.Header, s.Rows), Say(legend))
}

// suites has how servers did on each suite, and how many tasks tell them apart.
func suites(names []string, runs []*report.Report) []Block {
	table, lines := compare.Suites(names, runs...)
	var list List
	for _, line := range lines {
		list.Add(line)
	}
	legend := In(Faint, "Success is the mean over tasks of the mean over policies. A task separates two servers if all its "+
		"episodes under a policy pass on one, and none does on the other. Void episodes are left out.")
	return section("Suites", plainTable(table.Header, table.Rows), list, Say(legend))
}
