package compare_test

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// A suite has the mean over tasks of the mean over policies. A task separates two servers only under one policy.
func TestSuites(t *testing.T) {
	const p, f, v = record.Passed, record.Failed, record.Inconclusive
	run := func(name string, form, check map[string][]record.Status) *report.Report {
		r := &report.Report{Server: &record.Server{Name: name}}
		tags := map[string][]string{"core": {"core"}, "own": {"reported", "microsoft/playwright-mcp#7"},
			"other": {"reported", "browser-use/browser-use#7"}, "fixed": {"fixed"}, "mixed": {"core"}}
		for policy, tasks := range map[string]map[string][]record.Status{"form": form, "form+check": check} {
			for task, all := range tasks {
				for i, s := range all {
					r.Episodes.Add(report.Episode{TaskID: record.PolicyID(task, policy), Repetition: i + 1, Status: s, Tags: tags[task],
						Under: record.Under{Of: task, Policy: policy}})
				}
			}
		}
		return r
	}
	is := func(all ...record.Status) []record.Status { return all }
	all := map[string][]record.Status{"core": is(p), "own": is(p), "other": is(p), "fixed": is(p), "mixed": is(p, p)}
	less := map[string][]record.Status{"core": is(f), "own": is(p), "other": is(f), "fixed": is(v), "mixed": is(p, f)}
	table, lines := compare.Suites([]string{"A", "B"}, run("Playwright", all, all), run("s", less, all))
	need.Equal(t, "table", [][]string{
		{"A", "100.0 % of 2 tasks", "100.0 % of 1 task", "100.0 % of 1 task", "100.0 % of 1 task"},
		{"B", "62.5 % of 2 tasks", "–", "75.0 % of 2 tasks", "100.0 % of 1 task"},
	}, table.Rows)
	need.Equal(t, "lines", []string{
		"form: every server passes 1 of 5 tasks, so they separate no servers",
		"form+check: every server passes 5 of 5 tasks, so they separate no servers",
		"tasks that separate A and B: 2", "tasks that separate some server or policy from another: 2 of 5",
	}, lines)
	// The same server under two policies: form fails two tasks that form+check passes. A policy may be missing.
	_, lines = compare.Suites([]string{"B", "C"}, run("s", nil, all), run("s", less, all))
	need.Is(t, "of one server", "tasks that separate some server or policy from another: 2 of 5", lines[len(lines)-1])
	need.Is(t, "pair", "tasks that separate B and C: 0", lines[len(lines)-2])
}
