//go:build unix

package watchdog

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"
)

func TestKillGroup(t *testing.T) {
	sleep := exec.Command("sleep", "1000")
	sleep.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- sleep.Wait() }()
	defer sleep.Process.Kill()
	pid := sleep.Process.Pid
	start, ok := startTime(pid)
	if !ok {
		t.Fatal("no start time of a process that runs")
	}

	if err := killGroup(fmt.Sprint(pid, " ", start+1)); err != nil {
		t.Errorf("a number that was used again: %v", err)
	}
	for _, arg := range []string{"", "x", fmt.Sprint(pid), fmt.Sprint(pid, " 0"), "1 1", "0 1", "-1 1", fmt.Sprint(-pid, " ", start)} {
		if killGroup(arg) == nil {
			t.Errorf("killGroup(%q) = nil, want a refusal", arg)
		}
	}
	select {
	case err := <-ended:
		t.Fatalf("a process that is not ours was killed: %v", err)
	default:
	}

	if err := killGroup(fmt.Sprint(pid, " ", start)); err != nil {
		t.Error(err)
	}
	<-ended
	if err := killGroup(fmt.Sprint(pid, " ", start)); err != nil {
		t.Errorf("of a group that is gone: %v", err)
	}
	if owned(fmt.Sprint(pid), fmt.Sprint(start)) {
		t.Error("a process that was waited for still owns things")
	}
}
