package report_test

import (
	"encoding/json"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

func TestRate(t *testing.T) {
	got := map[report.SuccessRate]string{}
	want := map[report.SuccessRate]string{
		{Low: 0, High: 0}:                       "0.0%",
		{Low: 1, High: 1}:                       "100.0%",
		{Low: 2. / 3, High: 2. / 3}:             "66.7%",
		{Low: 9999. / 10000, High: 0.9999}:      "99.9%",
		{Low: 1. / 10000, High: 1. / 10000}:     "0.1%",
		{Low: 4740. / 4741, High: 1}:            "99.9% to 100.0%",
		{Low: 0, High: 1. / 4741}:               "0.0% to 0.1%",
		{Low: 0.57, High: 0.58}:                 "57.0% to 58.0%",
		{Low: 1. / 3, High: 2. / 3}:             "33.3% to 66.7%",
		{Low: 0.9996, High: 0.9998}:             "99.9% to 99.9%",
		{Low: 0.0002, High: 0.9998}:             "0.1% to 99.9%",
		{Low: 4000. / 9001, High: 4001. / 9001}: "44.4% to 44.5%",
	}
	for rate := range want {
		got[rate] = report.Totals{Planned: 1, Finished: 1, SuccessRate: rate}.Rate()
	}
	need.Equal(t, "Rate", want, got)
	for want, totals := range map[string]report.Totals{
		"unknown: all 3 episodes are void":  {Planned: 3, Finished: 3, Counts: report.Counts{Void: 3}, SuccessRate: report.SuccessRate{High: 1}},
		"unknown: the only episode is void": {Planned: 1, Finished: 1, Counts: report.Counts{Void: 1}, SuccessRate: report.SuccessRate{High: 1}},
	} {
		need.Is(t, "", want, totals.Rate())
	}
	need.Is(t, "the rate of nothing", "none", (report.Totals{}).Rate())
}

// Each condition of a known defect is needed. The episode, its task, its family and the totals count it.
func TestKnownDefect(t *testing.T) {
	for _, tt := range []struct {
		name, transcript string
		stop             record.Stop
		known            int
	}{
		{"known defect", "sha256:x", record.Stop{End: record.EndUnsupported, Status: record.Failed}, 1},
		{"after a call", "sha256:x", record.Stop{End: record.EndUnsupported, Status: record.Failed, Steps: 1}, 0},
		{"an adapter without a transcript", "", record.Stop{End: record.EndUnsupported, Status: record.Failed}, 0},
		{"it gave up, with a file of its own", "sha256:x", record.Stop{End: record.EndGaveUp, Status: record.Failed}, 0},
		{"the environment failed", "sha256:x", record.Stop{End: record.EndUnsupported, Status: record.Inconclusive}, 0},
	} {
		s := newScript("r", 1)
		s.add("a#1", "", &record.Reset{Task: record.Task{ID: "a", Tags: []string{"forms"}, Transcript: tt.transcript}, Repetition: 1})
		tt.stop.Success = json.RawMessage(success)
		s.add("a#1", "", &tt.stop)
		r := s.report(t)
		got := []int{r.Totals.Families[0].KnownDefects, r.Figures.Tasks[0].KnownDefects, r.Totals.KnownDefects}
		need.Equal(t, tt.name, []int{tt.known, tt.known, tt.known}, got)
		need.Is(t, tt.name, tt.known == 1, r.Episodes.At(0).KnownDefect)
	}
}

// Families stand in the order of the suite's page, and categories after them.
func TestFamilies(t *testing.T) {
	s := newScript("r", 1)
	for id, task := range map[string]record.Task{
		"a": {Tags: []string{"peers", "shop"}, Category: "form_fill"}, "b": {Category: "recovery"}, "c": {Tags: []string{"forms"}, Category: "x"}, "d": {Tags: []string{"x"}, Category: "dynamic_ui"},
	} {
		task.ID = id
		s.add(id+"#1", "", &record.Reset{Task: task, Repetition: 1})
		s.call(id+"#1", 1, "find", `{}`, "answer", false)
		s.judge(t, id+"#1", "Another")
		s.add(id+"#1", "", &record.Stop{Status: record.Failed, End: record.EndDone, Steps: 1, Success: json.RawMessage(success)})
	}
	s.end()
	var got []string
	for _, f := range s.report(t).Totals.Families {
		got = append(got, f.Family)
	}
	need.Equal(t, "families", []string{"forms", "shop", "dynamic_ui", "recovery"}, got)
}

func TestVerdict(t *testing.T) {
	for want, totals := range map[string]report.Totals{
		"PASSED: 2 passed, 0 failed, 0 void of 2":                                                {Planned: 2, Finished: 2, Counts: report.Counts{Passed: 2}},
		"FAILED: 1 passed, 1 failed, 1 void of 3":                                                {Planned: 3, Finished: 3, Counts: report.Counts{Passed: 1, Failed: 1, Void: 1}},
		"PASSED: 60 passed, 3 known defects of 63":                                               {Planned: 63, Finished: 63, Counts: report.Counts{Passed: 60, Failed: 3, KnownDefects: 3}},
		"FAILED: 58 passed, 5 failed (3 known defects), 0 void of 63":                            {Planned: 63, Finished: 63, Counts: report.Counts{Passed: 58, Failed: 5, KnownDefects: 3}},
		"VOID: 1 passed, 1 failed (1 known defect), 1 void of 3":                                 {Planned: 3, Finished: 3, Counts: report.Counts{Passed: 1, Failed: 1, KnownDefects: 1, Void: 1}},
		"VOID: 1 passed, 0 failed, 1 void of 2":                                                  {Planned: 2, Finished: 2, Counts: report.Counts{Passed: 1, Void: 1}},
		"NOT FINISHED: 1 passed, 1 failed, 1 void of 3, 1 interrupted, 0 not run":                {Planned: 3, Finished: 3, Counts: report.Counts{Passed: 1, Failed: 1, Void: 1}, Interrupted: 1},
		"NOT FINISHED: 1 passed, 0 failed, 0 void of 300, 0 interrupted, 2 cut off, 297 not run": {Planned: 300, Finished: 1, Counts: report.Counts{Passed: 1}, CutOff: 2},
		"NOT FINISHED: 1 passed, 0 failed, 0 void of 300, 0 interrupted, 299 not run":            {Planned: 300, Finished: 1, Counts: report.Counts{Passed: 1}},
	} {
		need.Is(t, "", want, totals.Verdict())
	}
}
