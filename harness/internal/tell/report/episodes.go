package report

import (
	"cmp"
	"encoding/json"
	"iter"
	"reflect"
	"slices"

	"github.com/openchrome/bench/harness/internal/record"
)

// Episodes is a list of episodes. Most repetitions of a task are equal, and a run can have
// 100,000 of them. So the list keeps what equal episodes share once, and beside it only
// what is an episode's own. The zero value is an empty list. A copy of a list shares its
// episodes with it, so change only one of the two.
type Episodes struct {
	rows   []row
	shared map[string]*Episode // the last one with each digest
}

// row is an episode: a shared one, and what differs from it.
type row struct {
	*Episode
	repetition int
	durationMs float64
	callMs     []float64
	page       string
}

// ListOf returns a list of episodes, in the same order.
func ListOf(episodes ...Episode) Episodes {
	var l Episodes
	for i := range episodes {
		l.Add(episodes[i])
	}
	return l
}

// Add appends an episode. An empty name becomes the one that [record.EpisodeName] makes.
func (l *Episodes) Add(e Episode) { l.rows = append(l.rows, l.row(e)) }

// Set replaces an episode.
func (l *Episodes) Set(i int, e *Episode) { l.rows[i] = l.row(*e) }

func (l *Episodes) row(e Episode) row {
	own := row{repetition: e.Repetition, durationMs: e.DurationMs, page: e.Page}
	if len(e.Calls) > 0 {
		own.callMs = make([]float64, len(e.Calls))
	}
	if e.Name == record.EpisodeName(e.TaskID, e.Repetition) {
		e.Name = ""
	}
	e.Repetition, e.DurationMs, e.Page = 0, 0, ""
	e.Calls = slices.Clone(e.Calls)
	for i := range e.Calls {
		own.callMs[i], e.Calls[i].DurationMs = e.Calls[i].DurationMs, 0
	}
	own.Episode = l.share(&e)
	return own
}

// share returns an episode that is equal to e: the last one with its digest, or else e. Evidence with
// measurements, for example, differs between episodes with the same digest.
func (l *Episodes) share(e *Episode) *Episode {
	if last := l.shared[e.Digest]; last != nil && reflect.DeepEqual(last, e) {
		return last
	}
	if l.shared == nil {
		l.shared = map[string]*Episode{}
	}
	l.shared[e.Digest] = e
	return e
}

// Len is the number of episodes.
func (l Episodes) Len() int { return len(l.rows) }

// At returns a copy of an episode. What its pointers and slices lead to, except for Calls, is
// shared: do not change it.
func (l Episodes) At(i int) *Episode {
	own := &l.rows[i]
	e := *own.Episode
	e.Name = cmp.Or(e.Name, record.EpisodeName(e.TaskID, own.repetition))
	e.Repetition, e.DurationMs, e.Page = own.repetition, own.durationMs, own.page
	e.Calls = slices.Clone(e.Calls)
	for i, ms := range own.callMs {
		e.Calls[i].DurationMs = ms
	}
	return &e
}

// All yields a copy of each episode, in order, as At returns it.
func (l Episodes) All() iter.Seq2[int, *Episode] {
	return func(yield func(int, *Episode) bool) {
		for i := range l.rows {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

// Where returns the episodes for which keep is true.
func (l Episodes) Where(keep func(*Episode) bool) Episodes {
	var some Episodes
	for i, e := range l.All() {
		if keep(e) {
			some.rows = append(some.rows, l.rows[i])
		}
	}
	return some
}

// sort sorts the list by task, then by repetition.
func (l Episodes) sort() {
	slices.SortStableFunc(l.rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.TaskID, b.TaskID), cmp.Compare(a.repetition, b.repetition))
	})
}

// MarshalJSON writes a list, which is never null.
func (l Episodes) MarshalJSON() ([]byte, error) {
	all := make([]*Episode, 0, l.Len())
	for _, e := range l.All() {
		all = append(all, e)
	}
	return json.Marshal(all)
}
