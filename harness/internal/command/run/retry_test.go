package run

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

func TestMain(m *testing.M) {
	watchdog.Main()
	os.Exit(m.Run())
}

// quiet is run r on the stand-in, below out, which prints nothing.
func quiet(out string) (o Options) {
	o.Server, o.RunID, o.Out, o.Stdout, o.Stderr = "standin", "r", out, io.Discard, io.Discard
	return o
}

// A server that does not start at first leaves a void episode, which -retries runs again.
// The episode then counts as what it was the last time.
func TestRetries(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the server is a shell script")
	}
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "standin")
	build := exec.Command("go", "build", "-o", program, "./harness/internal/drive/standin/cmd/standin")
	build.Dir = filepath.Join("..", "..", "..", "..")
	need.Run(t, build)
	script := filepath.Join(dir, "server")
	text := "#!/bin/sh\nif mkdir '" + dir + "/begun' 2>/dev/null; then exit 1; fi\nexec '" + program + "'\n"
	need.OK(t, os.WriteFile(script, []byte(text), 0o755))
	out := t.TempDir()
	o := quiet(out)
	var printed bytes.Buffer
	o.Server, o.Task, o.Retries, o.Stdout = script, "example-h1", 1, &printed
	if err := Run(t.Context(), o); err != nil {
		t.Fatalf("%v\n%s", err, printed.String())
	}
	if !strings.Contains(printed.String(), "the session did not start: ") || !strings.Contains(printed.String(), "  runs again\n") {
		t.Errorf("the first attempt is not shown:\n%s", printed.String())
	}
	r, err := report.FromFile(t.Context(), filepath.Join(out, "events", "r.jsonl"))
	need.OK(t, err)
	e := r.Episodes.At(0)
	if e.Status != "passed" || e.Retries != 1 || len(e.Attempts) != 1 || e.Attempts[0].Status != "inconclusive" || r.Totals.Void != 0 {
		t.Errorf("status %s, retries %d, attempts %+v", e.Status, e.Retries, e.Attempts)
	}
}
