package run

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/internal/task"
	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/sites"
)

// plan is all that a run needs before it launches anything.
type plan struct {
	sites *sites.Set
	tasks []task.Spec
	kind  adapter.Kind
}

// newPlan reads sites, tasks and transcripts. It prints every fault of every file,
// one a line; the error then says how many there were.
func newPlan(o Options) (*plan, error) {
	set, err := OpenSites(o.Selection, "run")
	if err != nil {
		return nil, err
	}
	kind, err := adapter.Find(o.Adapter)
	if err != nil {
		return nil, usage(err)
	}
	source := task.Source{Name: "fixtures", FS: fixtures.FS}
	if o.Tasks != "" {
		if info, err := os.Stat(o.Tasks); err != nil {
			return nil, usage(fmt.Errorf("tasks folder: %w", err))
		} else if !info.IsDir() {
			return nil, usage(fmt.Errorf("tasks folder: %s is a file; name the folder that holds the tasks' folders", o.Tasks))
		}
		source = task.Source{Name: filepath.ToSlash(o.Tasks), FS: os.DirFS(o.Tasks)}
	}
	var noAdapter error // a fault of the adapter and not of a task's file
	specs, err := task.Load(source, task.Options{
		Hosts: set.Hosts(), LiveWeb: o.Web == "live", MaxSteps: value(o.MaxSteps), MaxDuration: value(o.MaxDuration),
		Check: func(s task.Spec) jsonfile.Faults {
			_, err := kind.For(s)
			faults, ok := errors.AsType[jsonfile.Faults](err)
			if !ok && err != nil {
				noAdapter = err
			}
			return faults
		},
	})
	if faults, ok := errors.AsType[jsonfile.Faults](err); ok {
		fmt.Fprintln(o.Stderr, faults)
		return nil, usage(fmt.Errorf("%s in task files: nothing was run", display.Count(len(faults), "fault")))
	}
	if err = cmp.Or(err, noAdapter); err != nil {
		return nil, usage(err)
	}
	specs, err = task.Select(specs, o.Task, o.Tags)
	if err != nil {
		return nil, usage(err)
	}
	return &plan{set, specs, kind}, nil
}

// OpenSites opens the fixture web. It prints every fault, one a line; the error then
// says how many there were, and that nothing was done.
func OpenSites(o Selection, done string) (*sites.Set, error) {
	var dirs []string
	if o.Sites != "" {
		dirs = append(dirs, o.Sites)
	}
	set, err := sites.Open(dirs...)
	if faults, ok := errors.AsType[jsonfile.Faults](err); ok {
		fmt.Fprintln(o.Stderr, faults)
		return nil, usage(fmt.Errorf("%s in sites: nothing was %s", display.Count(len(faults), "fault"), done))
	}
	return set, err
}

// job is an episode to come.
type job struct {
	spec       task.Spec
	repetition int
	factory    adapter.Factory
}

// jobs lists the episodes in the order in which they will run.
func (p *plan) jobs(o Options) ([]job, error) {
	var jobs []job
	for _, spec := range p.tasks {
		factory, err := p.kind.For(spec)
		if err != nil {
			return nil, usage(err)
		}
		for n := range *o.Repetitions {
			jobs = append(jobs, job{spec, n + 1, factory})
		}
	}
	if o.Order != 0 {
		r := rand.New(rand.NewPCG(uint64(o.Order), 0))
		r.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
	}
	return jobs, nil
}
