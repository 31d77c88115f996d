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
		{"shard", func(s *record.RunStart) { s.Shard = "3/2" }, `run_start: shard is "3/2", want `},
		{"a task twice", func(s *record.RunStart) { s.Plan[1].ID = "a" }, `run_start: task "a" is twice`},
		{"no log of this format", func(s *record.RunStart) { s.SchemaVersion = 1 }, "the log has format 1, and this program reads format 3: "},
		{"repetitions", func(s *record.RunStart) { s.Options.Repetitions = 1 << 60 }, "run_start: repetitions is 1152921504606846976, "},
		{"less than one", func(s *record.RunStart) { s.Options.Repetitions = -1 }, "run_start: repetitions is -1, "},
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
