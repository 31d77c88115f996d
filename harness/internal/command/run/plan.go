package run

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/subject"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web"
)

// plan holds everything that a run needs before it launches a session.
type plan struct {
	sites  *web.Set
	tasks  []task.Spec
	kind   transcript.Kind
	target transcript.Target
	seed   param.Seed
	// warnings are about the sites; the warnings about a task are in its spec.
	warnings jsonfile.Faults
}

// newPlan reads sites, tasks and transcripts. It prints every fault of every file on its
// own line. The error then says how many there were. Of the built-in tasks it reads only the
// selected ones: task:check and the tests check all.
func newPlan(o Options) (*plan, error) { return readPlan(o, o.Tasks != "" || o.Sites != "") }

// readPlan is newPlan that reads every task, if all is true.
func readPlan(o Options, all bool) (*plan, error) {
	kind, err := transcript.Find(o.Adapter)
	if err != nil {
		return nil, usage(err)
	}
	var peers []string
	for _, s := range session.Servers() {
		if s.Name != "" {
			peers = append(peers, s.Name)
		}
	}
	seed, err := o.Draw()
	if err != nil {
		return nil, usage(err)
	}
	selected := o.tasks()
	var only task.Selection
	if !all {
		only = selected
	}
	set, inSites := openSites(o, "run") // set is nil if the sites have faults
	var noAdapter error                 // an error of the adapter, and not a fault in a task's file
	specs, err := loadTasks(o, set, "run", task.Options{
		Only: only, Seed: seed, MaxSteps: o.MaxSteps, MaxDuration: o.MaxDuration,
		Check: func(s task.Spec) jsonfile.Faults {
			err := kind.Check(s, peers)
			faults, ok := errors.AsType[jsonfile.Faults](err)
			if !ok && err != nil {
				noAdapter = err
			}
			if set == nil {
				return faults
			}
			_, err = set.With(draw(s))
			more, _ := errors.AsType[jsonfile.Faults](err)
			return append(faults, more...)
		},
	})
	switch {
	case inSites != nil && err != nil:
		return nil, usage(fmt.Errorf("%w; %w", inSites, err))
	case inSites != nil:
		return nil, inSites
	case err != nil:
		return nil, err
	}
	if noAdapter != nil {
		return nil, usage(noAdapter)
	}
	var warnings jsonfile.Faults
	if all {
		warnings = unlisted(o, set, specs)
	}
	specs, err = task.Select(specs, selected)
	if err != nil && !all {
		return readPlan(o, true) // its error knows the names of all tasks
	}
	if err != nil {
		return nil, usage(err)
	}
	p := &plan{set, specs, kind, transcript.Target{Server: o.Subject().Server().Name, Path: o.Path}, seed, warnings}
	return p, p.complete()
}

// loadTasks loads the tasks of a selection, without selecting any of them. It prints every
// fault of every file on its own line. The error then says how many there were, and that
// nothing was done. If set is nil, it does not check hosts.
func loadTasks(o Options, set *web.Set, verb string, with task.Options) ([]task.Spec, error) {
	source := task.Source{Name: "fixtures", FS: fixtures.FS}
	if o.Tasks != "" {
		if info, err := os.Stat(o.Tasks); err != nil {
			return nil, usage(fmt.Errorf("tasks folder: %w", err))
		} else if !info.IsDir() {
			return nil, usage(fmt.Errorf("tasks folder: %s is a file; name the folder that holds the tasks' folders", o.Tasks))
		}
		source = task.Source{Name: filepath.ToSlash(o.Tasks), FS: os.DirFS(o.Tasks)}
	}
	with.LiveWeb = o.Web == option.Live
	if set != nil {
		with.Hosts, with.Draws = set.Hosts(), set.Draws()
	}
	specs, err := load(source, with)
	if faults, ok := errors.AsType[jsonfile.Faults](err); ok {
		fmt.Fprintln(o.Stderr, faults)
		return nil, usage(fmt.Errorf("%s in task files: nothing was %s", display.Count(len(faults), "fault"), verb))
	}
	if err != nil {
		return nil, usage(err)
	}
	return specs, nil
}

// load loads tasks. A fault can quote a drawn value. So it first loads the tasks with a
// public draw, and does not describe faults that only the private draw has.
func load(source task.Source, with task.Options) ([]task.Spec, error) {
	if with.Seed.Private() {
		public := with
		public.Seed.Key = nil
		if _, err := task.Load(source, public); err != nil {
			return nil, err
		}
	}
	specs, err := task.Load(source, with)
	if faults, ok := errors.AsType[jsonfile.Faults](err); ok && with.Seed.Private() {
		for i := range faults {
			faults[i].Pointer, faults[i].Msg = jsonfile.NoPointer, "the values that -seedKey draws do not fit here, but the public draw does; use another -seed, or correct "+param.FileName
		}
	}
	return specs, err
}

// unlisted returns a warning for each host that shows drawn values but is listed by no task.
// With a folder of tasks, it looks only at the hosts of -sites.
func unlisted(o Options, set *web.Set, tasks []task.Spec) (warnings jsonfile.Faults) {
	for _, host := range set.Draws() {
		if slices.ContainsFunc(tasks, func(s task.Spec) bool { return slices.Contains(s.Sites, host) }) {
			continue
		}
		if _, err := os.Stat(filepath.Join(o.Sites, host)); o.Tasks != "" && (o.Sites == "" || err != nil) {
			continue
		}
		warnings = append(warnings, jsonfile.Whole(host, `its pages show drawn values, but no task lists the host in "sites" of its %s`, param.FileName))
	}
	return warnings
}

// drawnSites opens the fixture web. Each host that shows drawn values shows the values of
// the first selected task that lists it.
func drawnSites(o Options) (*web.Set, error) {
	o.Values = o.Values.WithDefaults()
	set, err := openSites(o, "served")
	if err != nil {
		return nil, err
	}
	seed, err := o.Draw()
	if err != nil {
		return nil, usage(err)
	}
	tasks, err := loadTasks(o, set, "served", task.Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	if tasks, err = task.Select(tasks, task.Selection{IDs: o.Task}); err != nil {
		return nil, usage(err)
	}
	var shown []string
	for _, s := range tasks {
		d := draw(s)
		d.Hosts = slices.DeleteFunc(slices.Clone(d.Hosts), func(host string) bool { return slices.Contains(shown, host) })
		shown = append(shown, d.Hosts...)
		if set, err = set.With(d); err != nil {
			return nil, o.siteFaults(err, "served")
		}
	}
	return set, nil
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
	return usage(fmt.Errorf("%d of %s cannot run on %s, because these files do not exist: %s; write them, or choose other tasks with -task or -suite",
		len(missing), display.Count(len(p.tasks), "task"), p.target.Server, strings.Join(missing, ", ")))
}

// leaveOutScripts removes the tasks that need page scripts, and says how many it removed.
// The error says that no task is left.
func (p *plan) leaveOutScripts(say func(string)) error {
	all := len(p.tasks)
	p.tasks = slices.DeleteFunc(p.tasks, task.Spec.NeedsScripts)
	left := len(p.tasks)
	switch {
	case left == 0:
		return usage(fmt.Errorf("the stand-in runs no page scripts, and all chosen tasks have the tag %s; use -openchrome=local or container", task.ScriptsTag))
	case left < all:
		say(fmt.Sprintf("left out %s with the tag %s, because the stand-in runs no page scripts", display.Count(all-left, "task"), task.ScriptsTag))
	}
	return nil
}

// openSites opens the fixture web. It prints every fault on its own line. The error then
// says how many there were, and that nothing was done.
func openSites(o Options, verb string) (*web.Set, error) {
	var dirs []string
	if o.Sites != "" {
		dirs = append(dirs, o.Sites)
	}
	set, err := web.Open(dirs...)
	return set, o.siteFaults(err, verb)
}

// siteFaults prints the faults of sites, and returns an error that says how many there were.
// It returns other errors as they are.
func (o Options) siteFaults(err error, verb string) error {
	faults, ok := errors.AsType[jsonfile.Faults](err)
	if !ok {
		return err
	}
	fmt.Fprintln(o.Stderr, faults)
	return usage(fmt.Errorf("%s in sites: nothing was %s", display.Count(len(faults), "fault"), verb))
}

// draw returns the values that the pages of a task show.
func draw(s task.Spec) web.Draw { return web.Draw{Hosts: s.Sites, Values: s.Values} }

// job is an episode that has not run yet.
type job struct {
	*work
	repetition int
}

// work is what the jobs of a task share.
type work struct {
	spec       task.Spec
	factory    adapter.Factory
	transcript string // its digest
}

// jobs lists the planned episodes that are not done, in the order in which they will run.
func (p *plan) jobs(o Options, start *record.RunStart, done func(name string) bool) ([]job, error) {
	byTask := map[string]*work{}
	for i, spec := range p.tasks {
		factory, err := p.kind.For(spec, p.target)
		if err != nil {
			return nil, usage(err)
		}
		byTask[spec.ID] = &work{spec, factory, start.Plan[i].Transcript}
	}
	var jobs []job
	start.Each(func(t record.Planned, repetition int) bool {
		j := job{byTask[t.ID], repetition}
		if !done(j.name()) {
			jobs = append(jobs, j)
		}
		return true
	})
	if o.Order != 0 {
		r := rand.New(rand.NewPCG(uint64(o.Order), 0))
		r.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
	}
	return jobs, nil
}

// start returns the first event of the run's log.
func (p *plan) start(ctx context.Context, o Options, l *subject.Chosen) (*record.RunStart, error) {
	start := &record.RunStart{
		SchemaVersion: record.SchemaVersion, RunID: o.RunID, Launcher: l.Name, Adapter: p.kind.Name,
		Web:     record.Web{Digest: p.sites.Digest()},
		Options: record.Options{SeedKey: p.seed.Fingerprint(), DigestKey: p.seed.DigestKey()},
		Package: o.Subject().From(ctx),
		Host:    host(),
		Notes:   l.Notes(),
	}
	o.Values.Plan(start)
	if packaged, ok := l.Launcher.(session.Packaged); ok {
		start.PackageDigest = packaged.PackageDigest()
	}
	if p.kind.File != "" { // else the adapter replays no file
		start.Options.Path = o.Path
	}
	for _, spec := range p.tasks {
		t, err := p.planned(spec)
		if err != nil {
			return nil, usage(err)
		}
		start.Plan = append(start.Plan, t)
	}
	var err error
	if start.Episodes, err = start.Planned(); err != nil {
		return nil, usage(fmt.Errorf("-repetitions: %w; choose fewer tasks or repetitions", err))
	}
	return start, nil
}

func host() record.Host {
	return record.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()}
}

// planned returns the task's part of the plan.
func (p *plan) planned(spec task.Spec) (record.Planned, error) {
	files, err := spec.Files()
	if err != nil {
		return record.Planned{}, err
	}
	c := spec.Success.Raw()
	spec.Success = nil
	planned := record.Planned{
		ID: spec.ID, Task: p.digest(spec, spec.Values, spec.Sites, files), Contract: p.digest(c),
		Transcript: p.kind.Digest(spec, p.target),
	}
	spec.Title, spec.Tags, spec.Mechanics = "", nil, ""
	planned.Content = p.digest(spec, spec.Values, spec.Sites, files, c)
	return planned, nil
}

// digest returns "hmac-sha256:" and 64 hex digits over values that JSON can hold. The key of a
// private draw changes it, so that nobody can find a drawn value by trying.
func (p *plan) digest(values ...any) string {
	h := hmac.New(sha256.New, p.seed.Key)
	if err := json.NewEncoder(h).Encode(values); err != nil {
		panic(err)
	}
	return "hmac-sha256:" + hex.EncodeToString(h.Sum(nil))
}
