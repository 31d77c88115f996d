package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/record"
)

// endless is a line without an end.
type endless struct{ read int64 }

func (r *endless) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	r.read += int64(len(b))
	return len(b), nil
}

func TestReadBoundsALine(t *testing.T) {
	in := new(endless)
	_, err := record.Read(t.Context(), io.MultiReader(strings.NewReader("\n"), in), "r.jsonl", func(record.Event) error { return nil })
	if err == nil || err.Error() != "r.jsonl:2: the line has more than 64 MiB" {
		t.Errorf("got %v", err)
	}
	if in.read > record.MaxLine+1<<20 {
		t.Errorf("%d bytes were read", in.read)
	}
}

// Nothing is written that could not be read.
func TestAppendBoundsALine(t *testing.T) {
	log, err := record.Create(t.TempDir()+"/r.jsonl", false)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	raw, _ := json.Marshal(strings.Repeat("x", record.MaxLine))
	err = log.Append(record.Event{Episode: "t#1", Body: &record.ToolResult{Result: adapter.Result{Raw: raw}}})
	if err == nil || log.Size() != 0 {
		t.Errorf("%v; the log has %d bytes", err, log.Size())
	}
}

// A short value can take much memory.
func TestReadBoundsValues(t *testing.T) {
	many := strings.Repeat("{},", 1<<20)
	line := fmt.Sprintf(`{"seq":1,"type":"facts","episode":"t#1","facts":{"network":[%s{}]}}`+"\n", many)
	_, err := record.Read(t.Context(), strings.NewReader(line), "r.jsonl", func(record.Event) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), "r.jsonl:1: the event facts has more than ") {
		t.Errorf("got %v", err)
	}
}

func TestReadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := record.Read(ctx, endlessLines{}, "r.jsonl", func(record.Event) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// endlessLines is a log without an end.
type endlessLines struct{}

func (endlessLines) Read(b []byte) (int, error) {
	return copy(b, `{"seq":0,"type":"run_end"}`+"\n"), nil
}

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
	if err == nil || err.Error() != `stop of "a#1" has its page in "events/r/../../x", want "events/r/a-1"` {
		t.Errorf("page: got %v", err)
	}
}

// Whole and EachDone agree with Missing, for each shard.
func TestPlanned(t *testing.T) {
	for _, shard := range []string{"", "1/1", "1/3", "2/3", "3/3", "4/4", "5/5"} {
		s := start(0)
		s.Shard = shard
		var l record.Ledger
		if err := l.Add(record.Event{Body: s}); err != nil {
			t.Fatal(err)
		}
		n, done := 0, 0
		s.Each(func(p record.Planned, rep int) bool {
			if l.Whole() {
				t.Errorf("shard %q is whole with %d episodes done", shard, n)
			}
			n++
			for _, e := range []record.Event{reset(p.ID, rep, 0), stop(record.EpisodeName(p.ID, rep), record.Passed)} {
				if err := l.Add(e); err != nil {
					t.Fatal(err)
				}
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
