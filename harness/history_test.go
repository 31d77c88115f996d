package harness_test

import (
	"bytes"
	"io"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/command/stored"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
)

// The page of OpenChrome's history is what the records in docs/history give, byte for byte. With -update it is
// written.
func TestHistoryPage(t *testing.T) {
	kept := filepath.Join(root(), "docs", "history")
	h, err := stored.ReadHistory(t.Context(), kept, "")
	need.OK(t, err)
	d := page.History(h, compare.Result{}, func(run string) string {
		if link := page.PageOf(run, kept); link != "" {
			return "../history/reports/" + link
		}
		return ""
	})
	for ext, write := range map[string]func(io.Writer, page.Document) error{".md": page.Markdown, ".html": page.HTML} {
		var b bytes.Buffer
		need.OK(t, write(&b, d))
		name := filepath.Join(root(), "docs", "benchmarks", "history"+ext)
		if *need.Update {
			need.Write(t, name, b.Bytes())
		}
		if diff := cmp.Diff(string(need.Read(t, name)), b.String()); diff != "" {
			t.Errorf("history%s (-committed +made); run go generate ./harness:\n%s", ext, diff)
		}
	}
}
