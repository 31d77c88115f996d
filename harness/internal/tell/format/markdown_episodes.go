package format

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// How many lines of each kind a report shows without a click. The rest is folded.
const (
	maxCauses = 10
	maxWhys   = 3
	maxLinks  = 8
)

// links names the episodes of t. Those that did not pass have a part to link to.
func (t *tally) links() string {
	var all []string
	for i, g := range t.groups.all {
		if i == maxLinks {
			return strings.Join(all, ", ") + fmt.Sprintf(" and %d more", len(t.groups.all)-i)
		}
		link := code(g.name())
		if g.Status.Class() != record.Pass {
			link = "[" + link + "](#" + g.anchor() + ")"
		}
		all = append(all, link)
	}
	return strings.Join(all, ", ")
}

// list writes an item for each tally. If there are many, the last ones are folded.
func (m markdown) list(all []*tally, write func(*tally)) {
	for i, t := range all {
		if i == maxCauses {
			m.fold(false, fmt.Sprintf("%d more", len(all)-i))
		}
		write(t)
	}
	if len(all) > maxCauses {
		m.unfold()
	}
}

// failures says why episodes did not pass, the most frequent cause first.
func (m markdown) failures(episodes report.Episodes) {
	var causes tallies
	for _, e := range episodes.All() {
		if e.Status.Class() != record.Pass {
			causes.add(causeWords(e)+"\x00"+explain.Group(e), e)
		}
	}
	if len(causes.all) == 0 {
		return
	}
	m.printf("\n## Why episodes did not pass\n\n")
	m.list(causes.sorted(), func(t *tally) {
		words := explain.Group(t.first())
		if len(t.whys) == 1 {
			words = explain.Why(t.first())
		}
		m.printf("- **%d %s:** %s – %s\n", t.n, causeWords(t.first()), plain(words), t.links())
		if len(t.whys) == 1 {
			return
		}
		whys := slices.Collect(maps.Keys(t.whys))
		slices.SortFunc(whys, func(a, b string) int { return cmp.Or(cmp.Compare(t.whys[b], t.whys[a]), strings.Compare(a, b)) })
		for i, why := range whys {
			if i == maxWhys {
				m.printf("  - and %d other ways\n", len(whys)-i)
				break
			}
			m.printf("  - %d×: %s\n", t.whys[why], plain(why))
		}
	})
}

// causeWords is statusWords without the outcome, in which episodes of one cause can differ.
func causeWords(e *report.Episode) string {
	if e.Outcome != "" && e.Status.Class() == record.Fail {
		return "failed"
	}
	return statusWords(e)
}

// changed counts the answers that differ from the expected ones, whatever the status.
func (m markdown) changed(episodes report.Episodes) {
	var changed tallies
	for _, e := range episodes.All() {
		for _, d := range e.ChangedAnswers {
			one := *e
			one.ChangedAnswers = []report.ChangedAnswer{d}
			changed.add(d.Tool+"\x00"+d.Expected+"\x00"+d.Actual, &one)
		}
	}
	if len(changed.all) == 0 {
		return
	}
	m.printf("\n## Changed answers\n\n")
	m.list(changed.sorted(), func(t *tally) {
		d := t.first().ChangedAnswers[0]
		m.printf("- **%d×** %s answered %s, expected %s – %s\n", t.n, code(d.Tool), code(d.Actual), code(d.Expected), t.links())
	})
}

// remarks shows what decided nothing and a person should know.
func (m markdown) remarks(episodes report.Episodes) {
	var ended, facts, pages, attempts tallies
	for _, e := range episodes.All() {
		if e.ServerEnded != "" {
			ended.add("the server ended after its last answer: "+e.ServerEnded, e)
		}
		facts.add(e.ServerFacts, e)
		facts.add(e.Waited.Words(), e)
		pages.add(e.PageMissing, e)
		attempts.add(strings.Join(e.Earlier(), "; "), e)
	}
	all := slices.Concat(ended.sorted(), facts.sorted(), pages.sorted(), attempts.sorted())
	if len(all) == 0 {
		return
	}
	m.printf("\n## Remarks\n\n")
	m.list(all, func(t *tally) { m.printf("- **%d×** %s – %s\n", t.n, plain(t.key), t.links()) })
}

// maxOpen is how many episodes that did not pass stand in the report without a click on
// their task.
const maxOpen = 20

// episodes writes each group of episodes: those that did not pass by task, those that
// passed in one table.
func (m markdown) episodes(r *report.Report) {
	var alike groups
	for _, e := range r.Episodes.All() {
		alike.add(e)
	}
	var passed, others []*group
	for _, g := range alike.all {
		if g.Status.Class() == record.Pass {
			passed = append(passed, g)
		} else {
			others = append(others, g)
		}
	}
	if len(alike.all) > 0 {
		m.printf("\n## Episodes\n")
	}
	for begin := 0; begin < len(others); {
		end := begin
		n := 0
		for ; end < len(others) && others[end].TaskID == others[begin].TaskID; end++ {
			n += len(others[end].numbers)
		}
		if len(others) > maxOpen {
			m.fold(false, htmlCode(others[begin].TaskID)+": "+display.Count(n, "episode")+" that did not pass")
		}
		for _, g := range others[begin:end] {
			m.episode(r, g)
		}
		if len(others) > maxOpen {
			m.unfold()
		}
		begin = end
	}
	if len(passed) > 0 {
		m.passed(passed)
	}
}

func (m markdown) passed(groups []*group) {
	n := 0
	for _, g := range groups {
		n += len(g.numbers)
	}
	m.fold(false, display.Count(n, "episode")+" passed")
	m.printf("| episode | steps | calls | errors | changed answers | no progress | duration | final URL |\n")
	m.printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for _, g := range groups {
		took := duration(g.low)
		if duration(g.high) != took {
			took += " to " + duration(g.high)
		}
		m.printf("| %s | %d | %d | %d | %d | %d | %s | %s |\n", cell(g.name()), g.Steps, g.ToolCalls, g.OpenchromeErrors, len(g.ChangedAnswers),
			g.NoProgressEpisodes, took, cell(g.FinalURL))
	}
	m.unfold()
}

// maxSummary is how many characters of a reason a folded episode shows. The whole stands in
// the list of reasons.
const maxSummary = 160

// episode shows a group that did not pass: its first episode stands for all.
func (m markdown) episode(r *report.Report, g *group) {
	e := g.Episode
	m.fold(false, fmt.Sprintf(`<a name="%s"></a>%s %s: %s`, g.anchor(), htmlCode(g.name()), statusWords(e), htmlCode(display.Cut(explain.Why(e), maxSummary))))
	m.printf("Task: %s – %s, %s, %s, %s. The page ended at %s.\n\n", plain(e.Title), display.Count(e.Steps, "step"), display.Count(e.ToolCalls, "call"),
		display.Count(e.OpenchromeErrors, "error"), duration(e.DurationMs), code(e.FinalURL))
	if c, why := explain.WrongStep(e); c != nil {
		m.call(c, why, e)
	}
	if checks := explain.Checks(e); len(checks) > 0 {
		m.printf("- The contract:\n")
		for i, n := range checks {
			m.check(i+1, n, "  ")
		}
	}
	m.steps(r, e)
	for _, d := range e.ChangedAnswers {
		m.printf("- Changed answer at step %d, %s:\n  - expected %s\n  - got %s\n", d.Step, code(d.Tool), code(d.Expected), code(d.Actual))
		if d.At != "" {
			m.printf("  - written in %s\n", code(d.At))
		}
	}
	for _, h := range e.Hints {
		m.printf("- Hint %s: %d×, last severity %s\n", code(h.Rule), h.Count, code(h.Severity))
	}
	again := explain.Again(r, e, "")
	m.printf("- Run it again: %s\n", code(again[len(again)-1]))
	if e.Page != "" { // the pages of the others look the same
		m.printf("- The page at the end: %s\n", pageLink(e.Page))
	}
	m.unfold()
}

// How many characters of arguments and of an answer a report shows without a click, and with one.
const (
	maxAnswer = 500
	maxWhole  = 20_000
)

// steps shows every call with its answer, what the pages got, and what they sent.
func (m markdown) steps(r *report.Report, e *report.Episode) {
	if len(e.Calls) == 0 {
		return
	}
	m.fold(false, "All steps: what was asked, said, done and sent")
	if untold := explain.Untold(e); untold != "" {
		m.printf("%s\n\n", plain(untold))
	}
	for i := range e.Calls {
		c := &e.Calls[i]
		m.printf("- %d %s %s\n", c.Step, code(c.Tool), code(display.Cut(c.Args, maxWhole)))
		m.printf("  - said: %s\n", code(display.Cut(cmp.Or(c.Failure, c.Answer), maxWhole)))
		for _, line := range explain.Step(c) {
			m.printf("  - did: %s\n", plain(line))
		}
		for j := range c.Requests {
			m.printf("  - sent: %s\n", code(explain.Sent(&c.Requests[j])))
		}
		for _, row := range explain.Unmet(e, c) {
			m.printf("  - wanted: %s\n", code(row[0]+" "+row[1]+", got "+row[2]))
		}
	}
	m.unfold()
	m.printf("\n")
}

// untrue counts the false successes and the unreported side effects, by tool and word.
func (m markdown) untrue(r *report.Report) {
	all, _ := explain.UntrueOf(r)
	if len(all) == 0 {
		return
	}
	m.printf("\n## False successes and unreported side effects\n\n")
	for _, u := range all {
		var groups groups
		for _, e := range u.Episodes {
			groups.add(e)
		}
		m.printf("- **%d of %d×** %s: %s – %s\n", u.N, u.Of, code(u.Tool), plain(u.Word), (&tally{groups: groups}).links())
	}
}

func (m markdown) call(c *report.Call, why string, e *report.Episode) {
	m.printf("- Step %d of %d, %s: %s, %s\n", c.Step, e.Steps, why, code(c.Tool), duration(c.DurationMs))
	if c.Omitted {
		m.printf("  - the texts were left out: the run has too many\n")
		return
	}
	m.printf("  - arguments: %s\n", code(display.Cut(c.Args, maxAnswer)))
	what := "answer"
	if c.Error {
		what = "answer, an error"
	}
	if c.Failure != "" {
		m.printf("  - no answer: %s\n", code(display.Cut(c.Failure, maxAnswer)))
	} else {
		m.printf("  - %s: %s\n", what, code(display.Cut(c.Answer, maxAnswer)))
	}
	if c.HintText != "" {
		m.printf("  - hint: %s\n", code(display.Cut(c.HintText, maxAnswer)))
	}
}

func (m markdown) check(number int, n *judge.Node, indent string) {
	if n.Verdict == judge.NotReached && n.Words != "" {
		m.printf("%s- %d not judged, would fail: %s\n", indent, number, plain(n.Words))
		return
	}
	m.printf("%s- %d %s: %s\n", indent, number, checkWords(n), plain(n.Expected))
	if (n.Verdict == judge.Fail || n.Verdict == judge.Inconclusive) && n.Observed != "" {
		m.printf("%s  - the page had: %s\n", indent, code(n.Observed))
	}
	if note := explain.Note(n); note != "" {
		m.printf("%s  - note: %s\n", indent, code(note))
	}
	for i := range n.Children {
		m.check(i+1, &n.Children[i], indent+"  ")
	}
}

func checkWords(n *judge.Node) string {
	switch n.Verdict {
	case judge.Pass:
		return "holds"
	case judge.Fail:
		return "**failed**"
	case judge.Inconclusive:
		return "**cannot be judged**"
	}
	if n.Would == judge.Pass {
		return "not judged, would hold"
	}
	return "not judged"
}

// statusWords says what a status counts as, the status if that is more, and the outcome of a policy.
func statusWords(e *report.Episode) string {
	s := e.Status
	switch {
	case s.Class() == record.Void:
		return "void (" + plainStatus(string(s)) + ")"
	case e.Outcome != "" && s.Class() == record.Fail:
		return "failed (" + plainStatus(string(e.Outcome)) + ")"
	case s == record.Failed || s == record.Passed:
		return string(s)
	}
	return "failed (" + plainStatus(string(s)) + ")"
}

// statuses are written without markup. Another one, of a log that nobody should trust, is
// not repeated.
var statuses = regexp.MustCompile(`^[a-z_ ]+$`)

func plainStatus(s string) string {
	if !statuses.MatchString(s) {
		return "unknown status"
	}
	return strings.ReplaceAll(s, "_", " ")
}

// safePath matches a folder that a link can name.
var safePath = regexp.MustCompile(`^[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)*$`)

// pageLink links to the folder of a page, from the folder of the reports.
func pageLink(page string) string {
	if !safePath.MatchString(page) {
		return code(page)
	}
	return "[" + code(page) + "](" + path.Join("..", page) + "/)"
}
