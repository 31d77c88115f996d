package report_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
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
		{"episodes twice", func(r object) { r["episodes"] = append(r["episodes"].([]any), r["episodes"].([]any)...) }, "totals: finished is 4, but there are 8 episodes"},
		{"an episode less", func(r object) { r["episodes"] = r["episodes"].([]any)[:1] }, "totals: finished is 4, but there are 3 episodes"},
		{"unknown status", func(r object) { first(r)["status"] = "Passed" }, `there is no status "Passed"`},
		{"a task twice", func(r object) { r["tasks"] = append(r["tasks"].([]any), r["tasks"].([]any)...) }, "occurs twice"},
		{"a policy in the id alone", func(r object) { r["tasks"].([]any)[0].(object)["id"] = "a@form" }, `tasks: task is "a@form"`},
		{"another policy", func(r object) { first(r)["policy"] = "form" }, "tasks has its task with another policy"},
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
