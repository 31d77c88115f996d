package record_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// A log does not choose the names of files, nor how long it is looked at.
func TestLedgerRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*record.RunStart)
		err    string
	}{
		{"run", func(s *record.RunStart) { s.RunID = ".." }, `run_start: run is "..", want `},
		{"device", func(s *record.RunStart) { s.RunID = "Nul" }, `run_start: run is "Nul", want `},
		{"task", func(s *record.RunStart) { s.Plan[0].ID = "../a" }, `run_start: task is "../a", want `},
		{"task with a separator of Windows", func(s *record.RunStart) { s.Plan[0].ID = `a\b` }, `run_start: task is "a\\b", want `},
		{"episodes", func(s *record.RunStart) {
			s.Options.Repetitions = record.MaxRepetitions
			for n := range 10 {
				s.Plan = append(s.Plan, record.Planned{ID: fmt.Sprint("t", n)})
			}
		}, "run_start: 12 tasks with 100000 repetitions are more than 1000000 episodes"},
	} {
		s := start(0)
		tt.change(s)
		var l record.Ledger
		if err := l.Add(record.Event{Body: s}); err == nil || !strings.HasPrefix(err.Error(), tt.err) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.err)
		}
	}
	var l record.Ledger
	page := record.Event{Episode: "a#1", Body: &record.Stop{Status: record.Failed, Page: "events/r/../../x"}}
	var err error
	for _, e := range []record.Event{{Body: start(0)}, reset("a", 1, 0), page} {
		err = l.Add(e)
	}
	need.Is(t, "page", `stop of "a#1" has its page in "events/r/../../x", want "events/r/a-1"`, fmt.Sprint(err))
}

// Whole and EachDone agree with Missing, for each shard.
func TestPlanned(t *testing.T) {
	for _, shard := range []string{"", "1/1", "1/3", "2/3", "3/3", "4/4", "5/5"} {
		s := start(0)
		s.Shard = shard
		var l record.Ledger
		need.OK(t, l.Add(record.Event{Body: s}))
		n, done := 0, 0
		s.Each(func(p record.Planned, rep int) bool {
			if l.Whole() {
				t.Errorf("shard %q is whole with %d episodes done", shard, n)
			}
			n++
			for _, e := range []record.Event{reset(p.ID, rep, 0), stop(record.EpisodeName(p.ID, rep), record.Passed)} {
				need.OK(t, l.Add(e))
			}
			return true
		})
		l.EachDone(func(name string) {
			if !l.Done(name) {
				t.Errorf("%s is not done", name)
			}
			done++
		})
		if planned, err := s.Planned(); err != nil || planned != n || done != n || !l.Whole() {
			t.Errorf("shard %q: %d planned, %v, %d done, whole %t; want %d", shard, planned, err, done, l.Whole(), n)
		}
	}
}
