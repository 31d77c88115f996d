package report_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/compare"
)

func (s *script) trace(t *testing.T) *compare.Run {
	t.Helper()
	log, err := eventlog.Create(filepath.Join(t.TempDir(), "r.jsonl"))
	need.OK(t, err)
	for _, e := range s.events {
		need.OK(t, log.Append(e))
	}
	need.OK(t, log.Close())
	trace, err := compare.ReadRun(t.Context(), log.Name())
	need.OK(t, err)
	return trace
}

// The script verify.txt has differences of a step.
func TestDiff(t *testing.T) {
	a := run(t, "one", tabA).trace(t)
	traced := run(t, "two", tabB)
	for i := len(traced.events) - 1; i >= 0; i-- {
		if e := traced.events[i]; e.Body.Type() == record.TypeToolResult && e.By == record.ByAdapter {
			e.Body = &record.Trace{Step: e.Body.(*record.ToolResult).Step}
			traced.events = slices.Insert(traced.events, i+1, e)
		}
	}
	if d := compare.Diff(a, traced.trace(t)); d != nil {
		t.Fatalf("two runs that did the same differ: %s", d)
	}
	for want, change := range map[string]func(record.Event){ // the first difference begins so
		"the run, field /seed: 0 and 3": func(e record.Event) {
			switch b := e.Body.(type) {
			case *record.RunStart:
				b.Options.Seed = 3
			case *record.Reset:
				b.Task.Goal = "another"
			}
		},
		"the run, field /totals/lost: 1 and 5": func(e record.Event) {
			if s, ok := e.Body.(*record.RunStart); ok {
				s.Episodes = 7
			}
		},
	} {
		s := run(t, "two", tabA)
		for _, e := range s.events {
			change(e)
		}
		if got := fmt.Sprint(compare.Diff(a, s.trace(t))); !strings.HasPrefix(got, want) {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	longer := run(t, "two", tabA)
	end := &longer.events[len(longer.events)-2] // the stop of a#1
	added := record.Event{Seq: end.Seq, Episode: end.Episode, By: record.ByHarness, Body: &record.Progress{Step: 1}}
	end.Seq++
	longer.events = slices.Insert(longer.events, len(longer.events)-2, added)
	if d := compare.Diff(a, longer.trace(t)); d == nil || !strings.HasPrefix(d.String(), "a#1, ") {
		t.Errorf("one event more: %v", d)
	}
}

// Every field that differs has a line; lists are compared by index.
func TestDifferences(t *testing.T) {
	a := `{"a":{"b~/":1,"gone":null},"list":[1,{"x":"é"},3],"same":[{}],"type":{},"number":1.0}`
	b := `{"a":{"b~/":2},"list":[1,{"x":"e"}],"same":[{}],"type":[],"number":1.0,"new":{"y":[]}}`
	want := []string{
		`/a/b~0~1: 1 and 2`, `/a/gone: null and (absent)`, `/list/1/x: "é" and "e"`, `/list/2: 3 and (absent)`,
		`/new: (absent) and {"y":[]}`, `/type: {} and []`,
	}
	var got []string
	for d := range compare.Differences([]byte(a), []byte(b)) {
		got = append(got, d.Field+": "+d.A+" and "+d.B)
	}
	need.Equal(t, "", want, got)
	for range compare.Differences([]byte(`1`), []byte(`[]`)) {
		got = append(got, "root")
	}
	if d := compare.DiffJSON([]byte(`1`), []byte(`2`)); d == nil || d.Field != "/" || got[len(got)-1] != "root" {
		t.Errorf("the root: %v", d)
	}
}
