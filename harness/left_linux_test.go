package harness_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
)

// However a run ends, nothing of it is left after 15 s: no process, no folder, no lock. Only
// if its watchdog was killed too, the next run removes the folders.
//
// The server of the runs does not even end by SIGTERM. With OPENCHROME_DIST the runs also
// drive a real one.
func TestNothingIsLeft(t *testing.T) {
	self := need.Self(t)
	type driven struct {
		name, begun string // what is in the log before the end
		args        []string
		agent       bool
	}
	servers := []driven{
		{"command", `"tool":"read_page"`, []string{"-server=" + self + " stops", "-task=example-h1", "-maxDuration=1s"}, false},
		// An agent that ignores signals, with a child in another session.
		{"agent", `"step":3`, []string{"-server=standin", "-task=example-h1", "-maxSteps=5", "-adapter=" + agentLine(t, "forks")}, true},
	}
	if dist := os.Getenv("OPENCHROME_DIST"); dist != "" {
		servers = append(servers, driven{"local", `"type":"tool_call"`, []string{"-server=local", "-package=" + dist, "-task=example-h1"}, false})
	}
	for _, test := range []struct {
		name string
		end  func(*exec.Cmd) // nil: the run ends
	}{
		{"normal end", nil},
		{"Ctrl-C", func(c *exec.Cmd) { c.Process.Signal(syscall.SIGINT) }},
		{"SIGTERM", func(c *exec.Cmd) { c.Process.Signal(syscall.SIGTERM) }},
		{"SIGQUIT, as after a panic", func(c *exec.Cmd) { c.Process.Signal(syscall.SIGQUIT) }},
		{"SIGKILL", func(c *exec.Cmd) { c.Process.Kill() }},
		{"SIGKILL, also of the watchdog", func(c *exec.Cmd) {
			c.Process.Signal(syscall.SIGSTOP) // or it would start another watchdog
			for pid, args := range need.Below(c.Process.Pid) {
				if strings.HasPrefix(args, "openchrome-bench-watchdog\x00") {
					syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			c.Process.Kill()
		}},
	} {
		for _, s := range servers {
			if s.agent && test.end == nil {
				continue // TestDeafAgent in package agent has a shorter grace
			}
			t.Run(test.name+"/"+s.name, func(t *testing.T) {
				if s.name != "local" { // several browsers at once take long to start
					t.Parallel()
				}
				tmp, out := need.ShortTemp(t), t.TempDir()
				run := func(args ...string) *exec.Cmd {
					cmd := exec.Command(bench, append([]string{"bench:mock", "-out=" + out}, args...)...)
					cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
					return cmd
				}
				repetitions := "-repetitions=100"
				if test.end == nil {
					repetitions = "-repetitions=2"
				}
				if s.agent {
					repetitions = "-repetitions=1"
				}
				cmd := run(slices.Concat(s.args, []string{"-run=r", repetitions})...)
				var printed bytes.Buffer
				if cmd.Stdout, cmd.Stderr = &printed, &printed; s.agent {
					cmd.Args[1] = "bench:episode"
				}
				need.OK(t, cmd.Start())
				t.Cleanup(func() { cmd.Process.Kill() })
				if test.end != nil {
					need.Until(t, s.begun, func() bool {
						raw, _ := os.ReadFile(filepath.Join(out, "events", "r.jsonl"))
						return bytes.Contains(raw, []byte(s.begun))
					})
					if used := remains(tmp); len(used) < 3 {
						t.Fatalf("it uses only %q; the test shows nothing", used)
					}
					test.end(cmd)
				}
				ended := time.Now()
				cmd.Wait()
				if code := cmd.ProcessState.ExitCode(); test.end == nil {
					if ended = time.Now(); code != harness.ExitPassed && code != harness.ExitFailed {
						t.Fatalf("exit code %d\n%s", code, printed.String())
					}
				}
				left := fmt.Sprint(remains(tmp))
				if strings.Contains(test.name, "watchdog") {
					if !strings.Contains(left, "openchrome-bench-") {
						t.Error("there is nothing to sweep; the test shows nothing")
					}
					made, _ := filepath.Glob(filepath.Join(tmp, "*"))
					for _, dir := range made { // one that it was just making is swept after a minute
						need.OK(t, os.Chtimes(dir, time.Time{}, time.Now().Add(-2*time.Minute)))
					}
					if printed, err := run("-server=standin", "-task=example-h1", "-run=next").CombinedOutput(); err != nil {
						t.Fatalf("the next run: %v\n%s", err, printed)
					}
				}
				need.Until(t, "the end of "+left, func() bool { return len(remains(tmp)) == 0 })
				took := time.Since(ended)
				if t.Logf("gone after %s", took.Round(time.Millisecond)); took > 15*time.Second {
					t.Errorf("gone only after %s", took)
				}
				need.Gone(t, filepath.Join(out, "*", ".*"))
				if printed, _ := run("-server=standin", "-task=example-h1", "-resume=r").CombinedOutput(); !bytes.Contains(printed, []byte("differ")) {
					t.Errorf("the log cannot be opened again:\n%s", printed)
				}
			})
		}
	}
}

// This binary is also a server over stdio that stops itself when a page is read.
func init() {
	if len(os.Args) != 2 || os.Args[1] != "stops" {
		return
	}
	os.Exit(serveStdio(func(s *server.MCPServer, tools map[string]*server.ServerTool) {
		s.AddTools(*tools["navigate"], *tools["javascript_tool"])
		s.AddTool(tools["read_page"].Tool, func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return nil, syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		})
	}))
}

// remains returns what there is in the folder for temporary files, and the processes that
// name it.
func remains(tmp string) (names []string) {
	names, _ = filepath.Glob(filepath.Join(tmp, "*"))
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		env, _ := os.ReadFile(filepath.Join(dir, "environ"))
		if bytes.Contains(args, []byte(tmp)) || bytes.Contains(env, []byte(tmp)) {
			names = append(names, filepath.Base(dir)+" "+string(bytes.ReplaceAll(args, []byte{0}, []byte{' '})))
		}
	}
	return names
}
