package compare_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	var markdown, html bytes.Buffer
	need.OK(t, page.Markdown(&markdown, page.Compared(c, result, "")))
	need.OK(t, page.HTML(&html, page.Compared(c, result, "")))
	if at, first := strings.Index(markdown.String(), "**NOT FINISHED: 7 of 20 pairs"), strings.Index(markdown.String(), "**worse: "); at < 0 || at > first {
		t.Errorf("markdown:\n%s", &markdown)
	}
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
		t.Run(test.name, func(t *testing.T) {
			head := sideOf("p-2", 8)
			test.change(head)
			_, err := compare.Compare(sideOf("p-1", 8), head, compare.Options{})
			need.Fails(t, err, "the base is not whole: the run was interrupted")
		})
	}
}

// What is done by all sides is done, also of three, and also if that is nothing.
func TestDone(t *testing.T) {
	for _, test := range []struct {
		ended []int // by side; the last one was interrupted
		want  int
	}{{[]int{5, 4, 4}, 3}, {[]int{5, 5, 4}, 3}, {[]int{2, 1, 1}, 0}} {
		var sides []*report.Report
		for i, ended := range test.ended {
			sides = append(sides, sideOf("p-"+string(rune('1'+i)), ended))
		}
		done, unfinished := compare.Done(sides...)
		var got []int
		for _, side := range done {
			got = append(got, side.Episodes.Len())
		}
		if diff := cmp.Diff(slices.Repeat([]int{test.want}, 3), got); diff != "" || unfinished == "" {
			t.Errorf("of %v (-want +got), %q:\n%s", test.ended, unfinished, diff)
		}
		c, err := compare.Compare(done[0], done[1], compare.Options{Interleaved: true})
		if err != nil || c.Pairs != test.want {
			t.Errorf("of %v: %+v, %v", test.ended, c, err)
		}
	}
}
