package harness

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/openchrome/bench/harness/report"
	"github.com/openchrome/bench/harness/task"
)

// Options are the options of the targets that run or list tasks. The zero value
// runs every built-in task once with the mock adapter on what works here, and
// writes below the current folder.
type Options struct {
	Task  string // ids of tasks, separated by commas; empty: all
	Tags  string // tags, separated by commas: a task with any of them; empty: all
	Tasks string // folder of tasks that replaces the built-in ones
	Sites string // folder of hosts that is added to the built-in ones

	Adapter    string // name of the adapter; empty: mock
	OpenChrome string // what to drive; empty: OPENCHROME_BENCH_OPENCHROME, else auto
	Package    string // the OpenChrome package for local and container
	Server     string // Go package of an MCP server that containers run in OpenChrome's place; empty: they do not
	Web        string // hermetic (or empty), or live

	MaxSteps    *int           // replaces the tasks' step caps; nil: it does not
	MaxDuration *time.Duration // replaces the tasks' time caps; nil: it does not
	Repetitions *int           // episodes of each task; nil: 1
	Parallel    *int           // episodes at a time; nil: 1

	Out     string // folder for reports/ and events/; empty: the current one
	RunID   string // name of the run; empty: made from the time
	Verbose bool   // print every call

	// Dir is the working folder of a command; empty: the current one.
	// bench:verify, whose runs are in folders of their own, sets it.
	Dir string
	// Order rearranges the episodes before they run: 0 as they are, else a
	// seed. No report shows it; bench:verify sets it.
	Order int

	Stdout io.Writer `json:"-"` // nil: os.Stdout
	Stderr io.Writer `json:"-"` // nil: os.Stderr

	child bool // the run is one of bench:verify's, and ends with it
}

// openchromeEnv holds what to drive where no option says it.
const openchromeEnv = "OPENCHROME_BENCH_OPENCHROME"

func (o Options) withDefaults() (Options, error) {
	o.Adapter = cmp.Or(o.Adapter, "mock")
	o.OpenChrome = cmp.Or(o.OpenChrome, os.Getenv(openchromeEnv), "auto")
	o.Web = cmp.Or(o.Web, "hermetic")
	o.Out = cmp.Or(o.Out, ".")
	o.Repetitions = cmp.Or(o.Repetitions, new(1))
	o.Parallel = cmp.Or(o.Parallel, new(1))
	if o.Stdout == nil {
		o.Stdout = os.Stdout
	}
	if o.Stderr == nil {
		o.Stderr = os.Stderr
	}
	if v := os.Getenv("OPENCHROME_BENCH_VERBOSE"); v != "" && v != "0" {
		o.Verbose = true
	}
	if o.RunID == "" {
		o.RunID = newRunID(time.Now())
	}
	return o, o.check()
}

// value returns what p points to; of nil the zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Limits of options that have no other.
const (
	maxRepetitions = 100_000
	maxParallel    = 64
)

func (o Options) check() error {
	var errs []error
	if o.MaxSteps != nil {
		errs = append(errs, task.CheckMaxSteps(*o.MaxSteps))
	}
	if o.MaxDuration != nil {
		errs = append(errs, task.CheckMaxDuration(*o.MaxDuration))
	}
	if n := *o.Repetitions; n < 1 || n > maxRepetitions {
		errs = append(errs, fmt.Errorf("repetitions is %d, want 1 to %d", n, maxRepetitions))
	}
	if n := *o.Parallel; n < 1 || n > maxParallel {
		errs = append(errs, fmt.Errorf("parallel is %d, want 1 to %d", n, maxParallel))
	}
	if o.Web != "hermetic" && o.Web != "live" {
		errs = append(errs, fmt.Errorf("web is %q, want hermetic or live", o.Web))
	}
	errs = append(errs, checkRunID(o.RunID), o.checkOpenChrome())
	if err := errors.Join(errs...); err != nil {
		return &ExitError{ExitUsage, fmt.Errorf("options: %w", err)}
	}
	return nil
}

func (o Options) eventsFile() string {
	return filepath.Join(o.Out, report.EventsDir, o.RunID+".jsonl")
}

// usage makes err an error of exit code 2.
func usage(err error) error { return &ExitError{ExitUsage, err} }
