// Package program is the process of a command: its arguments and help, its exit code, signals,
// and what it may write to a terminal. It knows no target.
package program

import (
	"errors"

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
