package harness_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// A run that a person stopped can be resumed too, but not while it is still running.
func TestResumeAfterCtrlC(t *testing.T) {
	t.Parallel()
	run := func(out string) *exec.Cmd {
		return exec.Command(bench, "bench:mock", "-server=standin", "-task=example-h1,local-form-submit", "-repetitions=8", "-out="+out, "-resume=r")
	}
	whole, out := t.TempDir(), t.TempDir()
	if printed, err := run(whole).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	first := &command{Cmd: run(out), out: out}
	first.Env = append(os.Environ(), "OPENCHROME_BENCH_STANDIN_LATENCY=300ms")
	first.start(t, ended)
	second := run(out)
	printed, _ := second.CombinedOutput()
	if runtime.GOOS != "windows" && (second.ProcessState.ExitCode() != harness.ExitUsage || !strings.Contains(string(printed), "run r is still running: ")) {
		t.Errorf("a second process exits with %d:\n%s", second.ProcessState.ExitCode(), printed)
	}
	first.stop(t, syscall.SIGINT, harness.ExitInterrupted)
	if printed, err := run(out).CombinedOutput(); err != nil || !strings.Contains(string(printed), "\nhistory  resumed once\n") {
		t.Fatalf("%v\n%s", err, printed)
	}
	var canonical [2]string
	for i, dir := range []string{whole, out} {
		canonical[i] = string(need.Read(t, filepath.Join(dir, "reports", "r.canonical.json")))
	}
	need.Equal(t, "the canonical report of the resumed run", canonical[0], canonical[1])
}

// Of two runs with the same name in the same folder one runs, and the other one says so.
func TestTwoRunsOfOneName(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	codes := make(chan int)
	for range 2 {
		go func() {
			cmd := exec.Command(bench, "bench:mock", "-server=standin", "-task=example-h1", "-out="+out, "-run=r")
			cmd.Run()
			codes <- cmd.ProcessState.ExitCode()
		}()
	}
	if a, b := <-codes, <-codes; a+b != harness.ExitUsage || a*b != 0 {
		t.Errorf("exit codes %d and %d, want 0 and 2", a, b)
	}
	r, err := report.FromFile(t.Context(), filepath.Join(out, "events", "r.jsonl"))
	if err != nil || !r.Totals.Complete() {
		t.Errorf("the log of the run: %v", err)
	}
}

// A run whose log was removed has lost its episodes.
func TestFolderRemoved(t *testing.T) {
	t.Parallel()
	c := begin(t, "200ms", "", "bench:mock", "-task=example-h1", "-repetitions=3")
	need.OK(t, os.RemoveAll(filepath.Join(c.out, "events")))
	c.Wait()
	if got := c.ProcessState.ExitCode(); got != harness.ExitLost || !strings.Contains(c.printed.String(), "LOST: open event log: ") {
		t.Errorf("exit code %d\n%s", got, c.printed.String())
	}
}
