//go:build unix

package openchrome

import "syscall"

// terminate asks the group that pid leads to end.
func terminate(pid int) { syscall.Kill(-pid, syscall.SIGTERM) }
