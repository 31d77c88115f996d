// Package targets holds the mage targets. The magefile of any module gets all of them with
//
//	// mage:import
//	_ "github.com/openchrome/bench/harness/targets"
//
// and calls harness.Main in its init. Each target declares its options and makes one
// call to package harness.
package targets

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/command/program"
)

// source is this file. The help and the check of arguments read it.
//
//go:embed targets.go
var source string

func init() { program.Describe(source) }

// Bench runs tasks.
type Bench mg.Namespace

// Container groups the targets for container images.
type Container mg.Namespace

// Task groups the targets for task files.
type Task mg.Namespace

// Suite groups the targets for suites of tasks.
type Suite mg.Namespace

// Report groups the targets for reports.
type Report mg.Namespace

// Contract groups the targets for contracts.
type Contract mg.Namespace

// Site groups the targets for the fixture web.
type Site mg.Namespace

// Mock runs the built-in tasks with the mock adapter.
// It replays transcripts.
func (Bench) Mock(ctx context.Context,
	task *string, // run only these tasks: ids, separated by commas
	tags *string, // run only tasks with one of these tags, separated by commas
	suite *string, // run only the tasks of this suite: smoke, core (which includes smoke), hard or all (smoke; all with -task, -tags or -tasks)
	tasks *string, // folder of your own tasks, instead of the built-in ones
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	seed *int, // which draw of the tasks' values to use: 0, 1, 2 and so on (0)
	seedKey *string, // file with a secret key of 16 bytes or more, which makes the draws private
	openchrome *string, // server to drive: auto, container, local, standin, playwright-mcp, chrome-devtools-mcp, a command line that serves MCP on stdio, or an address; a name may be followed by a package, as in local:FOLDER (auto)
	Package *string, // package of the server, if -openchrome has none: a folder with a built OpenChrome or an installed peer; for container also a version on npm or a .tgz
	path *string, // transcripts to replay: oracle reaches the goal; usual makes the calls that an agent would try first; shortest acts without reading a page (oracle)
	drift *string, // what to do if an answer differs from the transcript: count records it and goes on, strict ends the episode (count)
	web *string, // hermetic: only fixture hosts exist; live: all other hosts are the real ones on the internet, with container and local only (hermetic)
	maxSteps *int, // replaces the step cap of every task: 1 to 100
	maxDuration *time.Duration, // replaces the time cap of every task: 1ms to 10m, such as 30s
	repetitions *int, // how many times to run each task (1)
	parallel *int, // how many episodes to run at the same time (1)
	retries *int, // how often to run an episode again that is void; never one that failed (0)
	out *string, // folder for reports/ and events/ (the current folder)
	run *string, // name of the run (made from the time)
	resume *string, // name of a run to continue: episodes that are done do not run again; give the same options as before. If the run has no log yet, it starts
	shard *string, // run only a share of the episodes, such as 2/7; join the shards with report:merge (all; in a Kubernetes Indexed Job the environment says which)
	keep *string, // episodes whose last page and screenshot are saved next to the log: failed means every episode that did not pass, all means every episode (failed)
	format *string, // more formats of the report, separated by commas: junit, gobench, github; in GitHub Actions, github is always added
	verbose *bool, // print every call, and every passed episode of a run of more than 100; OPENCHROME_BENCH_VERBOSE=1 does the same
) error {
	return verdict(harness.Run(ctx, harness.Options{
		Selection: harness.Selection{Task: get(task), Tags: get(tags), Suite: get(suite), Tasks: get(tasks), Sites: get(sites), Seed: get(seed), SeedKey: get(seedKey), Web: get(web)},
		Options:   harness.Subject{OpenChrome: get(openchrome), Package: get(Package)},
		Path:      get(path), Drift: get(drift), MaxSteps: maxSteps, MaxDuration: maxDuration, Repetitions: repetitions, Parallel: parallel, Retries: retries, Out: get(out), RunID: get(run), Resume: get(resume), Shard: get(shard), Keep: get(keep), Format: get(format), Verbose: get(verbose),
	}))
}

// Episode runs tasks of your own, or the built-in ones, with any adapter.
func (Bench) Episode(ctx context.Context,
	task *string, // run only these tasks: ids, separated by commas
	tags *string, // run only tasks with one of these tags, separated by commas
	suite *string, // run only the tasks of this suite: smoke, core (which includes smoke), hard or all (smoke; all with -task, -tags or -tasks)
	tasks *string, // folder of your own tasks, instead of the built-in ones
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	seed *int, // which draw of the tasks' values to use: 0, 1, 2 and so on (0)
	seedKey *string, // file with a secret key of 16 bytes or more, which makes the draws private
	adapter *string, // adapter that decides the calls: mock replays transcripts, none makes no call (mock)
	openchrome *string, // server to drive: auto, container, local, standin, playwright-mcp, chrome-devtools-mcp, a command line that serves MCP on stdio, or an address; a name may be followed by a package, as in local:FOLDER (auto)
	Package *string, // package of the server, if -openchrome has none: a folder with a built OpenChrome or an installed peer; for container also a version on npm or a .tgz
	path *string, // transcripts to replay: oracle reaches the goal; usual makes the calls that an agent would try first; shortest acts without reading a page (oracle)
	drift *string, // what to do if an answer differs from the transcript: count records it and goes on, strict ends the episode (count)
	web *string, // hermetic: only fixture hosts exist; live: all other hosts are the real ones on the internet, with container and local only (hermetic)
	maxSteps *int, // replaces the step cap of every task: 1 to 100
	maxDuration *time.Duration, // replaces the time cap of every task: 1ms to 10m, such as 30s
	repetitions *int, // how many times to run each task (1)
	parallel *int, // how many episodes to run at the same time (1)
	retries *int, // how often to run an episode again that is void; never one that failed (0)
	out *string, // folder for reports/ and events/ (the current folder)
	run *string, // name of the run (made from the time)
	resume *string, // name of a run to continue: episodes that are done do not run again; give the same options as before. If the run has no log yet, it starts
	shard *string, // run only a share of the episodes, such as 2/7; join the shards with report:merge (all; in a Kubernetes Indexed Job the environment says which)
	keep *string, // episodes whose last page and screenshot are saved next to the log: failed means every episode that did not pass, all means every episode (failed)
	format *string, // more formats of the report, separated by commas: junit, gobench, github; in GitHub Actions, github is always added
	verbose *bool, // print every call, and every passed episode of a run of more than 100; OPENCHROME_BENCH_VERBOSE=1 does the same
) error {
	return verdict(harness.Run(ctx, harness.Options{
		Selection: harness.Selection{Task: get(task), Tags: get(tags), Suite: get(suite), Tasks: get(tasks), Sites: get(sites), Seed: get(seed), SeedKey: get(seedKey), Web: get(web), Adapter: get(adapter)},
		Options:   harness.Subject{OpenChrome: get(openchrome), Package: get(Package)},
		Path:      get(path), Drift: get(drift), MaxSteps: maxSteps, MaxDuration: maxDuration, Repetitions: repetitions, Parallel: parallel, Retries: retries, Out: get(out), RunID: get(run), Resume: get(resume), Shard: get(shard), Keep: get(keep), Format: get(format), Verbose: get(verbose),
	}))
}

// Verify checks that a rerun gives the same report.
// It runs the tasks several times, and changes the order, the parallelism, the time
// zone, the locale and the folders each time.
func (Bench) Verify(ctx context.Context,
	task *string, // run only these tasks: ids, separated by commas
	tags *string, // run only tasks with one of these tags, separated by commas
	suite *string, // run only the tasks of this suite: smoke, core (which includes smoke), hard or all (smoke; all with -task, -tags or -tasks)
	tasks *string, // folder of your own tasks, instead of the built-in ones
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	seed *int, // which draw of the tasks' values to use: 0, 1, 2 and so on (0)
	seedKey *string, // file with a secret key of 16 bytes or more, which makes the draws private
	adapter *string, // adapter that decides the calls: mock replays transcripts, none makes no call (mock)
	openchrome *string, // server to drive: auto, container, local, standin, playwright-mcp, chrome-devtools-mcp, a command line that serves MCP on stdio, or an address; a name may be followed by a package, as in local:FOLDER (auto)
	Package *string, // package of the server, if -openchrome has none: a folder with a built OpenChrome or an installed peer; for container also a version on npm or a .tgz
	path *string, // transcripts to replay: oracle reaches the goal; usual makes the calls that an agent would try first; shortest acts without reading a page (oracle)
	drift *string, // what to do if an answer differs from the transcript: count records it and goes on, strict ends the episode (count)
	web *string, // hermetic: only fixture hosts exist; live: all other hosts are the real ones on the internet, with container and local only (hermetic)
	maxSteps *int, // replaces the step cap of every task: 1 to 100
	maxDuration *time.Duration, // replaces the time cap of every task: 1ms to 10m, such as 30s
	repetitions *int, // how many times to run each task (1)
	out *string, // folder for reports/ and events/ (the current folder)
	run *string, // name of the first run (made from the time)
	format *string, // more formats of the first run, separated by commas: junit, gobench, github; in GitHub Actions, github is always added
	runs *int, // how many runs to compare (3)
) error {
	return verdict(harness.Verify(ctx, harness.VerifyOptions{Runs: runs, Options: harness.Options{
		Selection: harness.Selection{Task: get(task), Tags: get(tags), Suite: get(suite), Tasks: get(tasks), Sites: get(sites), Seed: get(seed), SeedKey: get(seedKey), Web: get(web), Adapter: get(adapter)},
		Options:   harness.Subject{OpenChrome: get(openchrome), Package: get(Package)},
		Path:      get(path), Drift: get(drift), MaxSteps: maxSteps, MaxDuration: maxDuration, Repetitions: repetitions, Out: get(out), RunID: get(run), Format: get(format),
	}}))
}

// List prints the tasks.
func (Bench) List(ctx context.Context,
	task *string, // list only these tasks: ids, separated by commas
	tags *string, // list only tasks with one of these tags, separated by commas
	suite *string, // list only the tasks of this suite: smoke, core (which includes smoke), hard or all (all)
	tasks *string, // folder of your own tasks, instead of the built-in ones
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	seed *int, // which draw of the tasks' values to use: 0, 1, 2 and so on (0)
	seedKey *string, // file with a secret key of 16 bytes or more, which makes the draws private
	web *string, // hermetic: tasks may use only fixture hosts; live: tasks may use all hosts (hermetic)
) error {
	return verdict(harness.List(ctx, harness.Selection{Task: get(task), Tags: get(tags), Suite: get(suite), Tasks: get(tasks), Sites: get(sites), Seed: get(seed), SeedKey: get(seedKey), Web: get(web)}))
}

// Parity runs the tasks on several subjects, which take turns, and says what changed.
func (Bench) Parity(ctx context.Context,
	subjects *string, // subjects, separated by commas; the first is compared with each of the others. Each is written like a value of -openchrome, such as local:FOLDER; a path must not contain a comma (standin,local,container)
	task *string, // run only these tasks: ids, separated by commas
	tags *string, // run only tasks with one of these tags, separated by commas
	suite *string, // run only the tasks of this suite: smoke, core (which includes smoke), hard or all (smoke; all with -task, -tags or -tasks)
	tasks *string, // folder of your own tasks, instead of the built-in ones
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	seed *int, // which draw of the tasks' values to use: 0, 1, 2 and so on (0)
	seedKey *string, // file with a secret key of 16 bytes or more, which makes the draws private
	Package *string, // package for container and local, if -subjects gives them none: a folder with a built OpenChrome; for container also a version on npm or a .tgz
	path *string, // transcripts to replay: oracle reaches the goal; usual makes the calls that an agent would try first; shortest acts without reading a page (oracle)
	drift *string, // what to do if an answer differs from the transcript: count records it and goes on, strict ends the episode (count)
	maxSteps *int, // replaces the step cap of every task: 1 to 100
	repetitions *int, // how many times to run each task on each subject (1)
	out *string, // folder for reports/ and events/ (the current folder)
	run *string, // name of the runs; each run adds -1, -2 and so on (made from the time)
	gate *string, // rules that every subject after the first must keep, separated by commas, such as flips==0,duration.rise<=20%; a breach exits with 7
) error {
	return verdict(harness.Parity(ctx, harness.ParityOptions{Subjects: get(subjects), Gate: get(gate), Options: harness.Options{
		Selection: harness.Selection{Task: get(task), Tags: get(tags), Suite: get(suite), Tasks: get(tasks), Sites: get(sites), Seed: get(seed), SeedKey: get(seedKey)},
		Options:   harness.Subject{Package: get(Package)},
		Path:      get(path), Drift: get(drift), MaxSteps: maxSteps, Repetitions: repetitions, Out: get(out), RunID: get(run),
	}}))
}

// Build builds the container images ahead of a run.
func (Container) Build(ctx context.Context,
	Package *string, // OpenChrome to build into the image: a version on npm, a .tgz, or a folder with a built OpenChrome
) error {
	return verdict(harness.BuildImages(ctx, harness.ImageOptions{Package: get(Package)}))
}

// Clean removes our containers, networks and images, and nothing else.
func (Container) Clean(ctx context.Context) error {
	return verdict(harness.CleanContainers(ctx, harness.Streams{}))
}

// Doctor checks this machine and says how to get what is missing.
func Doctor(ctx context.Context,
	Package *string, // package to check, for local and container: a folder with a built OpenChrome; for container also a version on npm or a .tgz
	out *string, // folder whose free disk space is checked (the current folder)
) error {
	return verdict(harness.Doctor(ctx, harness.DoctorOptions{Package: get(Package), Out: get(out)}))
}

// Check reports every fault of every site, task and transcript, and runs nothing.
// It also finds mistakes in valid files, such as a contract that holds on every page.
func (Task) Check(ctx context.Context,
	task *string, // ids of tasks that must exist, separated by commas
	tags *string, // tags that must exist, separated by commas
	suite *string, // suite that must have a task: smoke, core, hard or all (all)
	tasks *string, // folder of your own tasks, instead of the built-in ones
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	seed *int, // which draw of the tasks' values to use: 0, 1, 2 and so on (0)
	seedKey *string, // file with a secret key of 16 bytes or more, which makes the draws private
	web *string, // hermetic: tasks may use only fixture hosts; live: tasks may use all hosts (hermetic)
	adapter *string, // adapter whose files are also checked: mock has transcripts, none has no files (mock)
) error {
	return verdict(harness.Check(ctx, harness.Selection{Task: get(task), Tags: get(tags), Suite: get(suite), Tasks: get(tasks), Sites: get(sites), Seed: get(seed), SeedKey: get(seedKey), Web: get(web), Adapter: get(adapter)}))
}

// Check proves tasks: the right way passes, and no wrong way does.
// It plays right and wrong episodes and checks the task files. It prints a line for each task,
// and at the end what failed and what to do. It exits with 3 if a task is not proved.
func (Suite) Check(ctx context.Context,
	task *string, // check only these tasks: ids, separated by commas
	tags *string, // check only tasks with one of these tags, separated by commas
	suite *string, // check only the tasks of this suite: smoke, core (which includes smoke), hard or all (smoke; all with -task, -tags or -tasks)
	tasks *string, // folder of your own tasks, instead of the built-in ones
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	check *string, // checks to make, separated by commas: oracle, null, start, wanderer, cut, mutants, leaves, typed, forged, leak, goal, forbidden, steps, seeds (all)
	openchrome *string, // server to drive: auto, container, local, standin, playwright-mcp, chrome-devtools-mcp, a command line that serves MCP on stdio, or an address; a name may be followed by a package, as in local:FOLDER (auto)
	Package *string, // package of the server, if -openchrome has none: a folder with a built OpenChrome or an installed peer; for container also a version on npm or a .tgz
	seed *int, // which draw of the tasks' values to use: 0, 1, 2 and so on (0)
	seedKey *string, // file with a secret key of 16 bytes or more, which makes the draws private
	repetitions *int, // how many times to play the oracle (10)
	parallel *int, // how many episodes to run at the same time (1)
) error {
	return verdict(harness.SuiteCheck(ctx, harness.SuiteOptions{Checks: get(check), Options: harness.Options{
		Selection: harness.Selection{Task: get(task), Tags: get(tags), Suite: get(suite), Tasks: get(tasks), Sites: get(sites), Seed: get(seed), SeedKey: get(seedKey)},
		Options:   harness.Subject{OpenChrome: get(openchrome), Package: get(Package)}, Repetitions: repetitions, Parallel: parallel,
	}}))
}

// New makes a task and its pages as copies of another task and its pages.
// The copies pass task:check. It prints the next commands.
func (Task) New(
	id *string, // id of the new task: at most 42 characters a-z, 0-9 and -
	from *string, // id of the task to start from, built-in or in the folder of -tasks
	tasks *string, // folder to write the task to (my-tasks)
	sites *string, // folder to write its hosts to (my-sites)
) error {
	return verdict(harness.NewTask(harness.NewOptions{ID: get(id), From: get(from), Tasks: get(tasks), Sites: get(sites)}))
}

// Try runs one task and shows each step.
// It shows the call, the answer, what a next call could name on the page, and which
// assertions of the contract hold. Between the steps it waits until the page has settled.
func (Task) Try(ctx context.Context,
	task *string, // the task, by its id
	tasks *string, // folder of your own tasks, instead of the built-in ones
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	seed *int, // which draw of the tasks' values to use: 0, 1, 2 and so on (0)
	openchrome *string, // server to drive: auto, container, local, standin, playwright-mcp, chrome-devtools-mcp, a command line that serves MCP on stdio, or an address; a name may be followed by a package, as in local:FOLDER (auto)
	Package *string, // package of the server, if -openchrome has none: a folder with a built OpenChrome or an installed peer; for container also a version on npm or a .tgz
	path *string, // transcript to replay: oracle, usual or shortest (oracle)
) error {
	return verdict(harness.TryTask(ctx, harness.Options{
		Selection: harness.Selection{Task: get(task), Tasks: get(tasks), Sites: get(sites), Seed: get(seed)},
		Options:   harness.Subject{OpenChrome: get(openchrome), Package: get(Package)}, Path: get(path),
	}))
}

// Accept runs one task and writes the answers into its transcript, as the expected ones.
// It prints the lines that it changes. Lines whose answer is as expected stay.
func (Task) Accept(ctx context.Context,
	task *string, // the task, by its id
	tasks *string, // folder of your own tasks, which holds the transcript
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	seed *int, // which draw of the tasks' values to use: 0, 1, 2 and so on (0)
	openchrome *string, // server to drive: auto, container, local, standin, playwright-mcp, chrome-devtools-mcp, a command line that serves MCP on stdio, or an address; a name may be followed by a package, as in local:FOLDER (auto)
	Package *string, // package of the server, if -openchrome has none: a folder with a built OpenChrome or an installed peer; for container also a version on npm or a .tgz
	path *string, // transcript to replay: oracle, usual or shortest (oracle)
) error {
	return verdict(harness.AcceptTask(ctx, harness.Options{
		Selection: harness.Selection{Task: get(task), Tasks: get(tasks), Sites: get(sites), Seed: get(seed)},
		Options:   harness.Subject{OpenChrome: get(openchrome), Package: get(Package)}, Path: get(path),
	}))
}

// Show rebuilds the report of a run from its event log, or shows one episode.
func (Report) Show(ctx context.Context,
	out *string, // folder that holds reports/ and events/ (the current folder)
	run *string, // name of the run to show (the newest)
	episode *string, // show only this episode, such as example-h1#1: why it failed, each step, and how to run it again
	judge *bool, // judge every episode again from its logged facts
	format *string, // more formats of the report, separated by commas: junit, gobench, github; in GitHub Actions, github is always added
) error {
	return verdict(harness.Show(ctx, harness.ShowOptions{Out: get(out), Run: get(run), Episode: get(episode), Judge: get(judge), Format: get(format)}))
}

// Merge joins runs of the same plan, such as the shards of a run, into one run.
// The canonical report is the one of a run that was not split, byte for byte. It exits like
// a run, or with 6 if the runs do not fit together.
func (Report) Merge(ctx context.Context,
	runs *string, // the runs to join, separated by commas, in any order: names, folders that hold events/ (all runs in them), or event logs
	run *string, // name of the new run
	out *string, // folder that holds reports/ and events/; the new run is written there (the current folder)
	format *string, // more formats of the report, separated by commas: junit, gobench, github; in GitHub Actions, github is always added
) error {
	return verdict(harness.Merge(ctx, harness.MergeOptions{Runs: get(runs), Run: get(run), Out: get(out), Format: get(format)}))
}

// Compare compares two stored runs and says what changed.
func (Report) Compare(ctx context.Context,
	base *string, // the run to compare with: its name, a folder that holds reports/ and events/ (the newest run in it), an event log, or a report such as a committed .canonical.json
	head *string, // the run to judge, given in the same way
	out *string, // folder that holds reports/ and events/; the comparison is written to reports/ (the current folder)
	gate *string, // rules that the head must keep, separated by commas, such as flips==0,success.drop<=0.05; a breach exits with 7
) error {
	return verdict(harness.CompareRuns(ctx, harness.RunsOptions{Base: get(base), Head: get(head), Out: get(out), Gate: get(gate)}))
}

// Judge judges a contract on facts from a file.
func (Contract) Judge(ctx context.Context,
	contract *string, // file with a contract, or a task.json
	facts *string, // file with the facts: OpenChrome's evidence.snapshot, or a facts event of a log
	seed *int, // which draw of the task's values to fill in to its contract: the one of the run with the facts (0)
	seedKey *string, // file with the secret key of that run, if its draws are private
) error {
	return verdict(harness.Judge(ctx, harness.JudgeOptions{Contract: get(contract), Facts: get(facts), Seed: get(seed), SeedKey: get(seedKey)}))
}

// Serve serves the fixture web on localhost, so that you can look at it.
// Add ?controls to the address of a page to see the names that a transcript needs.
func (Site) Serve(ctx context.Context,
	task *string, // tasks whose values the pages show: ids, separated by commas (all; if two tasks list the same host, it shows the values of the first)
	tasks *string, // folder of your own tasks, instead of the built-in ones
	sites *string, // folder of your own fixture hosts, in addition to the built-in ones
	seed *int, // which draw of the tasks' values to show: 0, 1, 2 and so on (0)
	seedKey *string, // file with a secret key of 16 bytes or more, which makes the draws private
	port *int, // port to listen on (a free one)
) error {
	return verdict(harness.Serve(ctx, harness.Selection{Task: get(task), Tasks: get(tasks), Sites: get(sites), Seed: get(seed), SeedKey: get(seedKey)}, get(port)))
}

// verdict prints a failing verdict on standard output, like a passing one, and ends the
// process with its exit code. Otherwise mage would print the verdict as an error. Mage prints
// other errors, as [harness.ExitError] writes them.
func verdict(err error) error {
	if e, ok := errors.AsType[*harness.ExitError](err); ok && e.Code != harness.ExitUsage {
		signal.Ignore(syscall.SIGPIPE) // the reader of our output may be gone
		fmt.Println(e)
		os.Exit(e.Code)
	}
	if err != nil {
		return &harness.ExitError{Code: harness.ExitCode(err), Err: err}
	}
	return nil
}

func get[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}
