package why_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
)

// The log has failures of OpenChrome 1.7.15 in which no answer was an error. The true cause of each was found
// by hand first, from the calls, the pages and the routes.
func TestFailures(t *testing.T) {
	r, err := report.FromFile(t.Context(), filepath.Join("testdata", "failures.jsonl"))
	need.OK(t, err)
	var b strings.Builder
	b.WriteString("# Causes\n\n")
	for _, c := range why.Causes(r.Episodes) {
		fmt.Fprintf(&b, "%d× %s, such as %s\n", len(c.Episodes), c.Group, c.Episodes[0].Name)
	}
	b.WriteString("\n# False successes and unreported side effects\n\n")
	untrue, _ := why.UntrueOf(r)
	for _, u := range untrue {
		fmt.Fprintf(&b, "%d of %d× %s: %s, such as %s\n", u.N, u.Of, u.Tool, u.Word, u.Episodes[0].Name)
	}
	for _, e := range r.Episodes.All() {
		c, because := why.WrongStep(e)
		fmt.Fprintf(&b, "\n# %s\n\n%s\nstep %d: %s\n", e.Name, why.Line(e), c.Step, because)
		for _, line := range why.Story(e) {
			fmt.Fprintf(&b, "  %-9s %s\n", line[0], line[1])
		}
	}
	golden := filepath.Join("testdata", "failures.golden")
	if *need.Update {
		need.Write(t, golden, b.String())
	}
	want := need.Read(t, golden)
	need.Equal(t, "", string(want), b.String())
}
