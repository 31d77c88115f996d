package program

import (
	"errors"
	"syscall"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// full is a disk without space.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Git bisect takes 1 for a bad commit, which an error of ours is not.
func TestBisect(t *testing.T) {
	lost := WatchOutput(full{})
	lost.Write([]byte("PASSED"))
	for _, test := range []struct {
		name string
		err  error
		want int
	}{
		{"passed", nil, ExitPassed},
		{"bad", &ExitError{ExitBad, errors.New("none passed")}, ExitBad},
		{"void", &ExitError{ExitSkip, errors.New("void")}, ExitSkip},
		{"a wrong option", Usage(errors.New("-task")), ExitAbort},
		{"unexpected", errors.New("unexpected"), ExitAbort},
		{"passed, and the output is lost", lost.Check(nil), ExitAbort},
	} {
		need.Is(t, test.name, test.want, ExitCode(Bisect(test.err)))
	}
}
