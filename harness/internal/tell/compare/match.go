package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/policy"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// matched is two runs that did the same.
type matched struct {
	base, head *report.Report    // with the tasks that both have in the same revision
	whole      [2]*report.Report // with all tasks
	kept       map[string]bool   // the ids of these tasks
	tasks      [][2]*report.Task // likewise, on both sides
	all        int               // tasks that either has
	notes      []string          // that name the tasks that are left out
	unfinished string            // see [Done]
}

// part is a run with its name in words.
type part struct {
	what string
	*report.Report
}

func parts(base, head *report.Report) []part { return []part{{"base", base}, {"head", head}} }

// match finds what two runs have in common. If they did not do the same, the error is a [*Refusal]; the
// names in it are what people call them.
func match(base, head *report.Report, baseName, headName string) (*matched, error) {
	done, unfinished := Done(base, head)
	m := &matched{base: done[0], head: done[1], whole: [2]*report.Report(done), unfinished: unfinished}
	m.common()
	r := &Refusal{Base: baseName, Head: headName}
	if r.check(m); len(r.Reasons) > 0 {
		return nil, r
	}
	return m, nil
}

// common leaves only the tasks that both runs have in the same revision.
func (m *matched) common() {
	in := tasksOf(m.base)
	var heads []*report.Task // that only the head has
	m.kept = map[string]bool{}
	for i := range m.head.Tasks {
		h := &m.head.Tasks[i]
		switch b := in[h.ID]; {
		case b == nil:
			heads = append(heads, h)
		case b.Revision != h.Revision:
			m.notes = append(m.notes, fmt.Sprintf("task %s is left out: revision %d in the base, %d in the head",
				display.Visible(h.ID), b.Revision, h.Revision))
		default:
			m.kept[h.ID] = true
			m.tasks = append(m.tasks, [2]*report.Task{b, h})
		}
		delete(in, h.ID)
	}
	m.all = len(m.base.Tasks) + len(heads)
	for _, side := range []struct {
		what  string
		only  []*report.Task
		other *report.Report
	}{{"base", slices.Collect(maps.Values(in)), m.head}, {"head", heads, m.base}} {
		if ids := ofPolicies(side.only, side.other); ids != nil { // other policies are no news
			m.notes = append(m.notes, fmt.Sprintf("left out %s that only the %s has: %s",
				display.Count(len(ids), "task"), side.what, display.Visible(strings.Join(ids, ", "))))
		}
	}
	if len(m.kept) < m.all {
		keep := func(e *report.Episode) bool { return m.kept[e.TaskID] }
		m.base, m.head = where(m.base, keep), where(m.head, keep)
	}
}

func tasksOf(r *report.Report) map[string]*report.Task {
	tasks := map[string]*report.Task{}
	for i := range r.Tasks {
		tasks[r.Tasks[i].ID] = &r.Tasks[i]
	}
	return tasks
}

// ofPolicies returns the ids of the tasks without a policy, and of those whose policy the run has.
func ofPolicies(tasks []*report.Task, r *report.Report) (ids []string) {
	for _, t := range tasks {
		same := func(other report.Task) bool { return other.Policy == t.Policy }
		if t.Policy == "" || slices.ContainsFunc(r.Tasks, same) {
			ids = append(ids, t.ID)
		}
	}
	slices.Sort(ids)
	return ids
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

func (r *Refusal) add(format string, args ...any) {
	r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...))
}

func (r *Refusal) equal(what string, base, head any) {
	if base != head {
		r.add("%s: %s", what, both(fmt.Sprint(base), fmt.Sprint(head)))
	}
}

// both writes a value of two runs; an empty one is none.
func both(base, head string) string {
	return fmt.Sprintf("%s in the base, %s in the head", short(base), short(head))
}

func short(value string) string { return display.Short(cmp.Or(value, "none")) }

// check adds the reasons not to compare two runs.
func (r *Refusal) check(m *matched) {
	base, head := m.base, m.head
	if m.unfinished == "" {
		for _, side := range parts(base, head) {
			if why := side.NotWhole(); why != "" {
				r.add("the %s is not whole: %s", side.what, display.Visible(why))
			}
			if len(side.Tasks) == 0 || side.Episodes.Len() == 0 {
				r.add("the %s has no episode", side.what)
			}
		}
	}
	if len(r.Reasons) > 0 {
		r.Reasons = append(r.Reasons, m.notes...)
	}
	was, is := base.Plan(), head.Plan()
	if strings.HasPrefix(was.Adapter, policy.Adapter) && strings.HasPrefix(is.Adapter, policy.Adapter) {
		is.Adapter = was.Adapter // only the policies that both have are compared
	}
	if base.Agent != nil && head.Agent != nil {
		is.Adapter = was.Adapter // another agent may be compared
		if other := base.Agent.Differ(head.Agent); other != nil && otherBuild(base, head) {
			r.add("the server differs, and so does the agent: %s; compare runs that differ in one of the two",
				display.Visible(strings.Join(other, "; ")))
		}
	}
	r.Reasons = append(r.Reasons, option.Differ(was, is, option.Compares, "%s in the base, %s in the head")...)
	if b, h := base.Profile, head.Profile; b != nil && h != nil && b.Server == h.Server {
		r.equal("profile of "+short(b.Server), b.Digest, h.Digest)
	}
	if b, h := base.Web.Digest, head.Web.Digest; b != h {
		r.add("content of the fixture web: %s; run the older one again on these pages", both(b, h))
	}
	r.equal("version of the normaliser", base.Normaliser, head.Normaliser)
	if base.Seed != head.Seed {
		return // every task differs
	}
	// Intents are those of all servers. Once a server can do a task, calls take the place of the line that
	// said that it cannot.
	known := sync.OnceValue(func() map[string]bool { return knownDefects(base, head) })
	for _, t := range m.tasks {
		other := t[0].Transcript != t[1].Transcript
		r.task(t[0], t[1], other && (base.Profile != nil || sameServer(base, head) && !known()[t[0].ID]))
	}
}

// otherBuild reports whether the runs drove different servers, or different versions of one.
func otherBuild(base, head *report.Report) bool {
	a, b := base.Server, head.Server
	if a == nil || b == nil {
		return a != b
	}
	return a.Name != b.Name || a.Version != b.Version || a.Package != b.Package || a.Launcher != b.Launcher
}

// sameServer reports whether both runs drove a server, and it has the same name.
func sameServer(base, head *report.Report) bool {
	return base.Server != nil && head.Server != nil && base.Server.Name == head.Server.Name
}

// knownDefects returns the tasks of which every episode of a side is a known defect.
func knownDefects(sides ...*report.Report) map[string]bool {
	known := map[string]bool{}
	for _, r := range sides {
		of := map[string]bool{}
		for _, e := range r.Episodes.All() {
			all, seen := of[e.TaskID]
			of[e.TaskID] = e.KnownDefect && (all || !seen)
		}
		for id, all := range of {
			known[id] = known[id] || all
		}
	}
	return known
}

// task compares the two definitions of a task. The transcripts must be equal only if
// transcript is true.
func (r *Refusal) task(base, head *report.Task, transcript bool) {
	name := "task " + display.Visible(base.ID) + ": "
	reasons := len(r.Reasons)
	r.equal(name+"start URL", base.StartURL, head.StartURL)
	r.equal(name+"goal", base.Goal, head.Goal)
	r.equal(name+"category", base.Category, head.Category)
	r.equal(name+"step cap", base.MaxSteps, head.MaxSteps)
	r.equal(name+"time cap in ms", base.MaxDurationMs, head.MaxDurationMs)
	if transcript {
		r.equal(name+"transcript", base.Transcript, head.Transcript)
	}
	contract := func(t *report.Task) []byte { return []byte(cmp.Or(string(t.Contract), "null")) }
	if d := DiffJSON(contract(base), contract(head)); d != nil {
		r.add("%scontract: %s is %s", name, display.Visible(d.Field), both(d.A, d.B))
	}
	if len(r.Reasons) == reasons && base.Content != head.Content { // else they say what differs
		r.add("%sits content differs, although both have revision %d; raise the revision of the later one",
			name, base.Revision)
	}
}

// differ says how two runs that can be compared differ all the same.
func differ(base, head *report.Report) (notes []string) {
	if words, certain := base.Harness.Differs(head.Harness); certain {
		notes = append(notes, "different builds measured the runs: "+words)
	}
	if b, h := base.Server, head.Server; b != nil && h != nil {
		for _, f := range []struct{ what, base, head string }{
			{"server", b.Name, h.Name},
			{"launcher", b.Launcher, h.Launcher},
			{"Chromium", b.Chromium, h.Chromium},
			{"MCP version", b.Protocol, h.Protocol},
			{"isolation", b.Isolation, h.Isolation},
			{"reader of the facts", b.Facts, h.Facts},
			{"confinement", b.Confinement, h.Confinement},
		} {
			if f.base != f.head {
				notes = append(notes, fmt.Sprintf("the %s differs: %s", f.what, both(f.base, f.head)))
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

// missing says which run is a canonical report and lacks something: it leaves out all that differs
// between runs that did the same. Empty: neither is.
func missing(base, head *report.Report, what string) string {
	for _, side := range parts(base, head) {
		if side.RunID == "" {
			return fmt.Sprintf("the %s is a canonical report, which has no %s", side.what, what)
		}
	}
	return ""
}
