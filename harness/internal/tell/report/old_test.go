package report_test

import (
	"os"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// The log and the canonical report of a run that acea89f made with -path=usual can be read, although
// they have fields that are gone.
func TestReadTheUsualPath(t *testing.T) {
	for name, gone := range map[string]string{
		"testdata/usual-path.jsonl":          `"expectedFirstTool":"read_page"`,
		"testdata/usual-path.canonical.json": `"doneButWrong": true`,
	} {
		raw, err := os.ReadFile(name)
		if err != nil || !strings.Contains(string(raw), gone) {
			t.Fatalf("%s lacks %s: %v", name, gone, err)
		}
		read := report.Read
		if strings.HasSuffix(name, ".jsonl") {
			read = func(name string) (*report.Report, error) { return report.FromFile(t.Context(), name) }
		}
		r, err := read(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		e := r.Episodes.At(0)
		if r.Path != "usual" || r.Totals.Failed != 1 || e.Name != "form-same-labels#1" || e.Status != record.Failed || e.Steps != 2 {
			t.Errorf("%s: path %q, totals %+v, episode %s, %s, %d steps", name, r.Path, r.Totals, e.Name, e.Status, e.Steps)
		}
	}
}
