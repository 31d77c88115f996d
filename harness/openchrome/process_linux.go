package openchrome

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a child the leader of a group. Should we die before the
// watchdog knows of it, the kernel kills it. (The kernel takes the thread that
// forks for the parent; Go ends no thread but one that a goroutine had locked.)
func ownGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pdeathsig = true, syscall.SIGKILL
}

// ownProcesses reports whether the command gets a process namespace, whose
// processes end with its first one.
func ownProcesses(cmd *exec.Cmd) bool {
	return cmd.SysProcAttr != nil && cmd.SysProcAttr.Cloneflags&syscall.CLONE_NEWPID != 0
}
