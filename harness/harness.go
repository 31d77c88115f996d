// Package harness has the functions that programs call: the magefile through package
// targets, and programs of other modules with their own adapters. For the exit code of an
// error, see [ExitCode].
//
//	options -> tasks, sites -> server -> episodes -> event log -> report
//
// The packages below internal do the work. They are named after what flows: read (a task), web,
// drive (a server), judge, record, tell (reports) and command. docs/CONTRIBUTING.md lists them.
package harness

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/openchrome/bench/harness/internal/command/line"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/selftest"
	"github.com/openchrome/bench/harness/internal/command/trials"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/option"
)

// ExitError is an error with an exit code, see program's table.
type ExitError = program.ExitError

// Exit codes.
const (
	ExitPassed      = program.ExitPassed
	ExitUnexpected  = program.ExitUnexpected
	ExitFailed      = program.ExitFailed
	ExitVoid        = program.ExitVoid
	ExitDifference  = program.ExitDifference
	ExitRefused     = program.ExitRefused
	ExitGate        = program.ExitGate
	ExitLost        = program.ExitLost
	ExitUsage       = program.ExitUsage
	ExitInterrupted = program.ExitInterrupted
)

// ExitCode returns the exit code for the error of a function of this package.
func ExitCode(err error) int { return program.ExitCode(err) }

// Options are what a user can choose: the fields of option.Values, one for each option of the command line. The zero
// value of a field is its default, and the only value for a function that does not take the option.
type Options = option.Values

// Every program that uses this package must call Main first, after it has registered its
// adapters and before it reads flags, because bench:verify and the watchdog start copies of
// the program. If the first argument of a compiled magefile is one of our targets, Main runs it
// and ends the process: mage does not read that command line. others are the magefile's own targets,
// which take no options; without them Main cannot say which target a mistyped name means.
func Main(others ...string) {
	watchdog.Main()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a run allocates much and keeps little
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(192 << 20) // and from there on it collects more often
	}
	started, err := trials.Child()
	if !started {
		if line.Magefile {
			line.Main(others)
		}
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(ExitCode(err))
}

// Run runs tasks and writes the event log and the report below Options.Out.
func Run(ctx context.Context, o Options) error { return Call(ctx, "bench:episode", o) }

// Call calls a target, such as report:compare, with the options that it takes. The README lists the targets.
func Call(ctx context.Context, target string, o Options) error { return line.Call(ctx, target, o) }

// Test runs this project's own quick checks.
func Test(ctx context.Context) error { return selftest.Test(ctx) }

// TestAll runs this project's other checks, which take longer or need more than Go.
func TestAll(ctx context.Context) error { return selftest.TestAll(ctx) }
