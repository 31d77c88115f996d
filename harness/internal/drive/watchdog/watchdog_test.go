//go:build unix

package watchdog

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/shirou/gopsutil/v4/process"

	"github.com/openchrome/bench/harness/internal/need"
)

// roleEnv makes the test binary the harness that a test kills.
const roleEnv = "WATCHDOG_TEST_ROLE"

func init() {
	Handle("touch", func(path string) {
		os.WriteFile(path, []byte(strings.Join(os.Environ(), "\n")), 0o600)
	})
}

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) == "forgetful" {
		Guard("touch", "never")
		fmt.Println("watchdog:", guards.pipe != nil)
		os.Exit(0)
	}
	Main()
	switch role := os.Getenv(roleEnv); role {
	case "":
		os.Exit(m.Run())
	case "deaf":
		deafen()
		fmt.Println("ready")
		bufio.NewReader(os.Stdin).ReadByte()
		fmt.Println("not killed")
	default:
		harness(role)
	}
}

// harness starts what a test wants to see gone, prints "name value" lines and
// "ready", and ends in the way the role says.
func harness(role string) {
	if role == "daemon" {
		startDaemon()
		return
	}
	dir, _, err := TempDir()
	if err != nil {
		panic(err)
	}
	fmt.Println("dir", dir)
	os.WriteFile(filepath.Join(dir, "file"), nil, 0o600)

	// A shell with a child: both must go, and the child by its group alone.
	sh := exec.Command("sh", "-c", "sleep 1000 & echo $!; exec sleep 1000")
	Lead(sh)
	out, _ := sh.StdoutPipe()
	if err := sh.Start(); err != nil {
		panic(err)
	}
	Group(sh.Process.Pid)
	child, _ := bufio.NewReader(out).ReadString('\n')
	fmt.Println("leader", sh.Process.Pid)
	fmt.Print("member ", child)

	base := filepath.Join(os.TempDir(), "touched-")
	Guard("touch", base+"held")
	release := Guard("touch", base+"released")
	release()
	release() // twice is once
	Guard("unknown kind", "x")
	var many sync.WaitGroup
	for range 8 {
		many.Go(func() {
			for range 50 {
				Guard("touch", base+"released")()
			}
		})
	}
	many.Wait()
	fmt.Println("ready")
	switch role {
	case "exit":
		os.Exit(1)
	case "panic":
		panic("on purpose")
	case "write":
		bufio.NewReader(os.Stdin).ReadByte()
		for { // until SIGPIPE
			fmt.Println("more")
		}
	}
	select {}
}

// started is a running harness and what it printed.
type started struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	values map[string]string
}

func startHarness(t *testing.T, role string) *started {
	t.Helper()
	h := &started{cmd: exec.Command(os.Args[0]), values: make(map[string]string)}
	h.cmd.Env = append(os.Environ(), roleEnv+"="+role, TokenEnv+"=very secret", "TMPDIR="+need.ShortTemp(t))
	in, stdin, err := os.Pipe()
	need.OK(t, err)
	stdout, out, err := os.Pipe()
	need.OK(t, err)
	h.cmd.Stdin, h.cmd.Stdout, h.stdin, h.stdout = in, out, stdin, stdout
	need.OK(t, h.cmd.Start())
	in.Close()
	out.Close()
	t.Cleanup(func() { h.cmd.Process.Kill(); h.cmd.Wait(); stdin.Close(); stdout.Close() })
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if name == "ready" {
			return h
		}
		h.values[name] = value
	}
	t.Fatalf("the harness ended before it was ready; it said %v", h.values)
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestNothingStays(t *testing.T) {
	tests := []struct {
		role string
		end  func(*started)
	}{
		{"kill -9", func(h *started) { h.cmd.Process.Kill() }},
		{"kill", func(h *started) { h.cmd.Process.Signal(syscall.SIGTERM) }},
		{"write", func(h *started) { h.stdout.Close(); h.stdin.Close() }},
		{"exit", func(*started) {}},
		{"panic", func(*started) {}},
	}
	for _, tt := range tests {
		t.Run(tt.role, func(t *testing.T) {
			t.Parallel()
			h := startHarness(t, tt.role)
			if tt.role == "kill -9" && !(need.Running(t, h.values["leader"]) && need.Running(t, h.values["member"])) {
				t.Fatal("the group does not run before the kill")
			}
			tt.end(h)
			h.cmd.Wait()
			need.Until(t, "the group is gone", func() bool {
				return !need.Running(t, h.values["leader"]) && !need.Running(t, h.values["member"])
			})
			need.Until(t, "the folder is gone", func() bool { return !exists(filepath.Dir(h.values["dir"])) })
			base := filepath.Join(filepath.Dir(filepath.Dir(h.values["dir"])), "touched-")
			var env []byte
			need.Until(t, "the other kind is handled", func() bool {
				env, _ = os.ReadFile(base + "held")
				return strings.Contains(string(env), "TMPDIR=")
			})
			if strings.Contains(string(env), "very secret") {
				t.Error("the watchdog has the token")
			}
			// The latest is handled first: it would be there by now.
			if exists(base + "released") {
				t.Error("a released guard was handled")
			}
		})
	}
}

// watchdogOf returns the process id of the watchdog of a process, or 0.
func watchdogOf(t *testing.T, pid int) int {
	t.Helper()
	p, err := process.NewProcess(int32(pid))
	need.OK(t, err)
	children, err := p.Children()
	need.OK(t, err)
	for _, c := range children {
		args, _ := c.CmdlineSlice() // a zombie has none
		if len(args) > 0 && args[0] == "openchrome-bench-watchdog" {
			return int(c.Pid)
		}
	}
	return 0
}

// killWatchdogOf returns the process id that the watchdog had.
func killWatchdogOf(t *testing.T, pid int) int {
	t.Helper()
	dog := watchdogOf(t, pid)
	if dog == 0 {
		t.Fatal("the harness has no watchdog")
	}
	need.OK(t, syscall.Kill(dog, syscall.SIGKILL))
	return dog
}

// A watchdog that was stopped is given up, and handles nothing of the living when it goes on.
func TestStoppedWatchdog(t *testing.T) {
	o := new(guarded)
	handled := filepath.Join(t.TempDir(), "handled")
	o.add("touch", handled)
	dog := o.dog.Pid
	need.OK(t, syscall.Kill(dog, syscall.SIGSTOP))
	for o.pipe != nil { // until it is full
		o.remove(o.add("unknown kind", strings.Repeat("x", 4<<10)))
	}
	syscall.Kill(dog, syscall.SIGCONT)
	need.Until(t, "it has ended", func() bool { return !need.Running(t, fmt.Sprint(dog)) })
	if exists(handled) {
		t.Error("it handled what its living process holds")
	}
	o.remove(o.add("touch", handled))
}

// Both the harness and its watchdog were killed.
func TestSweepAfterAll(t *testing.T) {
	h := startHarness(t, "kill -9")
	leader, _ := strconv.Atoi(h.values["leader"])
	t.Cleanup(func() { KillGroup(leader) })
	pid := killWatchdogOf(t, h.cmd.Process.Pid)
	h.cmd.Process.Kill()
	h.cmd.Wait()
	need.Until(t, "the watchdog is gone", func() bool { return !need.Running(t, fmt.Sprint(pid)) })
	top := filepath.Dir(h.values["dir"])
	if !exists(h.values["dir"]) {
		t.Fatal("there is nothing to sweep")
	}
	t.Setenv("TMPDIR", filepath.Dir(top))
	need.Equal(t, "Sweep", []string{top}, sweepIn(filepath.Dir(top)))
	if runtime.GOOS == "linux" { // elsewhere nothing ends it
		need.Until(t, "the group's leader is gone", func() bool { return !need.Running(t, h.values["leader"]) })
	}
}

func TestDeaf(t *testing.T) {
	h := startHarness(t, "deaf")
	for _, s := range deadlySignals {
		h.cmd.Process.Signal(s)
	}
	h.stdin.Close()
	if line, _ := bufio.NewReader(h.stdout).ReadString('\n'); line != "not killed\n" {
		t.Errorf("a signal to the watchdog ended it: %q", line)
	}
}

func TestWithoutMain(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleEnv+"=forgetful")
	out, err := cmd.Output()
	need.OK(t, err)
	need.Equal(t, "a program that does not call Main would run twice", "watchdog: false\n", string(out))
}

func TestHandleTwice(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("handling a kind twice went unnoticed")
		}
	}()
	Handle("touch", nil)
}
