package report_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
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

func TestDiff(t *testing.T) {
	a := run(t, "one", tabA).trace(t)
	if d := compare.Diff(a, run(t, "two", tabB).trace(t)); d != nil {
		t.Fatalf("two runs that did the same differ: %s", d)
	}
	traced := run(t, "two", tabB)
	for i := len(traced.events) - 1; i >= 0; i-- {
		if e := traced.events[i]; e.Body.Type() == record.TypeToolResult && e.By == record.ByAdapter {
			e.Body = &record.Trace{Step: e.Body.(*record.ToolResult).Step}
			traced.events = slices.Insert(traced.events, i+1, e)
		}
	}
	if d := compare.Diff(a, traced.trace(t)); d != nil {
		t.Fatalf("traces are compared: %s", d)
	}
	tests := []struct {
		name   string
		change func(*script)
		want   string // a part of the difference
	}{
		{
			name: "a tool's answer",
			change: func(s *script) {
				for _, e := range s.events {
					if r, ok := e.Body.(*record.ToolResult); ok && e.Episode == "a#1" && r.Step == 1 {
						r.Result = adapter.NewResult([]byte(`{"content":[{"type":"text","text":"[page_stats]\n  [7]<h1/>Yes"}]}`))
					}
				}
			},
			want: `a#1, step 1 tool_result, field /body/answer/texts/0: "[page_stats]\n  [node]`,
		},
		{
			name: "an argument",
			change: func(s *script) {
				for _, e := range s.events {
					if c, ok := e.Body.(*record.ToolCall); ok && e.Episode == "b#1" && c.Step == 1 {
						c.Args = []byte(`{"tabId":"other"}`)
					}
				}
			},
			want: `b#1, step 1 tool_call, field /body/args/tabId: "TAB1" and "other"`,
		},
		{
			name: "one event more",
			change: func(s *script) {
				for i, e := range s.events {
					if _, ok := e.Body.(*record.Progress); ok && e.Episode == "a#1" {
						s.events = slices.Insert(s.events, i, e)
						for j := i + 1; j < len(s.events); j++ {
							if s.events[j].Episode == "a#1" {
								s.events[j].Seq++
							}
						}
						break
					}
				}
			},
			want: "a#1, ",
		},
		{
			name: "the seed",
			change: func(s *script) {
				s.events[0].Body.(*record.RunStart).Options.Seed = 3
				s.events[1].Body.(*record.Reset).Task.Goal = "another"
			},
			want: "the run, field /seed: 0 and 3",
		},
		{
			name:   "the revision of a task",
			change: func(s *script) { s.events[1].Body.(*record.Reset).Task.Revision = 2 },
			want:   `b#1, reset, field /body/task/revision: (absent) and 2`,
		},
		{
			name:   "the server",
			change: func(s *script) { s.events[1].Body.(*record.Reset).Server.Version = "2" },
			want:   `b#1, reset, field /body/server/version: "1" and "2"`,
		},
		{
			name:   "who read the facts",
			change: func(s *script) { s.events[1].Body.(*record.Reset).Server.Facts = record.FactsObserver },
			want:   `b#1, reset, field /body/server/facts: "" and "observer"`,
		},
		{
			name: "the end of the server",
			change: func(s *script) {
				s.events[len(s.events)-2].Body.(*record.Stop).ServerEnded = "OpenChrome ended: exit status 3"
			},
			want: `a#1, stop, field /body/serverEnded: (absent) and "OpenChrome ended: exit status 3"`,
		},
		{
			name:   "the number of episodes",
			change: func(s *script) { s.events[0].Body.(*record.RunStart).Episodes = 7 },
			want:   "the run, field /totals/lost: 1 and 5",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := run(t, "two", tabA)
			test.change(s)
			d := compare.Diff(a, s.trace(t))
			if d == nil {
				t.Fatal("no difference")
			}
			need.Has(t, d.String(), test.want)
		})
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
