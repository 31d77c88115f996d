//go:build !linux

package watchdog

import (
	"os"
	"os/exec"
	"slices"

	"github.com/shirou/gopsutil/v4/process"
)

// Keep does nothing and returns false, because only Linux has keepers.
func Keep(*exec.Cmd) bool { return false }

// EndKeeper does nothing and returns false.
func EndKeeper(int) bool { return false }

func executable() (string, error) { return os.Executable() }

// machine may stay the same after a restart, because start times are absolute here.
func machine() string {
	name, _ := os.Hostname()
	return name
}

// FindProcess returns the process with this number, and whether there is one. The start time is in
// milliseconds since 1970.
func FindProcess(pid int) (p Process, ok bool) {
	found, err := process.NewProcess(int32(pid))
	if err != nil {
		return Process{}, false
	}
	start, err := found.CreateTime()
	parent, _ := found.Ppid()
	status, _ := found.Status() // Windows has none
	return Process{pid, int(parent), uint64(start), slices.Contains(status, process.Zombie)}, err == nil
}
