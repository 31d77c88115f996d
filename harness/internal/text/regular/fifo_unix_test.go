//go:build unix

package regular_test

import (
	"syscall"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

func mkfifo(t *testing.T, name string) bool {
	need.OK(t, syscall.Mkfifo(name, 0o600))
	return true
}
