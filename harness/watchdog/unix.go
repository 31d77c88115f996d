//go:build unix

package watchdog

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

var deadlySignals = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}

func detached() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// KillGroup kills the process group that pid leads or led. It is no error if there
// is none.
func KillGroup(pid int) error {
	if pid <= 1 {
		return syscall.EINVAL // to kill(2) these would mean everyone
	}
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// shortBase is where folders are made when TMPDIR is too long.
const shortBase = "/tmp"

func mine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
