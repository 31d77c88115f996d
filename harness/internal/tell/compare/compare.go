package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/stats"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Compare compares the tasks that both runs have. If they did not do the same, the error is a
// [*Refusal]. Tasks with different revisions are left out.
func Compare(base, head *report.Report, o Options) (*Comparison, error) {
	o.Base, o.Head = cmp.Or(o.Base, base.RunID, "base"), cmp.Or(o.Head, head.RunID, "head")
	done, unfinished := Done(base, head)
	base, head = done[0], done[1]
	wholeBase, wholeHead := base, head
	base, head, all, leftOut := Common(base, head)
	if err := Refuse(base, head, o.Base, o.Head, leftOut); err != nil {
		return nil, err
	}
	c := &Comparison{
		Unfinished: unfinished,
		Base:       Side{Name: o.Base, Report: base, Episodes: base.Episodes.Len()}, Head: Side{Name: o.Head, Report: head, Episodes: head.Episodes.Len()},
		SameServer: SameServer(base, head), Agents: base.Agent != nil, Interleaved: o.Interleaved, All: all,
		NoDurations: noDurations(base, head, o), NoTokens: noTokens(base, head),
	}
	c.Policies = comparePolicies(base, head, wholeBase, wholeHead, [2]string{o.Base, o.Head})
	c.pairUp()
	c.tools()
	c.reversals()
	c.success()
	c.shifts()
	c.Notes = append(leftOut, c.notes()...)
	c.find()
	return c, nil
}

// outcome is what an episode counts as in a comparison.
type outcome int

const (
	void outcome = iota // for a reason that says nothing about the server
	passed
	lost // failed
)

func outcomeOf(e *report.Episode) outcome {
	switch e.Status.Class() {
	case record.Pass:
		return passed
	case record.Fail:
		return lost
	}
	if e.AgentSaid != nil && e.Status == record.AdapterError { // an agent's own failure
		return lost
	}
	return void
}

func (c *Counts) sum(d Counts) {
	c.Passed += d.Passed
	c.Lost += d.Lost
	c.Known += d.Known
	c.WrongSideEffects += d.WrongSideEffects
	c.Void += d.Void
}

func (c *Counts) add(e *report.Episode) {
	switch outcomeOf(e) {
	case passed:
		c.Passed++
	case lost:
		c.Lost++
		if e.KnownDefect {
			c.Known++
		}
		if len(e.WrongSideEffects) > 0 {
			c.WrongSideEffects++
		}
	case void:
		c.Void++
	}
}

func noTokens(base, head *report.Report) string {
	return Missing(base, head, "tokens")
}

func noDurations(base, head *report.Report, o Options) string {
	if o.Interleaved {
		return Missing(base, head, "durations")
	}
	return "a stored run does not say how busy the machine was; " + display.Program + " bench:parity compares durations, because its runs take turns"
}

// byTask splits episodes, which are sorted by task.
func byTask(list report.Episodes) map[string][]report.Episode {
	tasks := map[string][]report.Episode{}
	for _, e := range list.All() {
		tasks[e.TaskID] = append(tasks[e.TaskID], *e)
	}
	return tasks
}

func (c *Comparison) pairUp() {
	base, head := byTask(c.Base.Report.Episodes), byTask(c.Head.Report.Episodes)
	for i := range c.Base.Report.Tasks {
		of := &c.Base.Report.Tasks[i]
		t := Task{ID: of.ID, Title: of.Title}
		t.Base, t.Head = taskSide(base[of.ID]), taskSide(head[of.ID])
		for _, p := range pairs(base[of.ID], head[of.ID]) {
			t.Pairs++
			if b, h := outcomeOf(p.Base), outcomeOf(p.Head); b != void && h != void {
				t.Counted++
				switch {
				case !p.alike():
					t.Changed++
				case !p.Base.KnownDefect && !p.Head.KnownDefect:
					t.same = append(t.same, p)
				}
			}
			c.look(&p)
			c.count(&p)
			if p.alike() {
				t.Reworded += len(p.Answers)
			}
			if len(p.Changes)+len(p.Answers) > 0 {
				c.Episodes = append(c.Episodes, p)
			}
		}
		c.Base.sum(t.Base.Counts)
		c.Head.sum(t.Head.Counts)
		c.Pairs += t.Pairs
		c.Counted += t.Counted
		c.Changed += t.Changed
		c.Reworded += t.Reworded
		c.Tasks = append(c.Tasks, t)
	}
}

// pairs pairs two lists of episodes of a task by repetition; both are sorted by it.
func pairs(base, head []report.Episode) []Pair {
	var list []Pair
	for i, j := 0, 0; i < len(base) && j < len(head); {
		b, h := &base[i], &head[j]
		switch {
		case b.Repetition < h.Repetition:
			i++
		case b.Repetition > h.Repetition:
			j++
		default:
			list = append(list, Pair{Name: b.Name, Base: b, Head: h})
			i, j = i+1, j+1
		}
	}
	return list
}

func taskSide(episodes []report.Episode) TaskSide {
	t := TaskSide{Usual: map[Metric]float64{}}
	var times []float64
	for i := range episodes {
		e := &episodes[i]
		t.Counts.add(e)
		t.ChangedAnswers += len(e.ChangedAnswers)
		if outcomeOf(e) == void {
			continue
		}
		times = append(times, e.DurationMs)
		for _, m := range Metrics {
			t.Usual[m] += amount(e, m)
		}
	}
	t.Interval = stats.Wilson(t.Passed, t.N())
	for _, m := range Metrics {
		t.Usual[m] /= max(1, float64(len(times)))
	}
	slices.Sort(times)
	t.Usual[Duration] = stats.Quantile(times, 0.5)
	return t
}

// notes are what else a reader must know.
func (c *Comparison) notes() []string {
	notes := Notes(c.Base.Report, c.Head.Report)
	for _, s := range []Side{c.Base, c.Head} {
		if s.Void > 0 {
			notes = append(notes, fmt.Sprintf("%s: left out void episodes, which say nothing about the server: %s", display.Visible(s.Name), s.voidWords()))
		}
	}
	for i := range c.Tasks {
		if t := &c.Tasks[i]; t.Base.N() == 0 || t.Head.N() == 0 {
			notes = append(notes, fmt.Sprintf("task %s has no episode that counts on both sides", display.Visible(t.ID)))
		}
	}
	if b, h := c.Base.Episodes-c.Pairs, c.Head.Episodes-c.Pairs; b+h > 0 {
		notes = append(notes, fmt.Sprintf("%s without a partner: %d in the base, %d in the head; they count in the rates", display.Count(b+h, "episode"), b, h))
	}
	return notes
}
