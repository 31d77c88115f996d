//go:build unix && !linux

package watchdog

import (
	"os/exec"
	"syscall"
)

// Lead makes cmd, which must not have started, the leader of a process group, so that a
// Ctrl-C at the terminal does not reach it directly.
func Lead(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
