//go:build unix

package eventlog

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lock locks a log until f is closed, at the latest when the process ends. Some file systems
// have no locks: there it does nothing.
func lock(f *os.File) error {
	if errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK) {
		return ErrBusy
	}
	return nil
}
