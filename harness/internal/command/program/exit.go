// Package program is the process of a command: its arguments and help, its exit code, signals,
// and what it may write to a terminal. It knows no target.
package program

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Exit codes. Comparisons (report:compare, bench:parity) use only 0, 6, 7, 64 and 130,
// whatever the statuses of the episodes are. `go run` turns every code except 0 into 1, so
// the last printed line states the verdict in words. No code is 2, because Go ends a program that
// crashed with it, and mage one that it could not start.
const (
	ExitPassed      = 0   // every episode passed, or is a known defect
	ExitUnexpected  = 1   // anything else
	ExitFailed      = 3   // at least one episode failed, and is no known defect
	ExitVoid        = 4   // none failed, some are void
	ExitDifference  = 5   // bench:verify or report:show -judge found a difference
	ExitRefused     = 6   // two runs cannot be compared, or a rule of a gate cannot be judged
	ExitGate        = 7   // a rule of a gate is breached
	ExitLost        = 8   // a planned episode has no result, although nobody stopped the run
	ExitUsage       = 64  // a wrong option or an invalid task: nothing was run; EX_USAGE of sysexits.h
	ExitInterrupted = 130 // the target was stopped; the report has the finished episodes, a comparison the finished pairs
)

// Exit codes of -exit=bisect, as git bisect run reads them, beside [ExitPassed].
const (
	ExitBad   = 1   // no episode passed
	ExitSkip  = 125 // this commit says nothing: void, mixed, not built
	ExitAbort = 129 // anything else; git stops
)

// Bisect makes every error except a verdict an abort.
func Bisect(err error) error {
	e, ok := errors.AsType[*ExitError](err)
	if err == nil || ok && (e.Code == ExitBad || e.Code == ExitSkip) && !errors.Is(err, errLost) {
		return err
	}
	return &ExitError{ExitAbort, err}
}

// ExitError is an error with an exit code.
type ExitError struct {
	Code int
	Err  error
}

// Error is safe to show on a terminal: a file or its name may contain anything.
func (e *ExitError) Error() string { return display.Lines(e.Err.Error()) }

// Unwrap returns the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitStatus returns the code with which mage exits.
func (e *ExitError) ExitStatus() int { return e.Code }

// ExitCode returns the exit code for the error of a target.
func ExitCode(err error) int {
	if err == nil {
		return ExitPassed
	}
	if e, ok := errors.AsType[*ExitError](err); ok {
		return e.Code
	}
	return ExitUnexpected
}

// Usage returns err with [ExitUsage].
func Usage(err error) error { return &ExitError{ExitUsage, err} }

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

var errLost = errors.New("not all was printed")

// Check returns err, which is how a target ended. If a text was lost, it is never nil: it has
// [ExitInterrupted] if nobody reads the output, and else says why.
func (o *Output) Check(err error) error {
	signal.Stop(o.pipe)
	lost := o.lost.Load()
	if lost == nil {
		return err
	}
	code, why := ExitUnexpected, fmt.Errorf("%w: %w", errLost, *lost)
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
