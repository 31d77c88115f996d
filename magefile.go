//go:build mage

// Benchmark whole browser tasks on OpenChrome: task file -> fresh browser -> bounded steps -> verdict -> report.
//
// Options are -name=value after the target; `mage -h <target>` explains them.
package main

import (
	"context"
	"time"

	"github.com/magefile/mage/mg"

	"github.com/openchrome/bench/harness"
)

func init() { harness.Main() }

// Bench runs tasks.
type Bench mg.Namespace

// Task looks after task files.
type Task mg.Namespace

// Report looks after reports.
type Report mg.Namespace

// Site looks after the fixture web.
type Site mg.Namespace

// Mock runs the built-in tasks with the mock adapter, which replays transcripts.
func (Bench) Mock(ctx context.Context,
	task *string, // run only these tasks: ids, separated by commas
	tags *string, // run only tasks with one of these tags, separated by commas
	tasks *string, // folder of your own tasks, in place of the built-in ones
	sites *string, // folder of your own fixture hosts, beside the built-in ones
	openchrome *string, // what to drive: auto, standin, or a command line that serves MCP on stdio (auto)
	maxSteps *int, // replaces the tasks' step caps: 1 to 100
	maxDuration *time.Duration, // replaces the tasks' time caps, such as 30s: 1ms to 10m
	repetitions *int, // episodes of each task (1)
	parallel *int, // episodes at a time (1)
	out *string, // folder that gets reports/ and events/ (the current folder)
	run *string, // name of the run (made from the time)
	verbose *bool, // print every call; so does OPENCHROME_BENCH_VERBOSE=1
) error {
	return harness.Run(ctx, harness.Options{
		Task: get(task), Tags: get(tags), Tasks: get(tasks), Sites: get(sites), OpenChrome: get(openchrome),
		MaxSteps: maxSteps, MaxDuration: maxDuration, Repetitions: repetitions, Parallel: parallel, Out: get(out),
		RunID: get(run), Verbose: get(verbose),
	})
}

// Episode runs tasks: those of a folder, or the built-in ones.
func (Bench) Episode(ctx context.Context,
	task *string, // run only these tasks: ids, separated by commas
	tags *string, // run only tasks with one of these tags, separated by commas
	tasks *string, // folder of your own tasks, in place of the built-in ones
	sites *string, // folder of your own fixture hosts, beside the built-in ones
	adapter *string, // who decides the calls (mock: replays transcripts)
	openchrome *string, // what to drive: auto, standin, or a command line that serves MCP on stdio (auto)
	maxSteps *int, // replaces the tasks' step caps: 1 to 100
	maxDuration *time.Duration, // replaces the tasks' time caps, such as 30s: 1ms to 10m
	repetitions *int, // episodes of each task (1)
	parallel *int, // episodes at a time (1)
	out *string, // folder that gets reports/ and events/ (the current folder)
	run *string, // name of the run (made from the time)
	verbose *bool, // print every call; so does OPENCHROME_BENCH_VERBOSE=1
) error {
	return harness.Run(ctx, harness.Options{
		Task: get(task), Tags: get(tags), Tasks: get(tasks), Sites: get(sites), Adapter: get(adapter),
		OpenChrome: get(openchrome), MaxSteps: maxSteps, MaxDuration: maxDuration, Repetitions: repetitions, Parallel: parallel,
		Out: get(out), RunID: get(run), Verbose: get(verbose),
	})
}

// Verify runs the tasks again and again, each time under other conditions, and proves that nothing differs.
func (Bench) Verify(ctx context.Context,
	task *string, // run only these tasks: ids, separated by commas
	tags *string, // run only tasks with one of these tags, separated by commas
	tasks *string, // folder of your own tasks, in place of the built-in ones
	sites *string, // folder of your own fixture hosts, beside the built-in ones
	adapter *string, // who decides the calls (mock: replays transcripts)
	openchrome *string, // what to drive: auto, standin, or a command line that serves MCP on stdio (auto)
	maxSteps *int, // replaces the tasks' step caps: 1 to 100
	maxDuration *time.Duration, // replaces the tasks' time caps, such as 30s: 1ms to 10m
	repetitions *int, // episodes of each task (1)
	out *string, // folder that gets reports/ and events/ (the current folder)
	run *string, // name of the first run (made from the time)
	runs *int, // how many runs to compare (3)
) error {
	return harness.Verify(ctx, harness.Options{
		Task: get(task), Tags: get(tags), Tasks: get(tasks), Sites: get(sites), Adapter: get(adapter),
		OpenChrome: get(openchrome), MaxSteps: maxSteps, MaxDuration: maxDuration, Repetitions: repetitions, Out: get(out),
		RunID: get(run),
	}, runs)
}

// List prints the tasks.
func (Bench) List(ctx context.Context,
	task *string, // list only these tasks: ids, separated by commas
	tags *string, // list only tasks with one of these tags, separated by commas
	tasks *string, // folder of your own tasks, in place of the built-in ones
	sites *string, // folder of your own fixture hosts, beside the built-in ones
) error {
	return harness.List(ctx, harness.Options{Task: get(task), Tags: get(tags), Tasks: get(tasks), Sites: get(sites)})
}

// Check reads task files and transcripts, tells every fault at its place, and runs nothing.
func (Task) Check(ctx context.Context,
	task *string, // check that these ids exist, separated by commas
	tags *string, // check that these tags exist, separated by commas
	tasks *string, // folder of your own tasks, in place of the built-in ones
	sites *string, // folder of your own fixture hosts, beside the built-in ones
	adapter *string, // whose files are checked beside the task files (mock)
) error {
	return harness.Check(ctx, harness.Options{
		Task: get(task), Tags: get(tags), Tasks: get(tasks), Sites: get(sites), Adapter: get(adapter),
	})
}

// Show prints a run again: it rebuilds the report from the event log.
func (Report) Show(ctx context.Context,
	out *string, // folder that holds reports/ and events/ (the current folder)
	run *string, // the run (the newest)
) error {
	return harness.Show(ctx, harness.Options{Out: get(out), RunID: get(run)})
}

// Serve serves the fixture web on localhost for a person to look at.
func (Site) Serve(ctx context.Context,
	sites *string, // folder of your own fixture hosts, beside the built-in ones
	port *int, // port to listen on (a free one)
) error {
	return harness.Serve(ctx, harness.Options{Sites: get(sites)}, get(port))
}

// Test checks the project: gofmt, go vet and all tests, with the race detector where a C compiler is there.
func Test(ctx context.Context) error { return harness.Test(ctx, harness.Options{}) }

func get[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}
