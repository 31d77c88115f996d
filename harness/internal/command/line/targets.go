// Package line reads a command line: it has all targets, one row each, and runs the one that is named.
package line

import (
	"context"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/author"
	"github.com/openchrome/bench/harness/internal/command/build"
	"github.com/openchrome/bench/harness/internal/command/doctor"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/command/stored"
	"github.com/openchrome/bench/harness/internal/command/suitecheck"
	"github.com/openchrome/bench/harness/internal/command/trials"
	"github.com/openchrome/bench/harness/internal/option"
)

// A Target is what people type before its options.
type Target struct {
	Name    string // such as bench:mock
	Doc     string // what it does: "runs tasks …"; mage lists its first sentence, from harness/targets
	Example string // options of an example, for the help
	do      func(context.Context, option.Values) error
}

// Targets are all targets, in the order of the help. To add one: its row here, and its function in
// package targets.
var Targets = []Target{
	{"bench:episode", "runs tasks with any adapter.",
		"-adapter=policy:form -server=standin", of(runTasks)},
	{"bench:mock", "runs tasks with the mock adapter, which replays transcripts.",
		"-server=standin -task=example-h1 -verbose", of(runTasks)},
	{"bench:parity", "runs tasks on several servers, which take turns, and says what differs.",
		"-servers=local:../main,local:../branch -repetitions=5", of(trials.Parity)},
	{"bench:verify", "checks that a rerun gives the same report. It runs the tasks several times, and changes the order, the parallelism, the time zone, the locale and the folders each time.",
		"-server=standin -runs=5", of(trials.Verify)},
	{"doctor", "checks this machine and says how to get what is missing. It starts OpenChrome on this machine's Chromium for a moment. With -server it checks that server. It also says how to remove our containers, networks and images.",
		"-server=local", doctor.Run},
	{"report:compare", "compares two stored runs and says what changed.",
		"-base=before -head=after -gate=regressions==0", stored.Compare},
	{"report:history", "says how a server changed over its versions, of stored runs. It names what fell and what rose last, and writes reports/history.html. Runs of one build are one version.",
		"-out=nightly -gate=regressions==0", stored.History},
	{"report:merge", "joins runs of the same plan, such as the shards of a run, into one run. The canonical report is the one of a run that was not split, byte for byte. It exits like a run, or with 6 if the runs do not fit together.",
		"-runs=s1,s2 -run=nightly", stored.Merge},
	{"report:show", "rebuilds the report of a run from its event log, or shows one episode.",
		"-episode=example-h1", stored.Show},
	{"site:serve", "serves the fixture web on localhost, so that you can look at it.",
		"-task=example-h1", of(run.Serve)},
	{"suite:check", "proves tasks: the right way passes, and no wrong way does. It plays right and wrong episodes and checks the task files. It prints a line for each task, and at the end what failed and what to do. It exits with 3 if a task is not proved.",
		"-task=example-h1 -server=standin", of(suitecheck.Run)},
	{"task:check", "reports every fault of every site, task and transcript, and runs nothing. It also finds mistakes in valid files, such as a call of a tool that OpenChrome does not have. With -facts it judges a contract instead.",
		"-tasks=my-tasks -sites=my-sites", of(check)},
	{"task:record", "writes an episode of a run as a transcript of its task: one that passed as transcript.jsonl, after it has passed again on three seeds, and one that failed as forbidden.RUN.jsonl.",
		"-run=nightly -episode=example-h1#1 -tasks=my-tasks", of(author.Record)},
	{"task:try", "runs one task and shows each step. It shows the call, the answer, what a next call could name on the page, and which assertions of the contract hold. Between the steps it waits until the page has settled.",
		"-task=example-h1 -server=standin", of(author.Try)},
	{"version", "prints the version of the harness, and the commit that it was built from.",
		"", build.Print},
}

// Find returns the target of that name, in any case of letters.
func Find(name string) (Target, bool) {
	i := slices.IndexFunc(Targets, func(t Target) bool { return strings.EqualFold(t.Name, name) })
	if i < 0 {
		return Target{}, false
	}
	return Targets[i], true
}

// of is for targets that run tasks, or read them like a run.
func of(do func(context.Context, run.Options) error) func(context.Context, option.Values) error {
	return func(ctx context.Context, v option.Values) error { return do(ctx, run.Options{Values: v}) }
}

func runTasks(ctx context.Context, o run.Options) (err error) {
	if o.Failed != "" {
		o.Task, err = stored.NotPassed(ctx, o.Values)
	}
	if err != nil {
		return err
	}
	return run.Run(ctx, o)
}

func check(ctx context.Context, o run.Options) error {
	if o.Facts != "" {
		return stored.Judge(ctx, o)
	}
	return run.Check(ctx, o)
}
