package program

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// An Output is the standard output of a target. It remembers whether a text was lost.
type Output struct {
	to   io.Writer
	pipe chan os.Signal

	mu   sync.Mutex
	lost error // the first error of writing
}

// WatchOutput returns an output that writes to w. Until [Output.Check], a closed pipe does not
// end the process.
func WatchOutput(w io.Writer) *Output {
	o := &Output{to: w, pipe: make(chan os.Signal, 1)}
	signal.Notify(o.pipe, syscall.SIGPIPE)
	return o
}

// Write implements [io.Writer].
func (o *Output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.lost == nil {
		o.lost = err
	}
	return n, err
}

// Check returns err, which is how a target ended. If a text was lost, it is never nil: it has
// [ExitInterrupted] if nobody reads the output, and else says why.
func (o *Output) Check(err error) error {
	signal.Stop(o.pipe)
	o.mu.Lock()
	defer o.mu.Unlock()
	ours := err == nil || errors.Is(err, o.lost)
	switch {
	case o.lost == nil:
		return err
	case !errors.Is(o.lost, syscall.EPIPE):
		lost := fmt.Errorf("not all was printed: %w", o.lost)
		if ours {
			return &ExitError{ExitUnexpected, lost}
		}
		return &ExitError{ExitCode(err), fmt.Errorf("%w; %w", err, lost)}
	case ours:
		return &ExitError{ExitInterrupted, fmt.Errorf("NOT FINISHED: %w", o.lost)}
	}
	return err
}

// fileOf returns the file that w writes to; nil if it is none.
func fileOf(w io.Writer) *os.File {
	if o, ok := w.(*Output); ok {
		w = o.to
	}
	f, _ := w.(*os.File)
	return f
}
