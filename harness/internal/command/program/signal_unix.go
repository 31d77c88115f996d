//go:build unix

package program

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// EndedBy returns the name of the signal that ended a process, such as SIGKILL; "" if no
// signal did.
func EndedBy(p *os.ProcessState) string {
	if status, ok := p.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}
