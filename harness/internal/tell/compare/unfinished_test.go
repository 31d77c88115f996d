package compare_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// sideOf is a side of bench:parity that was stopped after some of its episodes. The last one of
// them was interrupted.
func sideOf(run string, ended int) *report.Report {
	r := steady(10)
	r.RunID, r.Parity, r.Ending = run, record.Parity{Run: "p", Servers: 2}, record.EndingInterrupted
	r.Totals.Planned = r.Episodes.Len()
	n := 0
	r.Episodes = r.Episodes.Where(func(*report.Episode) bool { n++; return n <= ended })
	edit(r, ended-1, func(e *report.Episode) { e.Status = record.Interrupted })
	return r
}

// Of a comparison that was stopped the pairs count that are done on both sides. No rule is kept.
func TestUnfinished(t *testing.T) {
	base, head := sideOf("p-1", 9), sideOf("p-2", 8)
	for i := range 7 {
		edit(head, i, func(e *report.Episode) { e.Status = record.Failed })
	}
	c := inTurns(t, base, head)
	const want = "7 of 20 pairs are done; run the same bench:parity command with -resume=p"
	if c.Unfinished != want || c.Pairs != 7 || len(c.Tasks) != 1 || c.Base.Void+c.Head.Void > 0 || c.Finding != compare.Worse {
		t.Errorf("unfinished %q, %d pairs of %d tasks, %s", c.Unfinished, c.Pairs, len(c.Tasks), c.Sentence)
	}
	result := judged(t, "regressions==0,changed-answers==0", c)
	if len(result.Breached) != 1 || result.Kept != nil || len(result.Unknown) != 1 || result.Unknown[0].String() != "changed-answers==0: "+want {
		t.Errorf("the gate: %+v", result)
	}
	var html bytes.Buffer
	need.OK(t, page.HTML(&html, page.Compared(c, result, "")))
	for _, want := range []string{"<title>NOT FINISHED: ", "NOT FINISHED</span>: 7 of 20 pairs"} {
		need.Has(t, html.String(), want)
	}
}

// Only sides of one call are compared before they have finished.
func TestUnfinishedRefusal(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(head *report.Report)
	}{
		{"another call", func(r *report.Report) { r.Parity.Run = "q" }},
		{"a call with other servers", func(r *report.Report) { r.Parity.Servers = 3 }},
		{"no call", func(r *report.Report) { r.Parity = record.Parity{} }},
		{"the same side, of another folder", func(r *report.Report) { r.RunID = "p-1" }},
	} {
		head := sideOf("p-2", 8)
		test.change(head)
		_, err := compare.Compare(sideOf("p-1", 8), head, compare.Options{})
		need.Fails(t, err, "the base is not whole: the run was interrupted")
	}
}

// What is done by all sides is done, also of three, and also if that is nothing.
func TestDone(t *testing.T) {
	for want, ended := range map[int][]int{3: {5, 4, 4}, 0: {2, 1, 1}} { // by side; the last one was interrupted
		var sides []*report.Report
		for i, n := range ended {
			sides = append(sides, sideOf(fmt.Sprint("p-", i+1), n))
		}
		done, unfinished := compare.Done(sides...)
		for _, side := range done {
			need.Is(t, unfinished, want, side.Episodes.Len())
		}
		need.Is(t, "pairs", want, inTurns(t, done[0], done[1]).Pairs)
	}
}
