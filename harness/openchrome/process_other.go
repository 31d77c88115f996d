//go:build unix && !linux

package openchrome

import "syscall"

// ownGroup makes a child the leader of a group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
