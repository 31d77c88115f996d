//go:build !linux

package watchdog

import "os/exec"

// Keep does nothing and returns false, because only Linux has keepers.
func Keep(*exec.Cmd) bool { return false }

// EndKeeper does nothing and returns false.
func EndKeeper(int) bool { return false }
