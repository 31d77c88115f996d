package harness_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
)

// A target that reads logs stops at once, and leaves no part of a file.
func TestStoppedReader(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	o := onStandin(out)
	o.Task, o.Keep = "example-h1", "all"
	need.OK(t, harness.Run(t.Context(), o))
	log := filepath.Join(out, "events", "r.jsonl")
	f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
	need.OK(t, err)
	lines := bytes.Repeat([]byte("\n"), 1<<20) // reading them all takes a second
	for range 30 {
		need.OK(t, need.Err(f.Write(lines)))
	}
	f.Close()
	need.OK(t, os.RemoveAll(filepath.Join(out, "reports")))
	merged := filepath.Join(out, "events", "new.jsonl")
	reads := func(pid int) bool {
		fds, _ := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "fd", "*"))
		for _, fd := range fds {
			if name, err := os.Readlink(fd); err == nil && name == log {
				return true
			}
		}
		return false
	}
	writes := func(int) bool {
		_, err := os.Stat(merged)
		return err == nil
	}
	merge := []string{"report:merge", "-runs=r", "-run=new"}
	for _, test := range []struct {
		name  string
		args  []string
		ready func(pid int) bool
		sig   syscall.Signal
	}{
		{"show", []string{"report:show", "-run=r"}, reads, syscall.SIGINT},
		{"compare", []string{"report:compare", "-base=r", "-head=r"}, reads, syscall.SIGTERM},
		{"merge, reading", merge, reads, syscall.SIGINT},
		{"merge, writing", merge, writes, syscall.SIGTERM},
	} {
		t.Run(test.name, func(t *testing.T) {
			var printed bytes.Buffer
			cmd := exec.Command(bench, append(test.args, "-out="+out)...)
			cmd.Stdout, cmd.Stderr = &printed, &printed
			need.OK(t, cmd.Start())
			need.Until(t, "the target to begin", func() bool { return test.ready(cmd.Process.Pid) })
			need.OK(t, cmd.Process.Signal(test.sig))
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != harness.ExitInterrupted || !strings.Contains(printed.String(), "NOT FINISHED: ") {
				t.Errorf("exit code %d, want %d\n%s", got, harness.ExitInterrupted, printed.String())
			}
			for _, pattern := range []string{"reports/*", "reports/.*", "events/new*"} {
				need.Gone(t, filepath.Join(out, pattern))
			}
		})
	}
}
