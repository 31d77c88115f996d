package format

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// No report is written through a link that somebody else put there.
func TestPlantedLink(t *testing.T) {
	r := &report.Report{RunID: "r"}
	for name, write := range map[string]func(out string) error{
		"reports":  func(out string) error { return Write(out, r) },
		"as asked": func(out string) error { return WriteAsked(nil, out, "junit", r) },
		"of comparison": func(out string) error {
			_, err := WriteComparison(out, &compare.Comparison{Base: compare.Side{Report: r}, Head: compare.Side{Report: r}}, compare.Result{})
			return err
		},
	} {
		out, other := t.TempDir(), t.TempDir()
		if err := os.Symlink(other, filepath.Join(out, report.ReportsDir)); err != nil {
			t.Skip(err)
		}
		err := write(out)
		if entries, _ := os.ReadDir(other); err == nil || len(entries) > 0 {
			t.Errorf("%s: %v, written: %v", name, err, entries)
		}
	}
}
