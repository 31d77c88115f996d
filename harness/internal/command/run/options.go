package run

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/subject"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// Selection says which tasks to run, and on which web. The zero value means every built-in
// task, on the fixture web, with the mock adapter.
type Selection struct {
	Task    string // ids of tasks, separated by commas; empty: all
	Tags    string // tags, separated by commas; selects tasks with any of them; empty: all tasks
	Suite   string // one of [task.Suites]; empty: all, but see [Options]
	Tasks   string // folder of tasks that replaces the built-in ones
	Sites   string // folder of hosts that is added to the built-in ones
	Web     string // hermetic (or empty), or live
	Adapter string // name of the adapter; empty: mock

	Seed    int    // number of the draw of the tasks' values, see package param
	SeedKey string // file with a key that makes the draws private; empty: none

	program.Streams
}

func (s Selection) withDefaults() (Selection, error) {
	s.Web = cmp.Or(s.Web, "hermetic")
	s.Adapter = cmp.Or(s.Adapter, transcript.Mock)
	s.Streams = s.Streams.WithDefaults()
	if s.Web != "hermetic" && s.Web != "live" {
		return s, usage(fmt.Errorf("options: web is %q, want hermetic or live", s.Web))
	}
	if err := task.CheckSuite(s.Suite); err != nil {
		return s, usage(fmt.Errorf("options: %w", err))
	}
	_, err := s.Draw()
	return s, err
}

// Options describe a run. The zero value runs tasks once on
// the best OpenChrome that works here, and writes below the current folder. Without
// Task, Tags, Tasks and Suite it runs the built-in tasks of the suite smoke.
type Options struct {
	Selection
	subject.Options

	// Path says which transcripts to replay, see [transcript.Paths]; empty: the first.
	Path string
	// Drift says how to treat an unexpected answer: count (or empty) records it and goes
	// on; strict ends the episode.
	Drift string

	MaxSteps    *int           // replaces the tasks' step caps; nil: does not
	MaxDuration *time.Duration // replaces the tasks' time caps; nil: does not
	Repetitions *int           // how many times to run each task; nil: 1
	Parallel    *int           // how many episodes run at the same time; nil: 1
	Retries     *int           // how often a void episode runs again; nil: 0

	Out     string // folder for reports/ and events/; empty: the current one
	RunID   string // name of the run; empty: made from the time
	Resume  string // name of the run to continue, instead of RunID. If it has a log, that must have the same plan
	Shard   string // run only this share of the plan, see [record.ParseShard]; empty: all
	Verbose bool   // print every call
	Format  string // more formats of the report, separated by commas, see [format.Parse]; only [Run] and bench:verify write them
	Keep    string // episodes whose last page is saved: failed (or empty) means every episode that did not pass, all means every episode. Needs an observer

	// Order is a seed for the order of the episodes; 0 keeps their order. bench:verify sets
	// it, and no report shows it.
	Order int
	// NoScripts leaves out tasks that need page scripts, as every run on the stand-in
	// does. bench:parity sets it if the stand-in is one of its subjects.
	NoScripts bool
	// Turn makes episodes take turns with the episodes of other runs, unless it is nil.
	Turn *Turn `json:"-"`
	// Ready is called with each session before its episode, unless it is nil. bench:parity
	// sets both.
	Ready func(session.Session) `json:"-"`
	// Child says that bench:verify started the run. The run ends when bench:verify ends.
	Child bool
}

// WithDefaults fills in empty options and checks all of them. An error has exit code 2.
func (o Options) WithDefaults() (Options, error) {
	var err error
	if o.Selection, err = o.Selection.withDefaults(); err != nil {
		return o, err
	}
	o.Options = o.Options.WithDefaults()
	if o.Task == "" && o.Tags == "" && o.Tasks == "" {
		o.Suite = cmp.Or(o.Suite, task.Smoke)
	}
	o.Path = cmp.Or(o.Path, transcript.Paths[0])
	o.Drift = cmp.Or(o.Drift, record.DriftCount)
	o.Out = cmp.Or(o.Out, ".")
	o.Keep = cmp.Or(o.Keep, keepFailed)
	o.Repetitions = cmp.Or(o.Repetitions, new(1))
	o.Parallel = cmp.Or(o.Parallel, new(1))
	o.Retries = cmp.Or(o.Retries, new(0))
	if v := os.Getenv("OPENCHROME_BENCH_VERBOSE"); v != "" && v != "0" {
		o.Verbose = true
	}
	if o.Resume != "" && o.RunID != "" && o.RunID != o.Resume {
		return o, usage(errors.New("options: -resume names the run; leave out -run"))
	}
	if o.RunID = cmp.Or(o.RunID, o.Resume); o.RunID == "" {
		o.RunID = newRunID(time.Now())
	}
	var unknown error
	if o.Format, unknown = format.Parse(o.Format); unknown != nil {
		return o, usage(fmt.Errorf("options: %w", unknown))
	}
	return o, o.check()
}

// value returns what p points to, or the zero value if p is nil.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// The values of -keep.
const (
	keepFailed = "failed"
	keepAll    = "all"
)

// The highest values of -parallel and -retries.
const (
	maxParallel = 64
	maxRetries  = 100
)

func (o Options) check() error {
	var errs []error
	if !slices.Contains(transcript.Paths, o.Path) {
		errs = append(errs, fmt.Errorf("path is %q, want one of %s%s", o.Path, strings.Join(transcript.Paths, ", "), display.DidYouMean(o.Path, transcript.Paths)))
	}
	if o.Drift != record.DriftCount && o.Drift != record.DriftStrict {
		errs = append(errs, fmt.Errorf("drift is %q, want %s or %s%s", o.Drift, record.DriftCount, record.DriftStrict, display.DidYouMean(o.Drift, []string{record.DriftCount, record.DriftStrict})))
	}
	if o.MaxSteps != nil {
		errs = append(errs, task.CheckMaxSteps(*o.MaxSteps))
	}
	if o.MaxDuration != nil {
		errs = append(errs, task.CheckMaxDuration(*o.MaxDuration))
	}
	if o.Keep != keepFailed && o.Keep != keepAll {
		errs = append(errs, fmt.Errorf("keep is %q, want %s or %s", o.Keep, keepFailed, keepAll))
	}
	if n := *o.Repetitions; n < 1 || n > record.MaxRepetitions {
		errs = append(errs, fmt.Errorf("repetitions is %d, want 1 to %d", n, record.MaxRepetitions))
	}
	if n := *o.Parallel; n < 1 || n > maxParallel {
		errs = append(errs, fmt.Errorf("parallel is %d, want 1 to %d", n, maxParallel))
	}
	if n := *o.Retries; n < 0 || n > maxRetries {
		errs = append(errs, fmt.Errorf("retries is %d, want 0 to %d", n, maxRetries))
	}
	if _, err := record.ParseShard(o.Shard); err != nil {
		errs = append(errs, err)
	}
	errs = append(errs, record.CheckRunID(o.RunID), o.Options.Check(o.Web == "live", *o.Parallel))
	if err := errors.Join(errs...); err != nil {
		return usage(fmt.Errorf("options: %w", err))
	}
	return nil
}

// maxKey is the largest size of a seed key, in bytes.
const maxKey = 1 << 10

// Draw returns the seed of the tasks' values. The error is a [*program.ExitError] with
// [program.ExitUsage].
func (s Selection) Draw() (param.Seed, error) {
	seed := param.Seed{N: s.Seed}
	if s.Seed < 0 {
		return seed, usage(fmt.Errorf("options: seed is %d, want 0 or more", s.Seed))
	}
	if s.SeedKey == "" {
		return seed, nil
	}
	key, err := regular.Read(s.SeedKey, maxKey)
	switch {
	case err != nil:
		return seed, usage(fmt.Errorf("-seedKey: %w", err))
	case len(key) < 16:
		return seed, usage(fmt.Errorf("-seedKey: %s has %s, want at least 16, so that nobody can guess them", s.SeedKey, display.Count(len(key), "byte")))
	}
	seed.Key = key
	return seed, nil
}

// EventsFile is the path of the run's event log.
func (o Options) EventsFile() string {
	return filepath.Join(o.Out, report.EventsDir, o.RunID+".jsonl")
}

// PagesDir is the path of the folder with the pages of the run's episodes. It does not
// exist until the first page is kept.
func (o Options) PagesDir() string { return filepath.Join(o.Out, report.EventsDir, o.RunID) }

var usage = program.Usage
