package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// A file that contradicts itself could make a comparison show no difference, or keep a
// gate, and a small one could take all memory.
func TestReadRefusesContradictions(t *testing.T) {
	var b bytes.Buffer
	need.OK(t, report.Canonical(&b, repeated(t).report(t)))
	type object = map[string]any
	first := func(r object) object { return r["episodes"].([]any)[0].(object) }
	for _, test := range []struct {
		name   string
		change func(r object)
		want   string
	}{
		{"as it was", func(object) {}, ""},
		{"no tasks", func(r object) { r["tasks"] = []any{} }, `episode "a", repetition 1: its task is not in tasks`},
		{"a task twice", func(r object) { r["tasks"] = append(r["tasks"].([]any), r["tasks"].([]any)...) }, `task "a" occurs twice`},
		{"episodes twice", func(r object) { r["episodes"] = append(r["episodes"].([]any), r["episodes"].([]any)...) }, `episode "a", repetition 1 occurs twice`},
		{"an episode less", func(r object) { r["episodes"] = r["episodes"].([]any)[:1] }, "totals: finished is 4, but there are 3 episodes"},
		{"unknown status", func(r object) { first(r)["status"] = "Passed" }, `there is no status "Passed"`},
		{"another policy", func(r object) { first(r)["policy"] = "form" }, "tasks has its task with another policy"},
		{"negative", func(r object) { first(r)["steps"] = -1 }, "a number is too low"},
		{"repetition 0", func(r object) { delete(first(r), "repetitions") }, "a number is too low"},
		{"millions", func(r object) {
			first(r)["repetitions"] = "1-100000"
			for range 5 {
				r["episodes"] = append(r["episodes"].([]any), r["episodes"].([]any)...)
			}
		}, "up to here there are too many repetitions for a canonical report; use the event log"},
		{"many calls of many repetitions", func(r object) {
			first(r)["repetitions"], first(r)["calls"] = "1-100000", make([]object, 5000)
		}, "up to here there are too many repetitions for a canonical report; use the event log"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := object{}
			need.OK(t, json.Unmarshal(b.Bytes(), &r))
			test.change(r)
			raw, err := json.Marshal(r)
			need.OK(t, err)
			name := filepath.Join(t.TempDir(), "c.json")
			need.Write(t, name, raw)
			_, err = report.Read(name)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// A log whose episodes of a task had different tasks or contracts must not be compared as
// if all had the last one.
func TestFoldRefusesContradictions(t *testing.T) {
	stops := 0
	for _, test := range []struct {
		name   string
		change func(b record.Body) record.Body
		want   string
	}{
		{"as it was", func(b record.Body) record.Body { return b }, ""},
		{"another repetition", func(b record.Body) record.Body {
			if r, ok := b.(*record.Reset); ok {
				r.Repetition = 1
			}
			return b
		}, `reset of "a#2" belongs to "a#1"`},
		{"another step cap", func(b record.Body) record.Body {
			if r, ok := b.(*record.Reset); ok && r.Repetition == 2 {
				r.Task.MaxSteps++
			}
			return b
		}, `reset of "a#2" defines task "a" in another way`},
		{"an endless duration", func(b record.Body) record.Body {
			if s, ok := b.(*record.Stop); ok {
				s.DurationMs = 1e308
			}
			return b
		}, `stop of "a#1" has a duration of 1e+308 ms`},
		{"another contract", func(b record.Body) record.Body {
			if s, ok := b.(*record.Stop); ok {
				c := *s
				c.Success = append(bytes.Repeat([]byte(" "), stops), s.Success...)
				stops++
				return &c
			}
			return b
		}, `stop of "a#2" has a different contract for task "a"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var f report.Fold
			var err error
			for _, e := range repeated(t).events {
				e.Body = test.change(e.Body)
				if err = f.Add(e); err != nil {
					break
				}
			}
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}
