package format

import (
	"cmp"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/explain"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// group are episodes of one task in which the same happened, by their digest. A report shows
// them as one.
type group struct {
	*report.Episode // the first
	numbers         []int
	low, high       float64 // durations
}

// groups puts episodes in groups. Episodes without a digest stay alone.
type groups struct {
	all []*group
	at  map[string]*group
}

func (l *groups) add(e *report.Episode) {
	key := e.TaskID + "\x00" + string(e.Status) + "\x00" + e.Digest
	g := l.at[key]
	if g == nil || e.Digest == "" {
		if l.at == nil {
			l.at = map[string]*group{}
		}
		g = &group{Episode: e, low: e.DurationMs, high: e.DurationMs}
		l.at[key] = g
		l.all = append(l.all, g)
	}
	g.numbers = append(g.numbers, e.Repetition)
	g.low, g.high = min(g.low, e.DurationMs), max(g.high, e.DurationMs)
}

// name is of one episode its name, and of more also their numbers, as in a#1-3,5.
func (g *group) name() string {
	if len(g.numbers) == 1 {
		return g.Name
	}
	return g.TaskID + "#" + record.Ranges(g.numbers)
}

// anchor is where the group stands in the report.
func (g *group) anchor() string { return slug(g.Name) }

// tally counts episodes with the same words.
type tally struct {
	key  string
	n    int
	whys map[string]int
	groups
}

func (t *tally) first() *report.Episode { return t.groups.all[0].Episode }

// tallies counts episodes by a key.
type tallies struct {
	all []*tally
	at  map[string]*tally
}

// add counts an episode; an empty key leaves it out.
func (l *tallies) add(key string, e *report.Episode) {
	if key == "" {
		return
	}
	t := l.at[key]
	if t == nil {
		if l.at == nil {
			l.at = map[string]*tally{}
		}
		t = &tally{key: key, whys: map[string]int{}}
		l.at[key] = t
		l.all = append(l.all, t)
	}
	t.n++
	t.whys[explain.Why(e)]++
	t.groups.add(e)
}

// sorted returns the most frequent tally first. Of equally many, failures are before void
// ones.
func (l *tallies) sorted() []*tally {
	failed := func(t *tally) int {
		if t.first().Status.Class() == record.Fail && !t.first().KnownDefect {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(l.all, func(a, b *tally) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(failed(a), failed(b)))
	})
	return l.all
}
