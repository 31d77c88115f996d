package record_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// The folder of a page is removed with all files that are the page's own, and only if it holds no other.
func TestRemovePage(t *testing.T) {
	own := []string{record.PageFile, record.ShotFile, record.StepShot(0), record.StepShot(12)}
	for _, more := range []string{"", "step-1.png.txt", "notes"} {
		folder := t.TempDir()
		root, err := os.OpenRoot(folder)
		need.OK(t, err)
		defer root.Close()
		need.OK(t, root.Mkdir("a-1", 0o755))
		for _, name := range slices.DeleteFunc(append(slices.Clone(own), more), func(s string) bool { return s == "" }) {
			need.OK(t, root.WriteFile(filepath.Join("a-1", name), nil, 0o644))
		}
		err = record.RemovePage(root, "a-1")
		left, _ := os.ReadDir(filepath.Join(folder, "a-1"))
		switch {
		case more == "" && (err != nil || len(left) > 0):
			t.Errorf("%v, left %v", err, left)
		case more != "" && (err == nil || len(left) != 1 || left[0].Name() != more):
			t.Errorf("%s: %v, left %v", more, err, left)
		}
	}
}
