package watchdog

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// executable returns a path that works even after the file was replaced or removed. (go run
// removes it.)
func executable() (string, error) { return "/proc/self/exe", nil }

// FindProcess returns the process with this number, and whether there is one. It
// reads /proc/<pid>/stat, see proc_pid_stat(5): fields 3, 4 and 22,
// the last one in clock ticks since boot.
func FindProcess(pid int) (p Process, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return Process{}, false
	}
	// The command's name, in brackets, may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return Process{}, false
	}
	parent, err1 := strconv.Atoi(string(fields[1]))
	start, err2 := strconv.ParseUint(string(fields[19]), 10, 64)
	return Process{pid, parent, start, fields[0][0] == 'Z'}, err1 == nil && err2 == nil
}

// machine returns the boot id of the machine, a dot and the process namespace, such as
// pid:[4026531836]; see namespaces(7).
func machine() string {
	boot, err1 := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, err2 := os.Readlink("/proc/self/ns/pid")
	if err1 != nil || err2 != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + "." + strings.Trim(space, "pid:[]")
}

// Lead makes cmd lead a process group, so that a Ctrl-C at the terminal does not reach it
// directly. cmd must not have started. Until [Group] guards it, the kernel kills it when the
// thread that forked it ends. That is when we end, because Go ends a thread earlier only if a
// goroutine exits while locked to it.
func Lead(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pdeathsig = true, syscall.SIGKILL
}
