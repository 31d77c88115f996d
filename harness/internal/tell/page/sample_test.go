package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why/word"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// standins returns the report of n episodes of the stand-in: the committed ones, again and
// again, with other durations.
func standins(t testing.TB, n int) *report.Report {
	t.Helper()
	r, err := report.FromFile(t.Context(), filepath.Join("..", "..", "..", "..", "events", "mock-standin.jsonl"))
	need.OK(t, err)
	base := r.Episodes
	r.Episodes = report.Episodes{}
	for _, e := range base.All() {
		for repetition := 1; repetition <= (n+base.Len()-1)/base.Len() && r.Episodes.Len() < n; repetition++ {
			again := *e
			again.Repetition, again.Name = repetition, fmt.Sprintf("%s#%d", e.TaskID, repetition)
			again.Calls = append([]report.Call(nil), e.Calls...)
			again.DurationMs = 0
			for j := range again.Calls {
				again.Calls[j].DurationMs = 0.2 + float64((repetition*7919+j*104729)%9973)/1000
				again.DurationMs += again.Calls[j].DurationMs
			}
			r.Episodes.Add(again)
		}
	}
	r.Totals.Planned, r.Totals.Finished, r.Totals.Passed = n, n, n
	return r
}

// mixed is a report with two failed episodes of one cause, a void one with changed answer, and two
// that passed.
func mixed(t testing.TB) *report.Report {
	t.Helper()
	r := standins(t, 6)
	for _, i := range []int{2, 3} {
		e := r.Episodes.At(i)
		const observed = "0 of 2 requests"
		tree := judge.Node{Kind: "and", Path: "$", Verdict: judge.Fail, Expected: "all hold", Children: []judge.Node{*e.Tree, *e.Tree}}
		tree.Children[0].Path, tree.Children[1].Path = "$.children.0", "$.children.1"
		wanted := tree.Children[0].Expected
		tree.Children[0].Verdict, tree.Children[0].Observed = judge.Fail, observed
		tree.Children[0].Words = "no request matched (2 seen), wanted " + wanted
		for i := range tree.Children[1:] {
			tree.Children[i+1].Verdict, tree.Children[i+1].Observed = judge.NotReached, ""
		}
		e.Tree, e.Explanation = &tree, &tree
		e.Status, e.Success, e.Cause, e.Reason = record.Failed, false, record.CauseContract, "want: "+wanted+"; got: "+observed
		e.FailedContract = &judge.FailedContract{Kind: "network", Path: "$.children.0", Verdict: judge.Fail, Expected: wanted, Observed: observed}
		r.Episodes.Set(i, e)
	}
	stall := r.Episodes.At(4)
	stall.Status, stall.Success, stall.Cause, stall.Reason = record.AdapterError, false, record.CauseAdapter, "no such tab"
	stall.ChangedAnswers = []report.ChangedAnswer{{Step: 1, Tool: stall.Calls[1].Tool, Drift: adapter.Drift{Expected: `text with "shipped"`, At: "transcript.jsonl:1"}, Actual: `"sent"`}}
	r.Episodes.Set(4, stall)
	r.Totals = report.Totals{Planned: 6, Finished: 6, Counts: report.Counts{Passed: 3, Failed: 2, Void: 1}, SuccessRate: report.SuccessRate{Low: 0.5, High: 4.0 / 6}, ChangedAnswers: 1}
	r.Totals.Families = []report.FamilyTotals{{Family: "navigation", Counts: report.Counts{Passed: 2}}, {Family: "forms", Counts: report.Counts{Failed: 2}}}
	r.Figures.Tasks[1].Passed, r.Figures.Tasks[1].Failed = 0, 2
	return r
}

// write writes the page of a report below a new folder.
func write(t testing.TB, r *report.Report, out string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "r.html")
	f, err := os.Create(name)
	need.OK(t, err)
	need.OK(t, page.RunHTML(f, r, out))
	need.OK(t, f.Close())
	return name
}

// told adds to an episode of a report all that a trace and the fixture web say of a failure; text is in every one of
// these texts.
func told(r *report.Report, i int, text string) {
	e := r.Episodes.At(i)
	field := record.Element{Role: "radio", Name: text, Field: text, Value: text, Place: text}
	e.Status, e.Success, e.Cause, e.WrongSideEffects = record.Failed, false, record.CauseContract, []string{text}
	e.Tree = &judge.Node{Kind: "network", Path: "$", Verdict: judge.Fail, Expected: text, Words: text}
	c := &e.Calls[len(e.Calls)-1]
	e.Missed = []record.Missed{{
		End: text, Kind: record.MissedValue, Wanted: text, Sent: text, Step: c.Step, Wrong: text, Early: text,
		Unmet: []record.Unmet{{Of: "field", Name: text, Wanted: text, Got: text}, {Of: text, Name: text, Wanted: text, Absent: true}},
	}}
	c.Parts = []record.Part{
		{Asked: text, Value: text, Word: record.OtherElement, Did: text, Hit: &field, Untrue: true}, {Asked: text, Word: record.AsAsked}, {Asked: text, Word: record.NotKnown},
	}
	c.Requests = []record.Request{{Method: text, URL: text, Status: 303, Body: text}}
	c.Trace = &word.Got{
		Heard:   []string{fmt.Sprintf("click by a script: radio %s in %s: %s", display.QuoteTo(text, 60), display.QuoteTo(text, 40), text)},
		Changed: []record.Field{{Element: field, Was: text}}, Lost: []string{text},
	}
	r.Episodes.Set(i, e)
}
