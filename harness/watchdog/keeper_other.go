//go:build !linux

package watchdog

import "os/exec"

func keep(*exec.Cmd) bool { return false }
func endKeeper(int)       {}
