// Package harness has the functions that programs call: the magefile through package
// targets, and programs of other modules with their own adapters. Each function is one
// target. For the exit code of its error, see [ExitCode].
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
func Run(ctx context.Context, o Options) error { return line.Call(ctx, "bench:episode", o) }

// Verify runs tasks several times under other conditions and compares the runs.
func Verify(ctx context.Context, o Options) error { return line.Call(ctx, "bench:verify", o) }

// Parity runs tasks on several servers and shows where they differ.
func Parity(ctx context.Context, o Options) error { return line.Call(ctx, "bench:parity", o) }

// Check reads task files and transcripts, and names every fault of every file. With
// Options.Facts it judges the contract of a task instead.
func Check(ctx context.Context, o Options) error { return line.Call(ctx, "task:check", o) }

// SuiteCheck proves tasks: the right way passes, and no wrong way does.
func SuiteCheck(ctx context.Context, o Options) error { return line.Call(ctx, "suite:check", o) }

// Try runs one task and shows what each step saw, and where the contract stands.
func Try(ctx context.Context, o Options) error { return line.Call(ctx, "task:try", o) }

// Record writes an episode of a run as a transcript of its task.
func Record(ctx context.Context, o Options) error { return line.Call(ctx, "task:record", o) }

// Show prints a run again, from its event log.
func Show(ctx context.Context, o Options) error { return line.Call(ctx, "report:show", o) }

// Merge joins runs of one plan, such as the shards of a run, into one run.
func Merge(ctx context.Context, o Options) error { return line.Call(ctx, "report:merge", o) }

// Compare compares two stored runs.
func Compare(ctx context.Context, o Options) error { return line.Call(ctx, "report:compare", o) }

// History says how servers changed over their versions, of stored runs.
func History(ctx context.Context, o Options) error { return line.Call(ctx, "report:history", o) }

// Doctor checks whether this machine can run OpenChrome.
func Doctor(ctx context.Context, o Options) error { return line.Call(ctx, "doctor", o) }

// Serve serves the fixture web on a free port of the loopback interface until ctx ends, so that a
// person can look at it. A host that shows drawn values has those of Options.Seed for the first
// selected task that lists it.
func Serve(ctx context.Context, o Options) error { return line.Call(ctx, "site:serve", o) }

// Version prints the version of the harness, and the commit that it was built from.
func Version(ctx context.Context, o Options) error { return line.Call(ctx, "version", o) }

// Test runs this project's own quick checks.
func Test(ctx context.Context) error { return selftest.Test(ctx) }

// TestAll runs this project's other checks, which take longer or need more than Go.
func TestAll(ctx context.Context) error { return selftest.TestAll(ctx) }
