//go:build unix

package regular

import "syscall"

// With nonblock, open does not wait for the other end of a pipe.
const nonblock = syscall.O_NONBLOCK
