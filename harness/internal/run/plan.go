package run

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/internal/task"
	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/sites"
)

// plan holds everything that a run needs before it launches a session.
type plan struct {
	sites  *sites.Set
	tasks  []task.Spec
	kind   adapter.Kind
	target adapter.Target
}

// newPlan reads sites, tasks and transcripts. It prints every fault of every file on its
// own line. The error then says how many there were.
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
	var peers []string
	for _, s := range openchrome.Servers() {
		if s.Name != "" {
			peers = append(peers, s.Name)
		}
	}
	seed, err := o.seed()
	if err != nil {
		return nil, err
	}
	var noAdapter error // an error of the adapter, and not a fault in a task's file
	specs, err := task.Load(source, task.Options{
		Hosts: set.Hosts(), LiveWeb: o.Web == "live", MaxSteps: value(o.MaxSteps), MaxDuration: value(o.MaxDuration), Seed: seed,
		Check: func(s task.Spec) jsonfile.Faults {
			err := kind.Check(s, peers)
			faults, ok := errors.AsType[jsonfile.Faults](err)
			if !ok && err != nil {
				noAdapter = err
			}
			_, err = set.With(s.Draw())
			more, _ := errors.AsType[jsonfile.Faults](err)
			return append(faults, more...)
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
	p := &plan{set, specs, kind, adapter.Target{Server: o.Server().Name, Path: o.Path}}
	return p, p.complete()
}

// complete returns an error that names every missing file: the adapter needs it for the
// server, and a task does not have it.
func (p *plan) complete() error {
	var missing []string
	for _, s := range p.tasks {
		if path := p.kind.Missing(s, p.target); path != "" {
			missing = append(missing, path)
		}
	}
	if missing == nil {
		return nil
	}
	return usage(fmt.Errorf("%d of %s cannot run on %s, because these files do not exist: %s; write them, or choose other tasks with -task or -tags",
		len(missing), display.Count(len(p.tasks), "task"), p.target.Server, strings.Join(missing, ", ")))
}

// scripts is the tag of tasks whose pages run scripts. The stand-in runs none.
const scripts = task.ScriptsTag

// leaveOutScripts removes the tasks that need page scripts, and says how many there were.
// It is an error if no task is left.
func (p *plan) leaveOutScripts(say func(string)) error {
	all := len(p.tasks)
	p.tasks = slices.DeleteFunc(p.tasks, func(s task.Spec) bool { return slices.Contains(s.Tags, scripts) })
	left := len(p.tasks)
	switch {
	case left == 0:
		return usage(fmt.Errorf("the stand-in runs no page scripts, and all chosen tasks have the tag %s; use -openchrome=local or container", scripts))
	case left < all:
		say(fmt.Sprintf("left out %s with the tag %s, because the stand-in runs no page scripts", display.Count(all-left, "task"), scripts))
	}
	return nil
}

// OpenSites opens the fixture web. It prints every fault on its own line. The error then
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

// job is an episode that has not run yet.
type job struct {
	spec       task.Spec
	repetition int
	factory    adapter.Factory
	transcript string // its digest
}

// jobs lists the episodes in the order in which they will run.
func (p *plan) jobs(o Options) ([]job, error) {
	var jobs []job
	for _, spec := range p.tasks {
		factory, err := p.kind.For(spec, p.target)
		if err != nil {
			return nil, usage(err)
		}
		digest := p.kind.Digest(spec, p.target)
		for n := range *o.Repetitions {
			jobs = append(jobs, job{spec, n + 1, factory, digest})
		}
	}
	if o.Order != 0 {
		r := rand.New(rand.NewPCG(uint64(o.Order), 0))
		r.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
	}
	return jobs, nil
}
