// Package targets holds the mage targets. The magefile of any module gets all of them with
//
//	// mage:import
//	_ "github.com/openchrome/bench/harness/targets"
//
// and calls harness.Main in its init, which takes the options from the command line. Each target
// is one function of package harness.
package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/magefile/mage/mg"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/command/program"
)

func init() { program.IsMage() }

// Namespaces of mage: Bench runs tasks, Task, Suite and Site work on files of tasks and sites,
// and Report on stored runs.
type (
	Bench  mg.Namespace
	Task   mg.Namespace
	Suite  mg.Namespace
	Report mg.Namespace
	Site   mg.Namespace
)

// Episode runs tasks with any adapter.
func (Bench) Episode(ctx context.Context) error {
	return call(ctx, "bench:episode", harness.Run)
}

// Mock runs tasks with the mock adapter, which replays transcripts.
func (Bench) Mock(ctx context.Context) error {
	return call(ctx, "bench:mock", harness.Run)
}

// Parity runs tasks on several subjects, which take turns, and says what differs.
func (Bench) Parity(ctx context.Context) error {
	return call(ctx, "bench:parity", harness.Parity)
}

// Verify checks that a rerun gives the same report. It runs the tasks several times, and
// changes the order, the parallelism, the time zone, the locale and the folders each time.
func (Bench) Verify(ctx context.Context) error {
	return call(ctx, "bench:verify", harness.Verify)
}

// Doctor checks this machine and says how to get what is missing. It starts OpenChrome on this
// machine's Chromium for a moment. With -openchrome it checks that subject. It also says how to
// remove our containers, networks and images.
func Doctor(ctx context.Context) error {
	return call(ctx, "doctor", harness.Doctor)
}

// Version prints the version of the harness, and the commit that it was compiled of.
func Version(ctx context.Context) error {
	return call(ctx, "version", harness.Version)
}

// Compare compares two stored runs and says what changed.
func (Report) Compare(ctx context.Context) error {
	return call(ctx, "report:compare", harness.Compare)
}

// Merge joins runs of the same plan, such as the shards of a run, into one run. The canonical
// report is the one of a run that was not split, byte for byte. It exits like a run, or with 6
// if the runs do not fit together.
func (Report) Merge(ctx context.Context) error {
	return call(ctx, "report:merge", harness.Merge)
}

// Show rebuilds the report of a run from its event log, or shows one episode.
func (Report) Show(ctx context.Context) error {
	return call(ctx, "report:show", harness.Show)
}

// Serve serves the fixture web on localhost, so that you can look at it. Add ?controls to the
// address of a page to see the names that a transcript needs.
func (Site) Serve(ctx context.Context) error {
	return call(ctx, "site:serve", harness.Serve)
}

// Check proves tasks: the right way passes, and no wrong way does. It plays right and wrong
// episodes and checks the task files. It prints a line for each task, and at the end what
// failed and what to do. It exits with 3 if a task is not proved.
func (Suite) Check(ctx context.Context) error {
	return call(ctx, "suite:check", harness.SuiteCheck)
}

// Check reports every fault of every site, task and transcript, and runs nothing. It also finds
// mistakes in valid files, such as a contract that holds on every page. With -facts it judges a
// contract instead.
func (Task) Check(ctx context.Context) error {
	return call(ctx, "task:check", harness.Check)
}

// Record writes an episode of a run as a transcript of its task: one that passed as
// transcript.jsonl, after it has passed again on three draws, and one that failed as
// forbidden.RUN.jsonl.
func (Task) Record(ctx context.Context) error {
	return call(ctx, "task:record", harness.Record)
}

// Try runs one task and shows each step. It shows the call, the answer, what a next call could
// name on the page, and which assertions of the contract hold. Between the steps it waits until
// the page has settled.
func (Task) Try(ctx context.Context) error {
	return call(ctx, "task:try", harness.Try)
}

// call calls a target with its options. It prints a failing verdict on standard output, like a
// passing one, and ends the process with its exit code. Otherwise mage would print the verdict as
// an error. Mage prints other errors, as [harness.ExitError] writes them.
func call(ctx context.Context, target string, do func(context.Context, harness.Options) error) error {
	err := do(ctx, harness.Options(program.Options(target)))
	if e, ok := errors.AsType[*harness.ExitError](err); ok && e.Code != harness.ExitUsage {
		signal.Ignore(syscall.SIGPIPE) // the reader of our output may be gone
		if _, lost := fmt.Println(e); lost != nil && !errors.Is(lost, syscall.EPIPE) {
			fmt.Fprintln(os.Stderr, "Error:", e)
		}
		os.Exit(e.Code)
	}
	if err != nil {
		return &harness.ExitError{Code: harness.ExitCode(err), Err: err}
	}
	return nil
}
