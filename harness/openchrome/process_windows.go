package openchrome

import (
	"os"
	"os/exec"
	"syscall"

	"github.com/openchrome/bench/harness/watchdog"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends the process: Windows has no signal that asks.
func terminate(pid int) { watchdog.KillGroup(pid) }

// killed is never known: Windows has exit codes only, and programs choose theirs.
func killed(*os.ProcessState) bool { return false }

func ownProcesses(*exec.Cmd) bool { return false }
