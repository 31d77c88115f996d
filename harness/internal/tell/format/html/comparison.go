package html

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Comparison writes a comparison of two runs as a page. It needs no script. It links to the
// pages of the runs that are in out/reports, where it is itself.
func Comparison(w io.Writer, c *compare.Comparison, gate compare.Result, out string) error {
	b := bufio.NewWriter(w)
	if err := templates.ExecuteTemplate(b, "comparison.html", newCompared(c, gate, out)); err != nil {
		return err
	}
	return b.Flush()
}

// compared is what comparison.html shows.
type compared struct {
	*compare.Comparison
	Gate       compare.Result
	Class      record.Class
	Sides      []side
	Both       []fact // what is equal on both sides
	Header     []string
	Rows       []compare.Row
	Unchanged  string
	MoreRows   int
	ByTool     compare.Table
	ByServer   compare.Table
	Untruths   []untruth
	Groups     []group
	MoreGroups int
	Rewordings []rewordings
	Legend     string
}

type side struct {
	What, Name, Summary string
	Page                string // of the run; empty: there is none
	Facts               []fact
}

// untruth is the false successes and unreported side effects of a tool, with links to the pages of the runs.
type untruth struct {
	explain.BothUntrue
	BaseLinks, HeadLinks []link
}

// group is the repetitions of a task that changed in the same way.
type group struct {
	Name                   string // of the first
	N                      int
	Outcome                bool // one passed, and the other did not
	BaseStatus, HeadStatus record.Status
	Anchor                 string // of the first, on the page of its run
	Changes                []compare.Change
	Answers                []answers
}

func (g group) Others() int             { return g.N - 1 }
func (g group) BaseClass() record.Class { return g.BaseStatus.Class() }
func (g group) HeadClass() record.Class { return g.HeadStatus.Class() }

func (g group) What() string {
	var list []string
	for _, c := range g.Changes {
		switch {
		case c.What == "status", c.What == "duration":
		case c.What == "why it did not pass":
			if g.BaseStatus == g.HeadStatus {
				list = append(list, "a different reason")
			}
		default:
			list = append(list, c.What)
		}
	}
	if len(g.Answers) > 0 {
		list = append(list, display.Count(len(g.Answers), "answer"))
	}
	return display.Visible(strings.Join(list, ", "))
}

// answers are two answers to the same call: their common beginning and end, and what
// differs between these.
type answers struct {
	Tool                      string
	Step                      int
	Before, Base, Head, After string
	Missing                   string // why there are no texts
}

type rewordings struct {
	compare.Tool
	Examples []rewording
}

type rewording struct {
	answers
	Episode string
	Count   int
}

// The page has at most this many groups, and this many characters of an answer.
const (
	maxGroups = 200
	maxAnswer = 1000
)

func newCompared(c *compare.Comparison, gate compare.Result, out string) compared {
	p := compared{Comparison: c, Gate: gate, Legend: compare.Legend}
	switch {
	case c.Unfinished != "":
	case c.Finding == compare.Better:
		p.Class = record.Pass
	case c.Finding == compare.Worse:
		p.Class = record.Fail
	}
	base, head := facts(c.Base.Report), facts(c.Head.Report)
	for _, f := range base {
		if slices.Contains(head, f) && f.Name != "Server" {
			p.Both = append(p.Both, f)
		}
	}
	p.Sides = []side{
		{"Base", c.Base.Name, c.Base.Summary(), pageOf(c.Base.Report, out), without(base, p.Both)},
		{"Head", c.Head.Name, c.Head.Summary(), pageOf(c.Head.Report, out), without(head, p.Both)},
	}
	p.Header, p.Rows, p.Unchanged = c.Table()
	if n := len(p.Rows); n > maxTasks {
		p.Rows, p.MoreRows = p.Rows[:maxTasks], n-maxTasks
	}
	p.ByTool = compare.Table{ID: "tools", Title: "By tool"}
	p.ByTool.Header, p.ByTool.Rows = c.ToolTable()
	p.ByServer = compare.Table{ID: "servers", Title: "Servers", Header: c.Servers.Header, Rows: c.Servers.Rows}
	rows, _ := explain.CompareUntrue(c.Base.Report, c.Head.Report)
	for _, u := range rows {
		p.Untruths = append(p.Untruths, untruth{u, links(u.Base, p.Sides[0].Page), links(u.Head, p.Sides[1].Page)})
	}
	p.Groups = groups(c)
	if n := len(p.Groups); n > maxGroups {
		p.Groups, p.MoreGroups = p.Groups[:maxGroups], n-maxGroups
	}
	for _, t := range c.Tools {
		if t.Reworded == 0 {
			continue
		}
		r := rewordings{Tool: t}
		for _, e := range t.Examples {
			r.Examples = append(r.Examples, rewording{newAnswers(e.Answer), e.Episode, e.Count})
		}
		p.Rewordings = append(p.Rewordings, r)
	}
	return p
}

// pageOf returns the page of a run, relative to out/reports.
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

func without(all, some []fact) []fact {
	return slices.DeleteFunc(all, func(f fact) bool { return slices.Contains(some, f) })
}

// groups puts the pairs together that changed alike. The ones with another outcome come
// first.
func groups(c *compare.Comparison) []group {
	outcomes := map[string]bool{}
	for _, p := range c.Outcomes() {
		outcomes[p.Name] = true
	}
	at := map[string]int{}
	var all []group
	for i := range c.Episodes {
		p := &c.Episodes[i]
		key := alike(p)
		n, ok := at[key]
		if !ok {
			n = len(all)
			at[key] = n
			g := group{Name: p.Name, Outcome: outcomes[p.Name], BaseStatus: p.Base.Status, HeadStatus: p.Head.Status, Anchor: anchor("episode", p.Name), Changes: p.Changes}
			for _, a := range p.Answers {
				g.Answers = append(g.Answers, newAnswers(a))
			}
			all = append(all, g)
		}
		all[n].N++
	}
	slices.SortStableFunc(all, func(a, b group) int {
		switch {
		case a.Outcome == b.Outcome:
			return 0
		case a.Outcome:
			return -1
		}
		return 1
	})
	return all
}

// alike is equal for repetitions of a task that changed in the same way, whatever their
// durations are.
func alike(p *compare.Pair) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q %q", p.Base.TaskID, p.Base.Status, p.Head.Status)
	for _, c := range p.Changes {
		if c.What != "duration" {
			fmt.Fprintf(&b, " %q", []string{c.What, c.Base, c.Head})
		}
	}
	for _, a := range p.Answers {
		fmt.Fprintf(&b, " %s-%s", a.Base.Digest, a.Head.Digest)
	}
	return b.String()
}

func newAnswers(a compare.Answer) answers {
	out := answers{Tool: a.Base.Tool, Step: a.Base.Step}
	base, head := compare.Excerpts(a.Base.Answer, a.Head.Answer, maxAnswer)
	if base == head {
		out.Missing = compare.NoTexts
		return out
	}
	b, h := []rune(lines(base)), []rune(lines(head))
	begin := 0
	for begin < len(b) && begin < len(h) && b[begin] == h[begin] {
		begin++
	}
	for begin > 0 && unicode.IsLetter(b[begin-1]) { // whole words
		begin--
	}
	end := 0
	for end < len(b)-begin && end < len(h)-begin && b[len(b)-1-end] == h[len(h)-1-end] {
		end++
	}
	for end > 0 && unicode.IsLetter(b[len(b)-end]) {
		end--
	}
	out.Before, out.After = string(b[:begin]), string(b[len(b)-end:])
	out.Base, out.Head = string(b[begin:len(b)-end]), string(h[begin:len(h)-end])
	return out
}
