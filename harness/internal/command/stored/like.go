package stored

import (
	"context"
	"fmt"
	"slices"

	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// like is an episode that passed, to compare another one of the same task with.
type like struct {
	*report.Episode
	where    string // in words
	contract string // of its task
}

// maxSearched is how many other runs are read in search of an episode that passed.
const maxSearched = 10

// passedLike returns an episode of the same task that passed on the same server: of the
// newest other run that has one, else of the same run. Episode is nil if there is none.
func passedLike(ctx context.Context, o option.Values, r *report.Report, e *report.Episode) like {
	ids := slices.DeleteFunc(newest(o.Out, maxSearched+1), func(id string) bool { return id == r.RunID })
	for _, id := range ids[:min(len(ids), maxSearched)] {
		other, err := report.FromFile(ctx, eventsFile(o.Out, id))
		if err != nil || !comparable(r, other) {
			continue // it may still be running, and it is only looked at for help
		}
		if p := passedOf(other, e); p != nil {
			return like{p, fmt.Sprintf("%s of run %s", p.Name, id), string(taskOf(other, e.TaskID).Contract)}
		}
	}
	if p := passedOf(r, e); p != nil {
		return like{p, fmt.Sprintf("%s of this run", p.Name), string(taskOf(r, e.TaskID).Contract)}
	}
	return like{}
}

// comparable reports whether two runs drove the same server with the same values. Its version and
// the transcript may differ: that shows in the calls.
func comparable(a, b *report.Report) bool {
	return a.Server != nil && b.Server != nil && a.Server.Name == b.Server.Name &&
		a.Seed == b.Seed
}

func taskOf(r *report.Report, id string) report.Task {
	for _, t := range r.Tasks {
		if t.ID == id {
			return t
		}
	}
	return report.Task{}
}

func passedOf(r *report.Report, e *report.Episode) *report.Episode {
	for _, p := range r.Episodes.All() {
		if p.TaskID == e.TaskID && p.Success && (p.RunID != e.RunID || p.Name != e.Name) {
			return p
		}
	}
	return nil
}

// parted returns the index of the first call in which e went another way, -1 if there is
// none. It is the length of e's calls if e stopped earlier.
func (l like) parted(e *report.Episode) int {
	if l.Episode == nil {
		return -1
	}
	for i := range e.Calls {
		if i == len(l.Calls) || !sameCall(&e.Calls[i], &l.Calls[i]) || !sameAnswer(&e.Calls[i], &l.Calls[i]) {
			return i
		}
	}
	if len(e.Calls) < len(l.Calls) {
		return len(e.Calls)
	}
	return -1
}

func sameCall(a, b *report.Call) bool { return a.Tool == b.Tool && a.Args == b.Args }

func sameAnswer(a, b *report.Call) bool {
	return a.Digest == b.Digest && a.Error == b.Error && (a.Failure == "") == (b.Failure == "")
}

// compared says where an episode went another way than one that passed.
func compared(e *report.Episode, contract string, passed like, parted int) []page.Block {
	if passed.Episode == nil || e.Success && parted < 0 {
		return nil
	}
	var lines []page.Block
	line := func(format string, args ...any) {
		lines = append(lines, page.Text{{Text: fmt.Sprintf(format, args...)}})
	}
	switch {
	case parted < 0 && contract != passed.contract:
		line("every call and answer was the same, but its task had a different contract")
	case parted < 0:
		line("every call and answer was the same; the page differed at the end")
	case parted == len(e.Calls):
		next := &passed.Calls[parted]
		line("this one stopped here; the other went on with step %d: %s", next.Step, display.Cut(called(next), maxShown))
	case parted == len(passed.Calls):
		next := display.Cut(called(&e.Calls[parted]), maxShown)
		line("the other was done after step %d; this one went on with %s", passed.Calls[parted-1].Step, next)
	default:
		of := called
		if here := &e.Calls[parted]; sameCall(here, &passed.Calls[parted]) {
			of = answer
			line("step %d, %s, got a different answer", here.Step, here.Tool)
		} else {
			line("step %d was a different call", here.Step)
		}
		a, b := compare.Excerpts(of(&passed.Calls[parted]), of(&e.Calls[parted]), maxShown)
		line("  passed: %s", a)
		line("  here:   %s", b)
	}
	title := page.Text{{Text: "Compared with " + passed.where + ", which passed"}}
	return []page.Block{page.Section{Title: title, Blocks: lines}}
}

// maxShown is how many characters of a call or an answer a line shows.
const maxShown = 220

func called(c *report.Call) string { return c.Tool + " " + c.Args }

func answer(c *report.Call) string {
	switch {
	case c.Failure != "":
		return "no answer: " + c.Failure
	case c.Error:
		return "error: " + c.Answer
	}
	return c.Answer
}
