package compare

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/normal"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// match finds what two runs have in common. If they did not do the same, the error is a [*Refusal].
func match(base, head *report.Report, o Options) (*Comparison, error) {
	done, unfinished := Done(base, head)
	c := &Comparison{
		Unfinished: unfinished, SameServer: sameServer(base, head),
		Base: Side{Name: cmp.Or(o.Base, base.RunID, "base"), Part: "base", Report: done[0]},
		Head: Side{Name: cmp.Or(o.Head, head.RunID, "head"), Part: "head", Report: done[1]},
	}
	if c.Peers() {
		c.Base.Part, c.Head.Part = Title(base), Title(head)
	}
	c.common()
	if reasons := c.differences(); reasons != nil {
		return nil, &Refusal{c.Base.Name, c.Head.Name, reasons}
	}
	return c, nil
}

// Fit returns the tasks that two runs have in common and that are the same in both, pages included, or else why the
// runs cannot be compared.
func Fit(base, head *report.Report) (tasks map[string]bool, refused *Refusal) {
	c, err := match(base, head, Options{})
	if refused, _ = errors.AsType[*Refusal](err); refused != nil {
		return nil, refused
	}
	tasks = map[string]bool{}
	for _, t := range c.Base.Report.Tasks {
		tasks[t.ID] = true
	}
	return tasks, nil
}

// common leaves only the tasks that both runs have in the same revision.
func (c *Comparison) common() {
	base, head := c.Base.Report, c.Head.Report
	inBase, inHead := tasksOf(base), tasksOf(head)
	for _, h := range head.Tasks {
		if b := inBase[h.ID]; b != nil && b.Revision != h.Revision {
			c.note("task %s is left out: revision %d %s, %d %s", display.Visible(h.ID),
				b.Revision, c.Base.in(), h.Revision, c.Head.in())
		}
	}
	only := func(s *Side, in map[string]*report.Task, other *report.Report) {
		var ids []string
		for _, t := range s.Report.Tasks {
			same := func(o report.Task) bool { return o.Policy == t.Policy }
			if in[t.ID] == nil && (t.Policy == "" || slices.ContainsFunc(other.Tasks, same)) { // other policies are no news
				ids = append(ids, t.ID)
			}
		}
		if ids != nil {
			c.note("left out %s that only %s has: %s",
				display.Count(len(ids), "task"), s.the(), display.Visible(strings.Join(ids, ", ")))
		}
	}
	only(&c.Base, inHead, head)
	only(&c.Head, inBase, base)
	changed := c.changedPages(inBase)
	both := func(e *report.Episode) bool {
		b, h := inBase[e.TaskID], inHead[e.TaskID]
		return b != nil && h != nil && b.Revision == h.Revision && !changed[e.TaskID]
	}
	c.Base.Report, c.Head.Report = where(base, both), where(head, both)
	c.Base.Episodes, c.Head.Episodes = c.Base.Report.Episodes.Len(), c.Head.Report.Episodes.Len()
}

// changedPages returns the tasks of one revision for which a host that they list or asked for differs between
// the runs, and notes them.
func (c *Comparison) changedPages(base map[string]*report.Task) map[string]bool {
	was, is := c.Base.Report.Web.Hosts, c.Head.Report.Web.Hosts
	changed, of := map[string]bool{}, map[string][]string{} // of: the tasks, by the hosts
	for _, h := range c.Head.Report.Tasks {
		b := base[h.ID]
		if b == nil || b.Revision != h.Revision || was == nil || is == nil {
			continue
		}
		hosts := slices.DeleteFunc(record.HostsOf(slices.Concat(b.Hosts, h.Hosts)), func(host string) bool {
			return was[host] == is[host] || was[host] == "" || is[host] == "" // a run names the hosts of its tasks
		})
		if len(hosts) > 0 {
			list := strings.Join(hosts, ", ")
			changed[h.ID], of[list] = true, append(of[list], h.ID)
		}
	}
	for _, hosts := range slices.Sorted(maps.Keys(of)) {
		c.note("left out %s, because pages of %s changed: %s", display.Count(len(of[hosts]), "task"),
			display.Visible(hosts), display.Visible(strings.Join(of[hosts], ", ")))
	}
	return changed
}

func (c *Comparison) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
}

func tasksOf(r *report.Report) map[string]*report.Task {
	tasks := map[string]*report.Task{}
	for i := range r.Tasks {
		tasks[r.Tasks[i].ID] = &r.Tasks[i]
	}
	return tasks
}

// where returns a report with some of its episodes and their tasks.
func where(r *report.Report, keep func(*report.Episode) bool) *report.Report {
	some, has := *r, map[string]bool{}
	some.Episodes = r.Episodes.Where(keep)
	for _, e := range some.Episodes.All() {
		has[e.TaskID] = true
	}
	some.Tasks = slices.DeleteFunc(slices.Clone(r.Tasks), func(t report.Task) bool { return !has[t.ID] })
	return &some
}

// Done returns the sides of bench:parity with only the episodes that all of them have done. The text
// says how many these are, and how to run the others; it is empty if the reports are no sides of
// one call, or that has finished.
func Done(sides ...*report.Report) (paired []*report.Report, unfinished string) {
	first, whole := sides[0], true
	done := map[string]int{}
	for i, s := range sides {
		if s.Parity.Run == "" || s.Parity != first.Parity || i > 0 && s.RunID == first.RunID {
			return sides, ""
		}
		whole = whole && s.NotWhole() == ""
		for _, e := range s.Episodes.All() {
			if e.Status != record.Interrupted {
				done[e.Name]++
			}
		}
	}
	if whole {
		return sides, ""
	}
	for _, s := range sides {
		paired = append(paired, where(s, func(e *report.Episode) bool { return done[e.Name] == len(sides) }))
	}
	return paired, fmt.Sprintf("%d of %s are done; run the same bench:parity command with -resume=%s",
		paired[0].Episodes.Len(), display.Count(first.Totals.Planned, "pair"), first.Parity.Run)
}

// Refusal says why two runs cannot be compared: what differs, although it must be equal.
type Refusal struct {
	Base, Head string
	Reasons    []string // a line each
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s and %s cannot be compared:\n- %s",
		display.Visible(r.Base), display.Visible(r.Head), strings.Join(r.Reasons, "\n- "))
}

// both writes a value of two runs; an empty one is none.
func both(base, head string) string {
	return fmt.Sprintf("%s in the base, %s in the head", short(base), short(head))
}

func short(value string) string { return display.Short(cmp.Or(value, "none")) }

// differences are the reasons not to compare two runs.
func (c *Comparison) differences() sentence {
	base, head := c.Base.Report, c.Head.Report
	var r sentence
	for _, s := range c.sides() {
		why := s.Report.NotWhole()
		r.add(c.Unfinished == "" && why != "", "%s is not whole: %s", s.the(), display.Visible(why))
		r.add(c.Unfinished == "" && s.Episodes == 0, "%s has no episode", s.the())
	}
	if r != nil {
		r = append(r, c.Notes...)
	}
	was, is := base.Plan(), head.Plan()
	if strings.HasPrefix(was.Adapter, report.PolicyAdapter) && strings.HasPrefix(is.Adapter, report.PolicyAdapter) {
		is.Adapter = was.Adapter // only the policies that both have are compared
	}
	if base.Agent != nil && head.Agent != nil {
		is.Adapter = was.Adapter // another agent may be compared
		other := base.Agent.Differ(head.Agent)
		r.add(other != nil && build(base) != build(head), "the server differs, and so does the agent: %s; "+
			"compare runs that differ in one of the two", display.Visible(strings.Join(other, "; ")))
	}
	r = append(r, option.Differ(was, is, option.Compares, "%s in the base, %s in the head")...)
	if b, h := base.Profile, head.Profile; b != nil && h != nil && b.Server == h.Server {
		r.equal("profile of "+short(b.Server), b.Digest, h.Digest)
	}
	b, h := base.Web, head.Web // a report of before has no digests of hosts
	r.add(b.Digest != h.Digest && (b.Hosts == nil || h.Hosts == nil),
		"content of the fixture web: %s; run the older one again on these pages", both(b.Digest, h.Digest))
	r.equal("version of the normaliser", base.Normaliser, head.Normaliser)
	if base.Seed != head.Seed {
		return r // every task differs
	}
	in := tasksOf(base)
	for i := range head.Tasks {
		if b := in[head.Tasks[i].ID]; b != nil { // else one of the runs is not whole
			r.task(c, b, &head.Tasks[i])
		}
	}
	return r
}

// equal adds that a value differs.
func (s *sentence) equal(what string, base, head any) {
	s.add(base != head, "%s: %s", what, both(fmt.Sprint(base), fmt.Sprint(head)))
}

func rules(r *report.Report) string { return fmt.Sprintf("rules %d", r.Rules) }

// build is the server that a run drove, and which version of it.
func build(r *report.Report) (of [4]string) {
	if s := r.Server; s != nil {
		of = [4]string{s.Name, s.Version, s.Package, s.Launcher}
	}
	return of
}

// sameServer reports whether both runs drove a server, and it has the same name.
func sameServer(base, head *report.Report) bool {
	return base.Server != nil && head.Server != nil && base.Server.Name == head.Server.Name
}

// task compares the two definitions of a task. Transcripts are of one server, but intents of all. Once a
// server can do a task, calls take the place of the line of a transcript that said that it cannot.
func (s *sentence) task(c *Comparison, base, head *report.Task) {
	name := "task " + display.Visible(base.ID) + ": "
	reasons := len(*s)
	if c.Base.Report.Kept || c.Head.Report.Kept { // a record has only the beginnings of digests
		s.add(!sameDigest(base.Content, head.Content), "%sits content differs", name)
		s.add(!sameDigest(base.Transcript, head.Transcript) && c.sameTranscript(base.ID), "%sits transcript differs", name)
		return
	}
	s.equal(name+"start URL", base.StartURL, head.StartURL)
	s.equal(name+"goal", base.Goal, head.Goal)
	s.equal(name+"category", base.Category, head.Category)
	s.equal(name+"step cap", base.MaxSteps, head.MaxSteps)
	s.equal(name+"time cap in ms", base.MaxDurationMs, head.MaxDurationMs)
	if base.Transcript != head.Transcript && c.sameTranscript(base.ID) {
		s.equal(name+"transcript", base.Transcript, head.Transcript)
	}
	contract := func(t *report.Task) []byte { return []byte(cmp.Or(string(t.Contract), "null")) }
	if d := DiffJSON(contract(base), contract(head)); d != nil {
		s.add(true, "%scontract: %s is %s", name, display.Visible(d.Field), both(d.A, d.B))
	}
	// Else they say what differs.
	s.add(len(*s) == reasons && base.Content != head.Content, "%sits content differs, although both have revision %d; "+
		"raise the revision of the later one", name, base.Revision)
}

// sameTranscript reports whether the transcript of a task must be the same on both sides.
func (c *Comparison) sameTranscript(task string) bool {
	b, h := c.Base.Report, c.Head.Report
	return b.Profile != nil || sameServer(b, h) && !allKnown(b, task) && !allKnown(h, task)
}

// sameDigest reports whether two digests are equal, as far as both have digits.
func sameDigest(a, b string) bool {
	a, b = a[strings.LastIndex(a, ":")+1:], b[strings.LastIndex(b, ":")+1:]
	n := min(len(a), len(b))
	return (n > 0 || len(a) == len(b)) && a[:n] == b[:n]
}

// allKnown reports whether every episode of a task is a known defect.
func allKnown(r *report.Report, id string) bool {
	for _, e := range r.Episodes.All() {
		if e.TaskID == id && !e.KnownDefect {
			return false
		}
	}
	return true
}

// differ says how two runs that can be compared differ all the same.
func (c *Comparison) differ() (notes []string) {
	base, head := c.Base.Report, c.Head.Report
	if words, certain := base.Harness.Differs(head.Harness); certain {
		notes = append(notes, "different builds measured the runs: "+words)
	}
	if base.Rules != head.Rules {
		notes = append(notes, fmt.Sprintf("false successes are by %s, so they can differ by that alone; "+
			"the log of a run in place of its record has them by the newest rules", both(rules(base), rules(head))))
	}
	if b, h := base.Server, head.Server; b != nil && h != nil {
		for d := range Differences(normal.Encode(b), normal.Encode(h)) {
			what := strings.TrimPrefix(d.Field, "/")
			if !slices.Contains([]string{"name", "version", "package", "image"}, what) { // what is compared
				notes = append(notes, fmt.Sprintf("the %s differs: %s %s, %s %s", what,
					display.Visible(d.A), c.Base.in(), display.Visible(d.B), c.Head.in()))
			}
		}
	}
	for _, words := range base.Agent.Differ(head.Agent) {
		notes = append(notes, display.Visible(words))
	}
	if base.Web.Mode == "live" {
		notes = append(notes, "the runs saw the live web, which may have changed between them")
	}
	return notes
}
