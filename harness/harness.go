// Package harness has the functions that programs call: the magefile through package
// targets, and programs of other modules with their own adapters. Each function is one
// target. For the exit code of its error, see [ExitCode].
//
//	options -> tasks, sites -> launcher -> episodes -> event log -> report
//
// The packages below internal do the work. They are named after what flows: read (a task), web,
// drive (a server), judge, record, tell (reports) and command. docs/CONTRIBUTING.md lists them.
package harness

import (
	"context"
	"fmt"
	"os"

	"github.com/openchrome/bench/harness/internal/command/author"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/command/selftest"
	"github.com/openchrome/bench/harness/internal/command/stored"
	"github.com/openchrome/bench/harness/internal/command/subject"
	"github.com/openchrome/bench/harness/internal/command/suitecheck"
	"github.com/openchrome/bench/harness/internal/command/trials"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// The options of the targets. Zero values are defaults everywhere.
type (
	Selection     = run.Selection         // which tasks, on which web
	Options       = run.Options           // what a run does
	Subject       = subject.Options       // which server to drive
	VerifyOptions = trials.VerifyOptions  // a run, and how often
	ParityOptions = trials.ParityOptions  // a run, and its subjects
	ShowOptions   = stored.ShowOptions    // which run, or which episode, to show
	RunsOptions   = stored.RunsOptions    // which runs to compare
	MergeOptions  = stored.MergeOptions   // which runs to join
	JudgeOptions  = stored.JudgeOptions   // a contract and facts
	SuiteOptions  = suitecheck.Options    // a run, and which checks to make
	DoctorOptions = subject.DoctorOptions // what to check
	ImageOptions  = subject.ImageOptions  // which images
	NewOptions    = author.NewOptions     // which task to make
	Streams       = program.Streams       // where to write
)

// ExitError is an error with an exit code, see program's table.
type ExitError = program.ExitError

// Exit codes.
const (
	ExitPassed      = program.ExitPassed
	ExitUnexpected  = program.ExitUnexpected
	ExitUsage       = program.ExitUsage
	ExitFailed      = program.ExitFailed
	ExitVoid        = program.ExitVoid
	ExitDifference  = program.ExitDifference
	ExitRefused     = program.ExitRefused
	ExitGate        = program.ExitGate
	ExitLost        = program.ExitLost
	ExitInterrupted = program.ExitInterrupted
)

// ExitCode returns the exit code for the error of a function of this package.
func ExitCode(err error) int { return program.ExitCode(err) }

// Every program that uses this package must call Main first, after it has registered its
// adapters and before it reads flags, because bench:verify and the watchdog start copies of
// the program. In a compiled magefile Main also checks the arguments and prints the help
// that they request.
func Main() {
	watchdog.Main()
	program.PaceGC()
	started, err := trials.Child()
	if !started {
		program.Arguments()
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(ExitCode(err))
}

// Run runs tasks and writes the event log and the report below Options.Out.
func Run(ctx context.Context, o Options) error { return run.Run(ctx, o) }

// Verify runs tasks several times under other conditions and compares the runs.
func Verify(ctx context.Context, o VerifyOptions) error { return trials.Verify(ctx, o) }

// Parity runs tasks on several subjects and shows where they differ.
func Parity(ctx context.Context, o ParityOptions) error { return trials.Parity(ctx, o) }

// List prints the tasks of a selection.
func List(ctx context.Context, s Selection) error { return run.List(ctx, s) }

// Check reads task files and transcripts, and names every fault of every file.
func Check(ctx context.Context, s Selection) error { return run.Check(ctx, s) }

// SuiteCheck proves tasks: the right way passes, and no wrong way does.
func SuiteCheck(ctx context.Context, o SuiteOptions) error { return suitecheck.Run(ctx, o) }

// NewTask makes a task and its hosts as copies of others.
func NewTask(o NewOptions) error { return author.New(o) }

// TryTask runs one task and shows what each step saw, and where the contract stands.
func TryTask(ctx context.Context, o Options) error { return author.Try(ctx, o) }

// AcceptTask runs one task and writes the answers into its transcript.
func AcceptTask(ctx context.Context, o Options) error { return author.Accept(ctx, o) }

// Show prints a run again, from its event log.
func Show(ctx context.Context, o ShowOptions) error { return stored.Show(ctx, o) }

// Merge joins runs of one plan, such as the shards of a run, into one run.
func Merge(ctx context.Context, o MergeOptions) error { return stored.Merge(ctx, o) }

// CompareRuns compares two stored runs.
func CompareRuns(ctx context.Context, o RunsOptions) error { return stored.Runs(ctx, o) }

// Judge judges a contract on facts from a file.
func Judge(ctx context.Context, o JudgeOptions) error { return stored.Judge(ctx, o) }

// Doctor checks whether this machine can run OpenChrome.
func Doctor(ctx context.Context, o DoctorOptions) error { return subject.Doctor(ctx, o) }

// BuildImages makes the container images ahead of a run.
func BuildImages(ctx context.Context, o ImageOptions) error { return subject.BuildImages(ctx, o) }

// CleanContainers removes our containers, networks and images.
func CleanContainers(ctx context.Context, s Streams) error { return subject.CleanContainers(ctx, s) }

// Test runs this project's own quick checks.
func Test(ctx context.Context, s Streams) error { return selftest.Test(ctx, s) }

// TestAll runs this project's other checks, which take longer or need more than Go.
func TestAll(ctx context.Context, s Streams) error { return selftest.TestAll(ctx, s) }

// Serve serves the fixture web on the loopback interface until ctx ends, so that a person
// can look at it. s.Sites adds hosts. A host that shows drawn values has the draw s.Seed of
// the first selected task that lists it. Port 0 means a free port.
func Serve(ctx context.Context, s Selection, port int) error { return run.Serve(ctx, s, port) }
