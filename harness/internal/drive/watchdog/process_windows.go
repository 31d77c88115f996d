package watchdog

import (
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

var deadlySignals = []os.Signal{os.Interrupt, syscall.SIGTERM}

const detachedProcess = 0x00000008 // DETACHED_PROCESS of CreateProcess

func detached() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | detachedProcess}
}

// Lead makes cmd, which must not have started, the leader of a process group, so that a
// Ctrl-C at the terminal does not reach it directly.
func Lead(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// KillGroup kills the process and its children. If there are none, it returns no error.
func KillGroup(pid int) error {
	if _, ok := FindProcess(pid); !ok {
		return nil
	}
	cmd := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid))
	cmd.Env = Environ()
	return cmd.Run()
}

// InterruptGroup does nothing: no other process can send a program of Windows a Ctrl-C.
func InterruptGroup(int) {}

// shortBase is empty, because no program on Windows makes sockets in its folder.
const shortBase = ""

// mine returns true, because the temporary folder of Windows belongs to one user.
func mine(fs.FileInfo) bool { return true }
