package html

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// head is what report.html shows.
type head struct {
	*report.Report
	Verdict, Counts string // the verdict is "FAILED"; the counts are the rest of the sentence
	Class           record.Class
	All, Void       int // episodes; the ones that are void or did not finish
	Facts           []fact
	Causes          []cause
	MoreCauses      int
	Untrue          []untrue
	Policies        []compare.Table
	TaskFigures     []taskFigures
	MoreTasks       int
	Files           []link
}

type fact struct{ Name, Value string }

// Digest reports whether the page may show only the beginning of the value.
func (f fact) Digest() bool { return strings.HasPrefix(f.Value, "sha256:") }

type cause struct {
	Why     string // of all of them
	Example string // why the first did not pass, if there are more
	Class   record.Class
	First   string // name of the first episode
	N       int
	Filter  string // anchor that shows all of its episodes
	Episode string // anchor of the first one
}

// untrue are answers of a tool that are untrue in the same way.
type untrue struct {
	explain.Untrue
	Links []link
}

// links are the episodes of such answers, each with the step of its first one, on the page of the run.
// Without a page they lead nowhere.
func links(u explain.Untrue, page string) (all []link) {
	for i, e := range u.Episodes[:min(len(u.Episodes), maxCauses)] {
		one := link{Name: e.Name}
		if page != "" {
			one.Href = strings.TrimPrefix(page, ".") + "#" + url.Values{"episode": {e.Name}, "step": {fmt.Sprint(u.Steps[i])}}.Encode()
		}
		all = append(all, one)
	}
	if more := len(u.Episodes) - maxCauses; more > 0 {
		all = append(all, link{Name: fmt.Sprintf("and %s", display.Count(more, "other episode"))})
	}
	return all
}

type taskFigures struct {
	report.TaskFigures
	Title  string
	N      int
	Class  record.Class
	Filter string
}

type link struct{ Name, Href string }

// The page shows at most this many causes and tasks; the list of episodes has all.
const (
	maxCauses = 10
	maxTasks  = 300
)

func newHead(r *report.Report) head {
	h := head{Report: r, Class: record.Pass}
	t := r.Totals
	h.Verdict, h.Counts = t.Outcome()
	h.All = max(t.Planned, t.Finished)
	h.Void = h.All - t.Passed - t.Failed
	switch {
	case t.Unexpected() > 0:
		h.Class = record.Fail
	case h.Void > 0 || t.Passed == 0:
		h.Class = record.Void
	}
	h.Facts = facts(r)
	if f := r.Figures.Policies; f != nil {
		h.Policies = compare.Tables(f, report.PolicyEpisodes(r))
	}
	all, _ := explain.UntrueOf(r)
	for _, u := range all {
		h.Untrue = append(h.Untrue, untrue{u, links(u, ".")})
	}
	h.Causes = causes(r.Episodes)
	if n := len(h.Causes); n > maxCauses {
		h.Causes, h.MoreCauses = h.Causes[:maxCauses], n-maxCauses
	}
	titles := map[string]string{}
	for _, e := range r.Episodes.All() {
		titles[e.TaskID] = e.Title
	}
	tasks := r.Figures.Tasks
	if n := len(tasks); n > maxTasks {
		tasks, h.MoreTasks = tasks[:maxTasks], n-maxTasks
	}
	for _, f := range tasks {
		row := taskFigures{TaskFigures: f, Title: titles[f.TaskID], N: f.Passed + f.Failed, Class: record.Pass, Filter: anchor("task", f.TaskID)}
		switch {
		case f.Failed > f.KnownDefects:
			row.Class = record.Fail
		case f.Void+f.KnownDefects > 0:
			row.Class = record.Void
		}
		h.TaskFigures = append(h.TaskFigures, row)
	}
	name := url.PathEscape(r.RunID)
	h.Files = []link{{"Event log", logFile(r)}, {"JSON", name + ".json"}, {"Markdown", name + ".md"}, {"Canonical report", name + ".canonical.json"}}
	return h
}

// logFile is relative to the page.
func logFile(r *report.Report) string {
	return "../" + report.EventsDir + "/" + url.PathEscape(r.RunID) + ".jsonl"
}

// anchor is the fragment that page.js understands.
func anchor(name, value string) string { return "#" + url.Values{name: {value}}.Encode() }

func facts(r *report.Report) []fact {
	var all []fact
	add := func(name, value string) {
		if value != "" {
			all = append(all, fact{name, value})
		}
	}
	add("Server", r.Server.Words())
	if p := r.Package; p != nil {
		add("Package", p.Path)
		commit := p.Commit
		if p.Dirty {
			commit += ", with changes that are not committed"
		}
		add("Commit", commit)
	}
	if s := r.Server; s != nil {
		add("Package digest", s.Package)
		add("Facts", s.Reader())
	}
	adapter := r.Adapter
	if r.Drift == record.DriftStrict {
		adapter += ", strict about changed answers"
	}
	add("Adapter", adapter)
	if r.Profile != nil {
		add("Profile", r.Profile.String())
	}
	for _, line := range explain.Agent(r) {
		add(strings.ToUpper(line[0][:1])+line[0][1:], line[1])
	}
	add("Values", report.DescribeSeed(r))
	add("Web", r.Web.Mode)
	add("Shard", r.Shard)
	if r.Host.OS != "" {
		add("Machine", fmt.Sprintf("%s/%s, %d CPUs, %s", r.Host.OS, r.Host.Arch, r.Host.CPUs, r.Host.Go))
	}
	add("Harness", r.Harness.String())
	add("Digest", r.Digest)
	return all
}

func causes(episodes report.Episodes) (all []cause) {
	for _, c := range explain.Causes(episodes) {
		e := c.First
		one := cause{Why: explain.Why(e), Class: e.Status.Class(), First: e.Name, Filter: anchor("cause", c.Group), Episode: anchor("episode", e.Name), N: c.N}
		if c.N > 1 {
			one.Why, one.Example = c.Group, one.Why
		}
		all = append(all, one)
	}
	return all
}
