package run

import (
	"cmp"
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
	"github.com/openchrome/bench/harness/internal/command/build"
	"github.com/openchrome/bench/harness/internal/command/choose"
	"github.com/openchrome/bench/harness/internal/command/lint"
	"github.com/openchrome/bench/harness/internal/drive/agent"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/server"
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
	reader transcript.Reader
	tasks  []transcript.Prepared
	agent  *agent.Agent   // nil: the adapter is none
	linted []*task.Folder // what package lint finds in them counts, too
	// warnings are about the sites; the warnings about a task are in its spec.
	warnings jsonfile.Faults
	core     int            // how many tasks of the core suite have intents, also if they are not chosen
	profile  *server.Server // nil: the adapter is no policy
	notes    []string       // for the reader of the report
}

// newPlan reads sites, tasks and transcripts. It prints every fault of every file on its
// own line. The error then says how many there were. Of the built-in tasks it reads only the
// selected ones: task:check and the tests check all.
func newPlan(o Options) (*plan, error) { return readPlan(o, o.Tasks != "" || o.Sites != "", "run") }

// readPlan is newPlan that reads every task, if all is true. The error says that nothing was
// done, such as "run".
func readPlan(o Options, all bool, done string) (*plan, error) {
	kind, agent, err := o.adapter()
	if err != nil {
		return nil, usage(err)
	}
	p := &plan{agent: agent, reader: transcript.Reader{
		Kind: kind, Server: o.Choice().Describe().Name,
		Options: task.Options{Seed: o.Seed, MaxSteps: o.MaxSteps, MaxDuration: o.MaxDuration, LiveWeb: o.Web == option.Live},
	}}
	var dirs []string
	if o.Sites != "" {
		dirs = append(dirs, o.Sites)
	}
	var inSites error
	p.sites, inSites = web.Open(dirs...)
	inSites = o.refuse(inSites, "sites", done)
	if p.sites != nil { // nil if the sites have faults
		p.reader.Options.Hosts, p.reader.Options.Draws = p.sites.Hosts(), p.sites.Draws()
	}
	folders, err := openTasks(o)
	if err != nil {
		return nil, usage(o.refuse(err, "task files", done))
	}
	chosen, unknown := task.Select(folders, task.Selection{IDs: o.Task, Suite: o.Suite, Tasks: o.Tasks})
	if o.lints {
		p.linted = chosen
	}
	core, _ := task.Select(folders, task.Selection{Suite: "core"})
	for _, f := range core {
		if slices.Contains(f.Files, intent.FileName) {
			p.core++
		}
	}
	if !all {
		folders = chosen
	}
	tasks, err := p.read(folders)
	err = o.refuse(err, "task files", done)
	for _, t := range tasks {
		if slices.Contains(chosen, t.Folder) {
			p.tasks = append(p.tasks, t)
		}
	}
	switch {
	case inSites != nil && err != nil:
		return p, usage(fmt.Errorf("%w; %w", inSites, err))
	case inSites != nil:
		return p, inSites
	case err != nil:
		return p, usage(err)
	case unknown != nil:
		return p, usage(unknown)
	}
	if all {
		p.warnings = unlisted(o, p.sites, tasks)
	}
	p.leaveOutWithoutIntents(o)
	if err := p.noneMissing(); err != nil {
		return p, err
	}
	if err := p.leaveOutPages(o); err != nil {
		return p, err
	}
	return p, p.policies(o)
}

func openTasks(o Options) ([]*task.Folder, error) {
	if o.Tasks == "" {
		return task.Open(task.Source{Name: "fixtures", FS: fixtures.FS})
	}
	if info, err := os.Stat(o.Tasks); err != nil {
		return nil, fmt.Errorf("-tasks: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("-tasks: %s is a file; name the folder that holds the tasks' folders", o.Tasks)
	}
	return task.Open(task.Source{Name: filepath.ToSlash(o.Tasks), FS: os.DirFS(o.Tasks)})
}

// refuse prints faults that it finds in err, and returns an error that says how many there were
// and where, and that nothing was done. It returns other errors as they are.
func (o Options) refuse(err error, where, done string) error {
	faults, ok := errors.AsType[jsonfile.Faults](err)
	if !ok {
		return err
	}
	fmt.Fprintln(o.Stderr, faults)
	return usage(fmt.Errorf("%s in %s: nothing was %s", display.Count(len(faults), "fault"), where, done))
}

// read reads tasks from their folders. The error has every fault of every file.
func (p *plan) read(folders []*task.Folder) (tasks []transcript.Prepared, err error) {
	var faults jsonfile.Faults
	for _, f := range folders {
		t, failed := p.task(f, p.reader.Options.Seed)
		more, ok := errors.AsType[jsonfile.Faults](failed)
		if faults = append(faults, more...); !ok {
			err = cmp.Or(err, failed)
		}
		tasks = append(tasks, t)
	}
	return tasks, cmp.Or(faults.Err(), err)
}

// task reads a task with the values of a seed, which must fit its pages.
func (p *plan) task(f *task.Folder, seed int) (transcript.Prepared, error) {
	r := p.reader
	r.Options.Seed = seed
	t, err := r.Read(f)
	faults, ok := errors.AsType[jsonfile.Faults](err)
	if err != nil && !ok {
		return t, err
	}
	if p.sites != nil {
		_, err := p.sites.With(draw(t.Spec))
		more, _ := errors.AsType[jsonfile.Faults](err)
		for i := range more {
			more[i].Follows = true // the pages need the values
		}
		faults = append(faults, more...)
	}
	if slices.Contains(p.linted, f) {
		more, warnings := lint.Task(t.Spec)
		t.Warnings = append(t.Warnings, warnings...)
		for _, m := range more {
			isKnown := func(f jsonfile.Fault) bool { return f.File == m.File && f.Line == m.Line && f.Col == m.Col }
			if !slices.ContainsFunc(faults, isKnown) {
				faults = append(faults, m)
			}
		}
	}
	return t, faults.Causes(f.Path(param.FileName)).Err()
}

// unlisted returns a warning for each host that shows drawn values but is listed by no task.
// With a folder of tasks, it looks only at the hosts of -sites.
func unlisted(o Options, set *web.Set, tasks []transcript.Prepared) (warnings jsonfile.Faults) {
	for _, host := range set.Draws() {
		if slices.ContainsFunc(tasks, func(t transcript.Prepared) bool { return slices.Contains(t.Sites, host) }) {
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
// the first selected task that lists it. It also returns the selected tasks.
func drawnSites(o Options) (*web.Set, []transcript.Prepared, error) {
	o.Values = o.Values.WithDefaults()
	o.Adapter = transcript.None
	p, err := readPlan(o, true, "served")
	if err != nil {
		return nil, nil, err
	}
	set := p.sites
	var shown []string
	for _, t := range p.tasks {
		d := draw(t.Spec)
		d.Hosts = slices.DeleteFunc(slices.Clone(d.Hosts), func(host string) bool { return slices.Contains(shown, host) })
		shown = append(shown, d.Hosts...)
		if set, err = set.With(d); err != nil {
			return nil, nil, o.refuse(err, "sites", "served")
		}
	}
	return set, p.tasks, nil
}

// noneMissing returns an error that names every missing file: the adapter needs it for the
// server, and a task does not have it.
func (p *plan) noneMissing() error {
	var missing []string
	for _, t := range p.tasks {
		if t.Missing != "" {
			missing = append(missing, t.Missing)
		}
	}
	if missing == nil {
		return nil
	}
	on, instead := " on "+p.reader.Server, "; write them, or let a policy carry out the tasks with bench:episode -adapter=policy:form"
	if p.reader.Kind.Intents {
		on, instead = " with a policy", "; write them, or choose other tasks with -task or -suite"
	}
	return usage(fmt.Errorf("%d of %s cannot run%s, because these files do not exist: %s%s",
		len(missing), display.Count(len(p.tasks), "task"), on, strings.Join(missing, ", "), instead))
}

// leaveOutScripts removes the tasks that need page scripts, and says how many it removed.
// The error says that no task is left.
func (p *plan) leaveOutScripts(say func(string)) error {
	all := len(p.tasks)
	p.tasks = slices.DeleteFunc(p.tasks, func(t transcript.Prepared) bool { return t.NeedsScripts() })
	left := len(p.tasks)
	switch {
	case left == 0:
		return usage(fmt.Errorf("the stand-in runs no page scripts, and all chosen tasks have the tag %s; use -server=local or container", task.ScriptsTag))
	case left < all:
		say(fmt.Sprintf("left out %s with the tag %s, because the stand-in runs no page scripts", display.Count(all-left, "task"), task.ScriptsTag))
	}
	return nil
}

// draw returns the values that the pages of a task show.
func draw(s task.Spec) web.Draw { return web.Draw{Hosts: s.Sites, Values: s.Values} }

type job struct {
	task       *transcript.Prepared
	repetition int
	place      int // in the plan
}

// jobs lists the planned episodes that are not done, in the order in which they will run.
func (p *plan) jobs(o Options, start *record.RunStart, done func(name string) bool) []job {
	byTask := map[string]*transcript.Prepared{}
	for i := range p.tasks {
		byTask[p.tasks[i].ID] = &p.tasks[i]
	}
	var jobs []job
	place := 0
	start.Each(func(t record.Planned, repetition int) bool {
		j := job{byTask[t.ID], repetition, place}
		if place++; !done(j.name()) {
			jobs = append(jobs, j)
		}
		return true
	})
	if o.Order != 0 {
		r := rand.New(rand.NewPCG(uint64(o.Order), 0))
		r.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
	}
	return jobs
}

// start returns the first event of the run's log.
func (p *plan) start(ctx context.Context, o Options, l *choose.Chosen) (*record.RunStart, error) {
	start := &record.RunStart{
		SchemaVersion: record.SchemaVersion, RunID: o.RunID, Launcher: l.Name, Adapter: p.reader.Kind.Name,
		Web:           record.Web{Digest: p.sites.Digest(), Hosts: p.sites.Digests()},
		Package:       o.Choice().From(ctx),
		Host:          host(),
		Harness:       build.This(),
		Notes:         append(l.Notes(), p.notes...),
		PackageDigest: l.PackageDigest(),
		Parity:        o.Parity,
	}
	if other := choose.OtherBuild(o.Package); other != "" {
		start.Notes = append(start.Notes, other)
		fmt.Fprintln(o.Stderr, "warning:", other)
	}
	start.Described = o.Choice().Describe().Name
	if o.Described != nil {
		start.Description = o.Described.Source
	}
	if p.profile != nil {
		start.Profile = &record.Profile{Server: p.profile.Name, Digest: p.profile.Digest, Reviewer: p.profile.Reviewer}
	}
	o.Values.Plan(start)
	if p.agent != nil {
		start.Agent = p.agent.Plan()
	} else if a := p.reader.Kind.Agent; a != nil {
		start.Agent = &record.PlannedAgent{Name: p.reader.Kind.Name, Version: a.Version, Model: a.Model, Confinement: "none"}
	}
	for _, t := range p.tasks {
		start.Plan = append(start.Plan, p.planned(t))
	}
	var err error
	if start.Profile != nil {
		start.CoreTasks = p.core
	}
	if start.Episodes, err = start.Planned(); err != nil {
		return nil, usage(fmt.Errorf("-repetitions: %w; choose fewer tasks or repetitions", err))
	}
	return start, nil
}

func host() record.Host {
	h := record.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()}
	text, _ := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 3/80 11206
	fmt.Sscan(string(text), &h.Load)
	return h
}

func (p *plan) planned(t transcript.Prepared) record.Planned {
	spec, c := t.Spec, t.Success.Raw()
	spec.Success = nil
	files := []any{spec.Values, spec.Sites, spec.Uploads}
	if spec.Classes != nil { // tasks without classes keep the digests of older logs
		files = append(files, spec.Classes)
	}
	planned := record.Planned{
		ID: spec.ID, Under: record.Under{Of: t.Of, Policy: t.Policy}, Task: digest(append([]any{spec}, files...)...), Contract: digest(c), Transcript: t.Transcript,
	}
	spec.Title, spec.Tags, spec.Mechanics = "", nil, ""
	planned.Content = digest(append(append([]any{spec}, files...), c)...)
	planned.Hosts = record.HostsOf(spec.Sites, spec.StartURL)
	return planned
}

// digest returns "hmac-sha256:" and 64 hex digits over values that JSON can hold. The key is
// empty.
func digest(values ...any) string {
	h := hmac.New(sha256.New, nil)
	if err := json.NewEncoder(h).Encode(values); err != nil {
		panic(err)
	}
	return "hmac-sha256:" + hex.EncodeToString(h.Sum(nil))
}
