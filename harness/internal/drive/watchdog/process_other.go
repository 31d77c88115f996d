//go:build unix && !linux

package watchdog

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// FindProcess returns the process with this number, and whether there is one. The
// start time is in seconds since 1970.
func FindProcess(pid int) (p Process, ok bool) {
	ps := exec.Command("ps", "-o", "stat=", "-o", "ppid=", "-o", "lstart=", "-p", strconv.Itoa(pid))
	ps.Env = append(Environ(), "LC_ALL=C", "TZ=UTC")
	out, err := ps.Output()
	if err != nil {
		return Process{}, false
	}
	fields := strings.Fields(string(out))
	if len(fields) < 3 {
		return Process{}, false
	}
	parent, err1 := strconv.Atoi(fields[1])
	t, err2 := time.Parse("Mon Jan 2 15:04:05 2006", strings.Join(fields[2:], " "))
	return Process{pid, parent, uint64(t.Unix()), fields[0][0] == 'Z'}, err1 == nil && err2 == nil
}

// Lead makes cmd, which must not have started, the leader of a process group, so that a
// Ctrl-C at the terminal does not reach it directly.
func Lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
