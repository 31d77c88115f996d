//go:build unix && !linux

package watchdog

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

func executable() (string, error) { return os.Executable() }

// startTime returns when the process started, in seconds since 1970.
func startTime(pid int) (start uint64, ok bool) {
	ps := exec.Command("ps", "-o", "lstart=", "-p", strconv.Itoa(pid))
	ps.Env = append(Environ(), "LC_ALL=C", "TZ=UTC")
	out, err := ps.Output()
	if err != nil {
		return 0, false
	}
	t, err := time.Parse("Mon Jan _2 15:04:05 2006", strings.TrimSpace(string(out)))
	return uint64(t.Unix()), err == nil
}

// machine may stay the same over a restart, since start times are absolute.
func machine() string {
	name, _ := os.Hostname()
	return name
}

// killMarked does nothing: environments of processes are not shown here.
func killMarked(string) {}
