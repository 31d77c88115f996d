//go:build unix

package openchrome

import (
	"os"
	"syscall"
)

// terminate asks the group that pid leads to end.
func terminate(pid int) { syscall.Kill(-pid, syscall.SIGTERM) }

// killed reports whether SIGKILL ended a process.
func killed(p *os.ProcessState) bool {
	status, ok := p.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}
