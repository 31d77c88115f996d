package program

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// An Output is the standard output of a target. It remembers whether a text was lost.
type Output struct {
	to   io.Writer
	pipe chan os.Signal
	lost atomic.Pointer[error] // the first error of writing
}

// WatchOutput returns an output that writes to w. A closed pipe raises SIGPIPE, which would end the
// process before it cleans up, so the signal is caught until [Output.Check].
func WatchOutput(w io.Writer) *Output {
	o := &Output{to: w, pipe: make(chan os.Signal, 1)}
	signal.Notify(o.pipe, syscall.SIGPIPE)
	return o
}

// Write implements [io.Writer].
func (o *Output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil {
		o.lost.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Check returns err, which is how a target ended. If a text was lost, it is never nil: it has
// [ExitInterrupted] if nobody reads the output, and else says why.
func (o *Output) Check(err error) error {
	signal.Stop(o.pipe)
	lost := o.lost.Load()
	if lost == nil {
		return err
	}
	code, why := ExitUnexpected, fmt.Errorf("not all was printed: %w", *lost)
	if errors.Is(*lost, syscall.EPIPE) {
		code, why = ExitInterrupted, fmt.Errorf("NOT FINISHED: %w", *lost)
	}
	if err != nil && !errors.Is(err, *lost) {
		code, why = ExitCode(err), fmt.Errorf("%w; %w", err, why)
	}
	return &ExitError{code, why}
}

func fileOf(w io.Writer) *os.File {
	if o, ok := w.(*Output); ok {
		w = o.to
	}
	f, _ := w.(*os.File)
	return f
}
