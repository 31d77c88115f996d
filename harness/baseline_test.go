package harness_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
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

// commit is the harness's commit that the committed files name: the one that they were made at,
// which is before the one that they are committed with.
var commit = regexp.MustCompile(`^[0-9a-f]{40}(\+dirty)?$`)

// With -update the files are written if the run or its web is another one, or if they name no clean
// commit: a run that changes nothing changes no file.
func TestBaseline(t *testing.T) {
	out := t.TempDir()
	o := onStandin(out)
	o.RunID, o.Task = baseline, baselineTasks
	need.OK(t, harness.Run(t.Context(), o))
	read := func(dir string) (*compare.Run, *report.Report) {
		name := filepath.Join(dir, baselineFiles[0])
		run, err := compare.ReadRun(t.Context(), name)
		r, err2 := report.FromFile(t.Context(), name)
		need.OK(t, errors.Join(err, err2))
		return run, r
	}
	was, old := read(root())
	is, made := read(out)
	if *need.Update && (compare.Diff(was, is) != nil || !commit.MatchString(old.Harness.Commit) || strings.HasSuffix(old.Harness.Commit, record.Dirty)) {
		if !commit.MatchString(made.Harness.Commit) {
			t.Fatalf("the baseline must name the commit of its harness, which is %s: run this in a checkout, with git", made.Harness.Commit)
		}
		for _, name := range baselineFiles {
			raw, err := os.ReadFile(filepath.Join(out, name))
			need.OK(t, errors.Join(err, os.WriteFile(filepath.Join(root(), name), raw, 0o644)))
		}
		was, _ = read(root())
	}
	if d := compare.Diff(was, is); d != nil {
		t.Errorf("the run is not what the baseline says; if that is meant, run go generate ./harness: %s", d)
	}
}

// The committed report is what the committed log gives, byte for byte. With -update it is written.
func TestBaselineReport(t *testing.T) {
	r, err := report.FromFile(t.Context(), filepath.Join(root(), baselineFiles[0]))
	need.OK(t, err)
	if !commit.MatchString(r.Harness.Commit) {
		t.Errorf("the baseline is of the commit %q; run go generate ./harness in a checkout, with git", r.Harness.Commit)
	}
	for name, write := range map[string]func(io.Writer, *report.Report) error{
		baselineFiles[1]: format.JSON, baselineFiles[2]: format.Markdown, baselineFiles[3]: report.Canonical,
	} {
		var b bytes.Buffer
		need.OK(t, write(&b, r))
		if *need.Update {
			need.OK(t, os.WriteFile(filepath.Join(root(), name), b.Bytes(), 0o644))
		}
		want, err := os.ReadFile(filepath.Join(root(), name))
		need.OK(t, err)
		if diff := cmp.Diff(string(want), b.String()); diff != "" {
			t.Errorf("%s (-committed +rebuilt):\n%s", name, diff)
		}
	}
}
