package openchrome

import (
	"os/exec"
	"syscall"

	"github.com/openchrome/bench/harness/watchdog"
)

func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends the process: Windows has no signal that asks.
func terminate(pid int) { watchdog.KillGroup(pid) }
