//go:build !linux

package watchdog

import (
	"os"
	"os/exec"
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
