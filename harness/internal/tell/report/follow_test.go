package report_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// A report that is made while the log grows is the report of the whole log.
func TestFollow(t *testing.T) {
	name := filepath.Join(root, "events", "mock-standin.jsonl")
	raw := need.Read(t, name)
	follow := func(name string, sizes ...int64) (*report.Report, error) {
		ch := make(chan int64, len(sizes))
		for _, size := range sizes {
			ch <- size
		}
		close(ch)
		return report.Follow(name, ch)
	}
	var sizes []int64
	for i, c := range raw {
		if c == '\n' {
			sizes = append(sizes, int64(i)+1)
		}
	}
	followed, err := follow(name, sizes...)
	need.OK(t, err)
	whole, err := report.FromFile(t.Context(), name)
	need.OK(t, err)
	var a, b bytes.Buffer
	need.OK(t, format.JSON(&a, whole))
	need.OK(t, format.JSON(&b, followed))
	if diff := cmp.Diff(a.String(), b.String()); diff != "" {
		t.Errorf("(-whole +followed):\n%s", diff)
	}
	if _, err := follow(name, sizes[3], sizes[5]-2); err == nil {
		t.Error("a size within a line is not refused")
	}
}
