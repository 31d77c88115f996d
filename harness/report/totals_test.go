package report_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/report"
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
		{Low: 4000. / 9001, High: 4001. / 9001}: "44.4% to 44.5%",
	}
	for rate := range want {
		got[rate] = report.Totals{Finished: 1, SuccessRate: rate}.Rate()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Rate mismatch (-want +got):\n%s", diff)
	}
	for want, totals := range map[string]report.Totals{
		"unknown: all 3 episodes are void":  {Planned: 3, Finished: 3, Void: 3, SuccessRate: report.SuccessRate{High: 1}},
		"unknown: the only episode is void": {Planned: 1, Finished: 1, Void: 1, SuccessRate: report.SuccessRate{High: 1}},
	} {
		if got := totals.Rate(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := (report.Totals{}).Rate(); got != "none" {
		t.Errorf("the rate of nothing is %q", got)
	}
}

func TestVerdict(t *testing.T) {
	for want, totals := range map[string]report.Totals{
		"PASSED: 2 passed, 0 failed, 0 void of 2":                                                {Planned: 2, Finished: 2, Passed: 2},
		"FAILED: 1 passed, 1 failed, 1 void of 3":                                                {Planned: 3, Finished: 3, Passed: 1, Failed: 1, Void: 1},
		"VOID: 1 passed, 0 failed, 1 void of 2":                                                  {Planned: 2, Finished: 2, Passed: 1, Void: 1},
		"NOT FINISHED: 1 passed, 1 failed, 1 void of 3, 1 interrupted, 0 not run":                {Planned: 3, Finished: 3, Passed: 1, Failed: 1, Void: 1, Interrupted: 1},
		"NOT FINISHED: 1 passed, 0 failed, 0 void of 300, 0 interrupted, 2 cut off, 297 not run": {Planned: 300, Finished: 1, Passed: 1, CutOff: 2},
		"NOT FINISHED: 1 passed, 0 failed, 0 void of 300, 0 interrupted, 299 not run":            {Planned: 300, Finished: 1, Passed: 1},
	} {
		if got := totals.Verdict(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
