// Package targets holds the mage targets. The magefile of any module gets all of them with
//
//	// mage:import
//	_ "github.com/openchrome/bench/harness/targets"
//
// and calls harness.Main in its init, which runs a target of ours before mage reads the command
// line. Mage lists the functions here, and calls them for a target that depends on one.
package targets

import (
	"context"

	"github.com/magefile/mage/mg"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/command/line"
)

func init() { line.Magefile = true }

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
// Help: mage bench:episode -h.
func (Bench) Episode(ctx context.Context) error { return call(ctx, "bench:episode") }

// Mock runs tasks with the mock adapter, which replays transcripts.
// Help: mage bench:mock -h.
func (Bench) Mock(ctx context.Context) error { return call(ctx, "bench:mock") }

// Parity runs tasks on several servers, which take turns, and says what differs.
// Help: mage bench:parity -h.
func (Bench) Parity(ctx context.Context) error { return call(ctx, "bench:parity") }

// Verify checks that a rerun gives the same report.
// Help: mage bench:verify -h.
func (Bench) Verify(ctx context.Context) error { return call(ctx, "bench:verify") }

// Doctor checks this machine and says how to get what is missing.
// Help: mage doctor -h.
func Doctor(ctx context.Context) error { return call(ctx, "doctor") }

// Version prints the version of the harness, and the commit that it was built from.
// Help: mage version -h.
func Version(ctx context.Context) error { return call(ctx, "version") }

// Compare compares two stored runs and says what changed.
// Help: mage report:compare -h.
func (Report) Compare(ctx context.Context) error { return call(ctx, "report:compare") }

// History says how a server changed over its versions, of stored runs.
// Help: mage report:history -h.
func (Report) History(ctx context.Context) error { return call(ctx, "report:history") }

// Merge joins runs of the same plan, such as the shards of a run, into one run.
// Help: mage report:merge -h.
func (Report) Merge(ctx context.Context) error { return call(ctx, "report:merge") }

// Show rebuilds the report of a run from its event log, or shows one episode.
// Help: mage report:show -h.
func (Report) Show(ctx context.Context) error { return call(ctx, "report:show") }

// Serve serves the fixture web on localhost, so that you can look at it.
// Help: mage site:serve -h.
func (Site) Serve(ctx context.Context) error { return call(ctx, "site:serve") }

// Check proves tasks: the right way passes, and no wrong way does.
// Help: mage suite:check -h.
func (Suite) Check(ctx context.Context) error { return call(ctx, "suite:check") }

// Check reports every fault of every site, task and transcript, and runs nothing.
// Help: mage task:check -h.
func (Task) Check(ctx context.Context) error { return call(ctx, "task:check") }

// Record writes an episode of a run as a transcript of its task: one that passed as transcript.jsonl,
// after it has passed again on three seeds, and one that failed as forbidden.RUN.jsonl.
// Help: mage task:record -h.
func (Task) Record(ctx context.Context) error { return call(ctx, "task:record") }

// Try runs one task and shows each step.
// Help: mage task:try -h.
func (Task) Try(ctx context.Context) error { return call(ctx, "task:try") }

func call(ctx context.Context, target string) error {
	return harness.Call(ctx, target, harness.Options{})
}
