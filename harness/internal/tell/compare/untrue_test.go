package compare_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// What got better or worse of the false successes, by tool and word.
func TestUntrue(t *testing.T) {
	run := func(first, others record.Word) *report.Report {
		r := steady(2) // of two tasks
		for i := range r.Episodes.Len() {
			edit(r, i, func(e *report.Episode) {
				word := others
				if i == 0 {
					word = first
				}
				if word != "" {
					e.Calls[1].Parts = []record.Part{{Word: word, Untrue: word != record.AsAsked}}
				}
			})
		}
		return r
	}
	for _, tt := range []struct {
		name       string
		base, head *report.Report
		rows       []string
		note       string
	}{
		{"worse, and one gone", run(record.Nothing, record.AsAsked), run(record.AsAsked, record.OtherValue), []string{
			"fill_form|false success: other value|0 of 4 answers|3 of 4 answers|worse|task-000#2, step 1", "fill_form|false success: nothing|1 of 4 answers|0 of 4 answers|better|task-000#1, step 1",
		}, ""},
		{"the same", run(record.Nothing, record.Nothing), run(record.Nothing, record.Nothing), []string{"fill_form|false success: nothing|4 of 4 answers|4 of 4 answers|same|task-000#1, step 1"}, ""},
		{"none", run(record.AsAsked, record.AsAsked), run(record.AsAsked, ""), nil, "neither side has a false success or an unreported side effect, as far as the traces show"},
		{"no traces", run("", ""), run(record.Nothing, ""), nil, "false successes are not compared: the base has no traces"},
		{"no traces at all", run("", ""), run("", ""), nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := compare.Compare(tt.base, tt.head, compare.Options{})
			need.OK(t, err)
			_, cells := c.UntrueTable()
			var rows []string
			for _, row := range cells {
				rows = append(rows, strings.Join(row, "|"))
			}
			need.Equal(t, "", tt.rows, rows)
			remarks := c.Remarks()
			if i := slices.IndexFunc(remarks, func(s string) bool { return strings.Contains(s, "false success") }); i < 0 != (tt.note == "") || i >= 0 && remarks[i] != tt.note {
				t.Errorf("remarks %q, want %q", remarks, tt.note)
			}
		})
	}
}
