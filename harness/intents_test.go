package harness_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// The page about policies names each task without intents. The median file has at most five lines.
func TestIntentsAreThere(t *testing.T) {
	page := need.Read(t, filepath.Join(root(), "docs/benchmarks/policies.md"))
	folders, err := filepath.Glob(filepath.Join(root(), "fixtures/*/task.json"))
	need.OK(t, err)
	var lines []int
	for _, f := range folders {
		dir := filepath.Dir(f)
		content, err := os.ReadFile(filepath.Join(dir, intent.FileName))
		switch {
		case err == nil:
			lines = append(lines, bytes.Count(content, []byte("\n")))
		case !bytes.Contains(page, []byte("`"+filepath.Base(dir)+"`")):
			t.Errorf("%s has no intents, and docs/benchmarks/policies.md does not say why", filepath.Base(dir))
		}
	}
	if slices.Sort(lines); len(lines) < 100 || lines[len(lines)/2] > 5 {
		t.Errorf("%d files with intents, the median has %d lines", len(lines), lines[len(lines)/2])
	}
}

// Each intents.jsonl whose pages need no scripts does its task on the stand-in under some policy, on three seeds.
func TestIntents(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 15 s, so only mage testAll runs it")
	}
	cut := []string{"big-deep", "big-table", "tab-middle"} // read_page shortens the lists of their pages
	for _, seed := range []int{0, 1, 3} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel() // it mostly waits
			o := onStandin(t.TempDir())
			o.Suite, o.Seed, o.Adapter, o.Parallel = "all", seed, "policy:form,ref,type", 8
			harness.Run(t.Context(), o) // some policies fail
			r := reportOf(t, o.Out)
			passed := map[string]bool{}
			for _, e := range r.Episodes.All() {
				passed[e.Of] = passed[e.Of] || e.Outcome == report.Passed
			}
			var failed []string
			for id, ok := range passed {
				if !ok && !slices.Contains(cut, id) {
					failed = append(failed, id)
				}
			}
			if slices.Sort(failed); failed != nil || len(passed) < 60 {
				t.Errorf("of %d tasks these passed under no policy: %s", len(passed), strings.Join(failed, ", "))
			}
		})
	}
}
