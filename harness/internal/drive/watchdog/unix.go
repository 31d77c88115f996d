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

// KillGroup kills the process group that pid leads or led. If there is none, it returns no
// error.
func KillGroup(pid int) error {
	if pid <= 1 {
		return syscall.EINVAL // kill(2) would signal every process
	}
	if err := syscall.Kill(-pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// InterruptGroup sends SIGINT to the process group that pid leads.
func InterruptGroup(pid int) {
	if pid > 1 {
		syscall.Kill(-pid, syscall.SIGINT)
	}
}

// shortBase is the folder for our folders if the path of TMPDIR is too long.
const shortBase = "/tmp"

func mine(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
