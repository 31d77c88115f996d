package harness_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// launcherEnv makes this test binary stand for mage: it starts the compiled
// magefile and waits for it, and passes no signal on.
const launcherEnv = "OPENCHROME_BENCH_TEST_LAUNCH"

func launchLikeMage(binary string) int {
	cmd := exec.Command(binary, os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		return 1
	}
	return 0
}

// A command is a run of the binary, named r.
type command struct {
	*exec.Cmd
	out     string // its -out
	printed bytes.Buffer
}

// begin starts a run on a slow stand-in, and waits until its log says something.
func begin(t *testing.T, latency, says string, args ...string) *command {
	t.Helper()
	c := &command{out: t.TempDir()}
	c.Cmd = exec.Command(bench, append(args, "-server=standin", "-out="+c.out, "-run=r")...)
	c.Env = append(os.Environ(), "OPENCHROME_BENCH_STANDIN_LATENCY="+latency)
	c.Stdout, c.Stderr = &c.printed, &c.printed
	c.start(t, says)
	return c
}

func (c *command) start(t *testing.T, says string) {
	t.Helper()
	need.OK(t, c.Start())
	need.Until(t, "the log with "+says, func() bool {
		raw, err := os.ReadFile(filepath.Join(c.out, "events", "r.jsonl"))
		return err == nil && bytes.Contains(raw, []byte(says))
	})
}

// stop sends a signal and waits for the end, which must come soon, with this exit code.
func (c *command) stop(t *testing.T, sig os.Signal, code int) {
	t.Helper()
	need.OK(t, c.Process.Signal(sig))
	stopped := time.Now()
	late := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
	defer late.Stop()
	c.Wait()
	if took := time.Since(stopped); took > 15*time.Second || c.ProcessState.ExitCode() != code {
		t.Errorf("%v after %s, want exit code %d within 15 s\n%s", c.ProcessState, took, code, c.printed.String())
	}
}

// ended is in the log when an episode ended.
const ended = `"type":"stop"`

// A stopped run writes the report of what is finished within 2 s.
func TestStoppedRunReports(t *testing.T) {
	mage := filepath.Join(t.TempDir(), "mage")
	self := need.Self(t)
	need.OK(t, copyFile(mage, self))
	for _, test := range []struct {
		name    string
		program string
		signal  syscall.Signal
		code    int
	}{
		{"Ctrl-C", bench, syscall.SIGINT, 130},
		{"SIGTERM", bench, syscall.SIGTERM, 130},
		{"hangup", bench, syscall.SIGHUP, 130},
		{"SIGTERM to the launcher", mage, syscall.SIGTERM, -1},
		{"SIGKILL to the launcher", mage, syscall.SIGKILL, -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := &command{out: t.TempDir()}
			c.Cmd = exec.Command(test.program, "bench:mock", "-server=standin", "-repetitions=1000", "-out="+c.out, "-run=r")
			c.Env = append(os.Environ(), "OPENCHROME_BENCH_STANDIN_LATENCY=100ms", launcherEnv+"="+bench)
			c.Stdout, c.Stderr = &c.printed, &c.printed
			c.start(t, ended)
			c.stop(t, test.signal, test.code) // it waits until the pipes are closed too: the run itself has ended
			need.Has(t, c.printed.String(), "NOT FINISHED: ")
			r := reportOf(t, c.out)
			if r.Totals.Passed == 0 || r.Totals.Finished == r.Totals.Planned || r.Totals.Failed != 0 {
				t.Errorf("totals are %+v", r.Totals)
			}
			for _, e := range r.Episodes.All() {
				if e.Status != record.Passed && e.Status != record.Interrupted {
					t.Errorf("%s is %s: %s", e.Name, e.Status, e.Reason)
				}
			}
		})
	}
}

// Of a run that was killed every complete line parses, and there is a report.
func TestKilledRun(t *testing.T) {
	out := t.TempDir()
	cmd := exec.Command(bench, "bench:mock", "-server=standin", "-repetitions=100000", "-parallel=4", "-out="+out, "-run=r")
	need.OK(t, cmd.Start())
	log := filepath.Join(out, "events", "r.jsonl")
	need.Until(t, "100 kB of events", func() bool {
		info, err := os.Stat(log)
		return err == nil && info.Size() > 100_000
	})
	need.OK(t, cmd.Process.Kill())
	cmd.Wait()
	r, err := report.FromFile(t.Context(), log)
	need.OK(t, err)
	if r.Totals.Finished == 0 || r.Totals.Passed != r.Totals.Finished {
		t.Errorf("totals are %+v", r.Totals)
	}
	err = harness.Call(t.Context(), "report:show", harness.Options{Out: out, Judge: true, Stdout: io.Discard})
	need.OK(t, err)
}

// When nobody reads the output any more the run stops instead of dying.
func TestClosedPipe(t *testing.T) {
	out := t.TempDir()
	read, write, err := os.Pipe()
	need.OK(t, err)
	cmd := exec.Command(bench, "bench:mock", "-server=standin", "-repetitions=100000", "-verbose", "-out="+out, "-run=r")
	cmd.Stdout = write
	need.OK(t, cmd.Start())
	write.Close()
	io.ReadFull(read, make([]byte, 10))
	read.Close()
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != harness.ExitInterrupted {
		t.Errorf("got %v, want exit code 130", err)
	}
	need.OK(t, need.Err(format.ReadRecord(filepath.Join(out, "reports", "r.record.jsonl"))))
}

// A stop in the last episode is a stop too, not the verdict on a void episode.
func TestStoppedInTheLastEpisode(t *testing.T) {
	t.Parallel()
	c := begin(t, "1h", `"type":"tool_call"`, "bench:mock", "-task=example-h1")
	c.stop(t, syscall.SIGINT, harness.ExitInterrupted)
	need.Has(t, c.printed.String(), "NOT FINISHED: 0 passed, 0 failed, 1 void of 1, 1 interrupted, 0 not run")
}

// A pausedReader reads nothing until it is released, as less or Ctrl-S do.
type pausedReader struct{ released chan struct{} }

func (p pausedReader) Write(b []byte) (int, error) {
	<-p.released
	return len(b), nil
}

// What nobody reads for a while holds up no episode: their clocks run.
func TestPausedReader(t *testing.T) {
	t.Parallel()
	out, released := t.TempDir(), make(chan struct{})
	ended := make(chan error)
	go func() {
		o := onStandin(out)
		o.Repetitions, o.Verbose, o.Stdout = 3, true, pausedReader{released}
		ended <- harness.Run(t.Context(), o)
	}()
	need.Until(t, "the report", func() bool {
		_, err := os.Stat(filepath.Join(out, "reports", "r.md"))
		return err == nil
	})
	select {
	case err := <-ended:
		t.Errorf("it did not wait for its output to be written: %v", err)
	default:
	}
	close(released)
	need.OK(t, <-ended)
}

// A run whose output fails after its last episode has the whole report. Its exit code says that
// nobody read the verdict.
func TestPipeClosedAtTheEnd(t *testing.T) {
	t.Parallel()
	var canonical [2][]byte
	for i, mark := range []string{"never", "example-h1#2"} {
		want := []int{harness.ExitPassed, harness.ExitInterrupted}[i]
		out := t.TempDir()
		o := onStandin(out)
		o.Task, o.Repetitions, o.Stdout = "example-h1", 2, breaksAt(mark)
		err := harness.Run(t.Context(), o)
		if got := harness.ExitCode(err); got != want {
			t.Errorf("broken at %q: exit code %d, want %d: %v", mark, got, want, err)
		}
		if canonical[i], err = os.ReadFile(filepath.Join(out, "reports", "r.canonical.json")); err != nil {
			t.Fatal(err)
		}
	}
	need.Equal(t, "the report of the run without a reader", string(canonical[0]), string(canonical[1]))
}

// breaksAt is a pipe whose reader leaves when it sees the mark.
type breaksAt string

func (mark breaksAt) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte(mark)) {
		return 0, syscall.EPIPE
	}
	return len(b), nil
}

func copyFile(to, from string) error {
	raw, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, raw, 0o755)
}

// Nobody reads either output of a run, and their pipe is full: SIGTERM ends it all
// the same, with its report.
func TestStoppedWithoutAReader(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	need.OK(t, err)
	defer read.Close()
	defer write.Close()
	need.OK(t, write.SetWriteDeadline(time.Now().Add(time.Second)))
	for err == nil {
		_, err = write.Write(make([]byte, 4<<10))
	}
	c := &command{out: t.TempDir()}
	c.Cmd = exec.Command(bench, "bench:mock", "-server=standin", "-repetitions=1000", "-out="+c.out, "-run=r", "-verbose")
	c.Env = append(os.Environ(), "OPENCHROME_BENCH_STANDIN_LATENCY=100ms")
	c.Stdout, c.Stderr = write, write
	c.start(t, ended)
	c.stop(t, syscall.SIGTERM, harness.ExitInterrupted)
	need.OK(t, need.Err(format.ReadRecord(filepath.Join(c.out, "reports", "r.record.jsonl"))))
}

// A run of bench:verify that is killed from outside is named with the signal.
func TestKilledRunOfVerify(t *testing.T) {
	t.Parallel()
	c := begin(t, "100ms", "", "bench:verify", "-runs=2", "-repetitions=1000")
	// Its other children are watchdogs, which hold no log open.
	fds, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil || len(fds) == 0 {
		c.Process.Kill()
		t.Skip("not run, since there is no /proc to find the run in")
	}
	for _, fd := range fds {
		if name, err := os.Readlink(fd); err == nil && name == filepath.Join(c.out, "events", "r.jsonl") {
			pid, _ := strconv.Atoi(strings.Split(fd, "/")[2])
			if p, err := os.FindProcess(pid); err == nil {
				p.Kill()
			}
		}
	}
	c.Wait()
	need.Has(t, c.printed.String(), "run 1: signal: killed")
}

// A report that cannot be written is shown all the same.
func TestShowWhereItCannotWrite(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	o := onStandin(out)
	o.Task = "example-h1"
	need.OK(t, harness.Run(t.Context(), o))
	dir := filepath.Join(out, "reports")
	need.OK(t, os.RemoveAll(dir))
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // stops root too
		t.Fatal(err)
	}
	var shown bytes.Buffer
	err := harness.Call(t.Context(), "report:show", harness.Options{Out: out, Judge: true, Stdout: &shown})
	if err == nil || !strings.HasPrefix(err.Error(), "the report was shown, but not written: ") {
		t.Errorf("error %v", err)
	}
	if got := shown.String(); !strings.HasPrefix(got, "Run r  PASSED: ") || !strings.Contains(got, "judged again") {
		t.Errorf("shown: %s", got)
	}
}
