//go:build unix && !linux

package openchrome

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a child the leader of a group.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func ownProcesses(*exec.Cmd) bool { return false }
