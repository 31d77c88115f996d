//go:build unix

package regular_test

import (
	"syscall"
	"testing"
)

func mkfifo(t *testing.T, name string) bool {
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}
