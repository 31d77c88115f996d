//go:build unix

package watchdog

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestKillGroup(t *testing.T) {
	sleep := exec.Command("sleep", "1000")
	sleep.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	need.OK(t, sleep.Start())
	ended := make(chan error, 1)
	go func() { ended <- sleep.Wait() }()
	defer sleep.Process.Kill()
	pid := sleep.Process.Pid
	p, ok := FindProcess(pid)
	if !ok {
		t.Fatal("no start time of a process that runs")
	}

	if !p.Alive() || p.Parent != os.Getpid() {
		t.Errorf("a child that runs: %+v, alive: %t", p, p.Alive())
	}
	need.OK(t, killGroup(fmt.Sprint(pid, " ", p.Start+1)))
	for _, arg := range []string{"", "x", fmt.Sprint(pid), fmt.Sprint(pid, " 0"), "1 1", "0 1", "-1 1", fmt.Sprint(-pid, " ", p.Start)} {
		if killGroup(arg) == nil {
			t.Errorf("killGroup(%q) = nil, want a refusal", arg)
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("a process that is not ours was killed: %v", err)
	default:
	}

	need.OK(t, killGroup(fmt.Sprint(pid, " ", p.Start)))
	<-ended
	need.OK(t, killGroup(fmt.Sprint(pid, " ", p.Start)))
	if p.Alive() {
		t.Error("a process that was waited for still owns things")
	}
}

func TestZombieIsGone(t *testing.T) {
	c := exec.Command("sleep", "1000")
	need.OK(t, c.Start())
	p, ok := FindProcess(c.Process.Pid)
	if !ok || !p.Alive() {
		t.Fatalf("a process that runs: %+v, %t", p, ok)
	}
	c.Process.Kill()
	need.Until(t, "a process that was killed is not alive", func() bool { return !p.Alive() })
	if again, ok := FindProcess(p.Pid); !ok || again.Start != p.Start {
		t.Errorf("nobody has waited for it, and its number is free: %+v, %t", again, ok)
	}
	c.Wait()
	if again, ok := FindProcess(p.Pid); ok && again.Start == p.Start {
		t.Error("it was waited for, and is there")
	}
}
