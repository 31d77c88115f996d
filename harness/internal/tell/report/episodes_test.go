package report_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// repetition is an episode that is equal to the others, but for what is its own.
func repetition(n int) report.Episode {
	return report.Episode{
		Name: fmt.Sprintf("a#%d", n), TaskID: "a", Repetition: n, Title: "A", Status: record.Passed, Digest: "sha256:1", DurationMs: float64(n),
		Calls: []report.Call{{Tool: "navigate", DurationMs: float64(n) / 3, Args: "{}", Answer: "ok"}, {Step: 1, Tool: "interact", DurationMs: 2}},
		Tree:  &judge.Node{Kind: "network"},
	}
}

// A list gives back what was put in, whatever episodes share.
func TestEpisodes(t *testing.T) {
	failed := repetition(2)
	failed.Status, failed.Page = record.Failed, "events/r/a-2"
	measured := repetition(3) // with the digest of the first
	measured.Evidence = []byte(`{"assertion_kind":"performance","actual":7}`)
	odd := repetition(4)
	odd.Name, odd.Calls = "a name of its own", nil
	want := []report.Episode{repetition(1), failed, measured, odd, repetition(5)}
	for n := 6; n < 20; n++ { // more variants of one digest than are compared
		e := repetition(n)
		e.FinalURL = fmt.Sprint("https://a.test/", n%11)
		want = append(want, e)
	}
	list := report.ListOf(want...)
	read := func(l report.Episodes) (all []report.Episode) {
		for i, e := range l.All() {
			if i != len(all) {
				t.Fatalf("place %d, want %d", i, len(all))
			}
			all = append(all, *e)
		}
		return all
	}
	need.Equal(t, "", want, read(list))
	e := list.At(4)
	e.Calls[0].Tool, e.Reason = "click", "why"
	need.Equal(t, "a change of a copy changes the list", want[4], *list.At(4))
	list.Set(4, e)
	want[4] = *e
	need.Equal(t, "after Set", want, read(list))
	some := list.Where(func(e *report.Episode) bool { return e.Repetition > 15 })
	need.Equal(t, "Where", want[15:], read(some))
}

// A run can have 100,000 episodes, and may take 16 MB for them.
func TestEpisodesAreSmall(t *testing.T) {
	heap := func() int { // the least of several readings, because other goroutines use memory for a moment
		least := math.MaxInt
		for range 3 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			least = min(least, int(m.HeapAlloc))
		}
		return least
	}
	const n = 50_000
	before := heap()
	var list report.Episodes
	for i := range n {
		list.Add(repetition(i + 1))
	}
	if each := (heap() - before) / n; each > 160 {
		t.Errorf("an episode takes %d bytes, want at most 160", each)
	}
	runtime.KeepAlive(&list)
}
