package harness_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/tell/difference"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// baseline is the run whose report and event log are committed: bench:mock on the stand-in,
// with a few tasks, so that a new task does not change it.
const (
	baseline      = "mock-standin"
	baselineTasks = "example-h1,local-form-submit,local-recovery-stall"
)

var baselineFiles = []string{"events/" + baseline + ".jsonl", "reports/" + baseline + ".json", "reports/" + baseline + ".md", "reports/" + baseline + ".canonical.json"}

// commit matches the harness's commit in a log and in each report.
var commit = regexp.MustCompile(`("version":\s*"[^"]*",\s*"commit":\s*"|\*\*Harness:\*\* [^,]*, commit )[0-9a-f]{40}(\+dirty)?`)

func TestBaseline(t *testing.T) {
	out := t.TempDir()
	o := onStandin(out)
	o.RunID, o.Task = baseline, baselineTasks
	err := harness.Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		for _, name := range baselineFiles {
			raw, err := os.ReadFile(filepath.Join(out, name))
			raw = commit.ReplaceAll(raw, []byte("${1}unknown")) // else each commit would change it
			if err := errors.Join(err, os.WriteFile(filepath.Join(root(), name), raw, 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	was, err := difference.ReadRun(t.Context(), filepath.Join(root(), baselineFiles[0]))
	if err != nil {
		t.Fatal(err)
	}
	is, err := difference.ReadRun(t.Context(), filepath.Join(out, baselineFiles[0]))
	if err != nil {
		t.Fatal(err)
	}
	if d := difference.Diff(was, is); d != nil {
		t.Errorf("the run is not what the baseline says; if that is meant, run with -update: %s", d)
	}
}

// The committed report is what the committed log gives, byte for byte.
func TestBaselineReport(t *testing.T) {
	r, err := report.FromFile(t.Context(), filepath.Join(root(), baselineFiles[0]))
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(io.Writer, *report.Report) error{
		baselineFiles[1]: format.JSON, baselineFiles[2]: format.Markdown, baselineFiles[3]: report.Canonical,
	} {
		var b bytes.Buffer
		want, err := os.ReadFile(filepath.Join(root(), name))
		if err := errors.Join(err, write(&b, r)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-committed +rebuilt):\n%s", name, diff)
		}
	}
}
