package compare

import (
	"fmt"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/tell/policy"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Refusal says why two runs cannot be compared: what differs, although it must be equal.
type Refusal struct {
	Base, Head string
	Reasons    []string // a line each
}

func (r *Refusal) Error() string {
	return fmt.Sprintf("%s and %s cannot be compared:\n- %s", display.Visible(r.Base), display.Visible(r.Head), strings.Join(r.Reasons, "\n- "))
}

func (r *Refusal) check(what, base, head string) {
	if base != head {
		r.add("%s: %s in the base, %s in the head", what, Value(base), Value(head))
	}
}

func (r *Refusal) add(format string, args ...any) {
	r.Reasons = append(r.Reasons, fmt.Sprintf(format, args...))
}

// Value writes a value of a run; an empty one is none.
func Value(s string) string {
	if s == "" {
		return "none"
	}
	return display.Short(s)
}

// Refuse returns a [*Refusal] if the runs did not do the same, and nil otherwise. The names are what
// people call them. leftOut says which tasks are not in the reports any more, and why.
func Refuse(base, head *report.Report, baseName, headName string, leftOut []string) error {
	r := &Refusal{Base: baseName, Head: headName}
	_, unfinished := Done(base, head)
	for _, side := range []struct {
		what string
		*report.Report
	}{{"base", base}, {"head", head}} {
		if why := side.NotWhole(); why != "" && unfinished == "" {
			r.add("the %s is not whole: %s", side.what, display.Visible(why))
		}
		if unfinished == "" && (len(side.Tasks) == 0 || side.Episodes.Len() == 0) {
			r.add("the %s has no episode", side.what)
		}
	}
	if len(r.Reasons) > 0 {
		r.Reasons = append(r.Reasons, leftOut...)
	}
	was, is := base.Plan(), head.Plan()
	if strings.HasPrefix(was.Adapter, policy.Adapter) && strings.HasPrefix(is.Adapter, policy.Adapter) {
		is.Adapter = was.Adapter // only the policies that both have are compared
	}
	if base.Agent != nil && head.Agent != nil {
		is.Adapter = was.Adapter // another agent may be compared
		if other := base.Agent.Differ(head.Agent); other != nil && otherServer(base, head) {
			r.add("the server differs, and so does the agent: %s; compare runs that differ in one of the two", display.Visible(strings.Join(other, "; ")))
		}
	}
	r.Reasons = append(r.Reasons, option.Differ(was, is, option.Compares, "%s in the base, %s in the head")...)
	if b, h := base.Profile, head.Profile; b != nil && h != nil && b.Server == h.Server {
		r.check("profile of "+Value(b.Server), b.Digest, h.Digest)
	}
	if b, h := base.Web.Digest, head.Web.Digest; b != h {
		r.add("content of the fixture web: %s in the base, %s in the head; run the older one again on these pages", Value(b), Value(h))
	}
	r.check("version of the normaliser", fmt.Sprint(base.Normaliser), fmt.Sprint(head.Normaliser))
	if base.Seed == head.Seed { // else every task differs
		r.tasks(base, head)
	}
	if len(r.Reasons) > 0 {
		return r
	}
	return nil
}

// otherServer reports whether the runs drove different servers, or different versions of one.
func otherServer(base, head *report.Report) bool {
	a, b := base.Server, head.Server
	if a == nil || b == nil {
		return a != b
	}
	return a.Name != b.Name || a.Version != b.Version || a.Package != b.Package || a.Launcher != b.Launcher
}

// SameServer reports whether both runs drove a server, and it has the same name.
func SameServer(base, head *report.Report) bool {
	return base.Server != nil && head.Server != nil && base.Server.Name == head.Server.Name
}

func (r *Refusal) tasks(base, head *report.Report) {
	of := map[string]*report.Task{}
	for i := range base.Tasks {
		of[base.Tasks[i].ID] = &base.Tasks[i]
	}
	bases, heads := sync.OnceValue(func() map[string]bool { return known(base) }), sync.OnceValue(func() map[string]bool { return known(head) })
	for i := range head.Tasks {
		h := &head.Tasks[i]
		b := of[h.ID]
		// Once a server can do a task, calls take the place of the line that said that it
		// cannot.
		transcript := b.Transcript != h.Transcript && (base.Profile != nil || SameServer(base, head) && !bases()[h.ID] && !heads()[h.ID]) // intents are those of all servers
		r.task(b, h, transcript)
	}
}

// known returns the tasks of which every episode is a known defect.
func known(r *report.Report) map[string]bool {
	tasks := map[string]bool{}
	for _, e := range r.Episodes.All() {
		all, seen := tasks[e.TaskID]
		tasks[e.TaskID] = e.KnownDefect && (all || !seen)
	}
	return tasks
}

// task compares the two definitions of a task. The transcripts must be equal only if
// transcript is true.
func (r *Refusal) task(base, head *report.Task, transcript bool) {
	name := "task " + display.Visible(base.ID) + ": "
	reasons := len(r.Reasons)
	r.check(name+"start URL", base.StartURL, head.StartURL)
	r.check(name+"goal", base.Goal, head.Goal)
	r.check(name+"category", base.Category, head.Category)
	r.check(name+"step cap", fmt.Sprint(base.MaxSteps), fmt.Sprint(head.MaxSteps))
	r.check(name+"time cap in ms", fmt.Sprint(base.MaxDurationMs), fmt.Sprint(head.MaxDurationMs))
	if transcript {
		r.check(name+"transcript", base.Transcript, head.Transcript)
	}
	if d := DiffJSON(contractOf(base), contractOf(head)); d != nil {
		r.add("%scontract: %s is %s in the base, %s in the head", name, display.Visible(d.Field), display.Short(d.A), display.Short(d.B))
	}
	if len(r.Reasons) == reasons && base.Content != head.Content { // else they say what differs
		r.add("%sits content differs, although both have revision %d; raise the revision of the later one", name, base.Revision)
	}
}

func contractOf(t *report.Task) []byte {
	if len(t.Contract) == 0 {
		return []byte("null")
	}
	return t.Contract
}
