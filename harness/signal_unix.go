//go:build unix

package harness

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// endedBy returns the name of the signal that ended a process, such as SIGKILL; ""
// when none did.
func endedBy(p *os.ProcessState) string {
	if status, ok := p.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return unix.SignalName(status.Signal())
	}
	return ""
}
