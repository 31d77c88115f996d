package watchdog

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
)

// daemons starts two daemons as hard to find as they get: without environment,
// group, session and parent. The second one starts when it is asked to end.
const daemons = `
trap 'env -i setsid sh -c "sleep 1000 & echo daemon \$!" & wait $!; exit 3' TERM
env -i setsid sh -c 'sleep 1000 & sh -c "sleep 1000 & echo daemon \$!"; echo daemon $!'
echo ready
read line; exit 4
`

// startKept starts a script below a keeper, and returns its lines up to "ready".
func startKept(t *testing.T, script string) (cmd *exec.Cmd, lines *bufio.Scanner, said []string) {
	t.Helper()
	cmd = exec.Command("sh", "-c", script)
	if !Keep(cmd) {
		t.Fatal("there is no keeper")
	}
	stdin, err := cmd.StdinPipe()
	need.OK(t, err)
	stdout, err := cmd.StdoutPipe()
	need.OK(t, err)
	need.OK(t, cmd.Start())
	t.Cleanup(func() { stdin.Close(); EndKeeper(cmd.Process.Pid); cmd.Wait() })
	lines = bufio.NewScanner(stdout)
	for lines.Scan() && lines.Text() != "ready" {
		said = append(said, lines.Text())
	}
	return cmd, lines, said
}

// No descendant outlives a program below a keeper, however the program ends; and
// its end is told as it was.
func TestKeeper(t *testing.T) {
	tests := []struct {
		name, script string
		end          func(pid int)
		want         string
		daemons      int
	}{
		{"it ends", "exec <&-; " + daemons, func(int) {}, "exit status 4", 2},
		{"it is asked to end", daemons, func(pid int) { syscall.Kill(-pid, syscall.SIGTERM) }, "exit status 3", 3},
		{"it is ended", daemons, func(pid int) { EndKeeper(pid) }, "signal: killed", 2},
		{"it kills itself", "kill -KILL $$", func(int) {}, "signal: killed", 0},
		{"it dies of a signal that Go handles itself", "kill -ABRT $$", func(int) {}, "signal: aborted", 0},
		{"it succeeds", "exit 0", func(int) {}, "exit status 0", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			cmd, lines, said := startKept(t, tt.script)
			tt.end(cmd.Process.Pid)
			for lines.Scan() { // to the end: no daemon holds the pipe
				said = append(said, lines.Text())
			}
			cmd.Wait()
			if got := cmd.ProcessState.String(); strings.TrimSuffix(got, " (core dumped)") != tt.want {
				t.Errorf("it ended with %s, want %s", got, tt.want)
			}
			need.Is(t, fmt.Sprintf("it started %q", said), tt.daemons, len(said))
			for _, line := range said {
				if pid := strings.TrimPrefix(line, "daemon "); need.Running(t, pid) {
					t.Errorf("a daemon still runs: %s", pid)
				}
			}
		})
	}
}

// A program that closes its output is seen to have closed it.
func TestKeeperHoldsNoPipe(t *testing.T) {
	_, lines, said := startKept(t, "echo open; exec >&- 2>&-; read line")
	if diff := cmp.Diff([]string{"open"}, said); diff != "" || lines.Scan() {
		t.Errorf("output mismatch (-want +got):\n%s", diff)
	}
}

func TestKeeperOfNoProgram(t *testing.T) {
	cmd := exec.Command(filepath.Join(t.TempDir(), "none"))
	cmd.Err = nil
	if !Keep(cmd) {
		t.Fatal("there is no keeper")
	}
	out, err := cmd.CombinedOutput()
	if want := "none: no such file or directory\n"; err == nil || !strings.HasSuffix(string(out), want) {
		t.Errorf("it said %q, %v", out, err)
	}
}

// The harness is killed, and its watchdog before it.
func TestKeeperOutlivesAll(t *testing.T) {
	for _, watched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watchdog %t", watched), func(t *testing.T) {
			h := startHarness(t, "daemon")
			daemon := h.values["daemon"]
			if !need.Running(t, daemon) {
				t.Fatal("no daemon runs before the kill")
			}
			if !watched {
				h.cmd.Process.Signal(syscall.SIGSTOP) // or it would replace its watchdog
				killWatchdogOf(t, h.cmd.Process.Pid)
			}
			h.cmd.Process.Kill()
			h.cmd.Wait()
			need.Until(t, "the daemon is gone", func() bool { return !need.Running(t, daemon) })
		})
	}
}

// startDaemon is the harness that TestKeeperOutlivesAll kills.
func startDaemon() {
	cmd := exec.Command("sh", "-c", daemons)
	Keep(cmd)
	in, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	Group(cmd.Process.Pid)
	cmd.Wait()
	in.Close()
}
