// Package doctor checks what each server needs on this machine, and says how to get it. It starts
// OpenChrome on this machine's Chromium for a moment, and changes nothing.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"

	"github.com/openchrome/bench/harness/internal/command/choose"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/drive/agent"
	"github.com/openchrome/bench/harness/internal/drive/containers"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// Run checks what each server needs on this machine. It prints a line for each check, and says
// how to get what is missing. The error is nil if the server of -server works (for auto,
// container or local), and so does what every run needs.
func Run(ctx context.Context, v option.Values) error {
	v = v.WithDefaults()
	asked := choose.Options{Server: v.Server, Package: v.Package}.WithDefaults()
	if err := asked.Check(1); err != nil {
		return program.Usage(err)
	}
	d := &doctor{asked: asked.Shown(), pkg: asked.Package, works: map[string]bool{}}
	d.say("", nil, "go", fmt.Sprintf("%s on %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()))
	d.container(ctx)
	for _, s := range server.All() {
		d.server(ctx, s)
	}
	if _, done := d.works[d.asked]; !done && d.asked != "auto" {
		d.works[d.asked] = d.say(d.asked, asked.Works(ctx), "server", d.asked)
	}
	d.agents()
	d.space("disk", existing(v.Out), "free some space, or name another folder with -out")
	d.tmpdir()
	d.memory()
	d.load()
	good := slices.DeleteFunc(slices.Sorted(maps.Keys(d.works)), func(name string) bool { return !d.works[name] || !d.wants(name) })
	missing := d.print(v.Stdout, len(good) > 0)
	if d.works["container"] {
		var list page.List
		under := list.Add("to remove our containers, networks and images, when nothing runs:")
		for _, command := range containers.Removal() {
			under.Add(command)
		}
		program.Print(v.Stdout, list)
	}
	switch {
	case len(good) == 0 && d.asked == "auto":
		return unhealthy("only the stand-in works, which is not OpenChrome")
	case len(good) == 0:
		return unhealthy(d.asked + " does not work")
	case missing != nil:
		return unhealthy("missing: " + strings.Join(missing, ", "))
	}
	fmt.Fprintf(v.Stdout, "HEALTHY: works: %s\n", strings.Join(good, ", "))
	return nil
}

func unhealthy(why string) error {
	return &program.ExitError{Code: program.ExitUnexpected, Err: errors.New("UNHEALTHY: " + why)}
}

// Servers have the names that -server takes.
type doctor struct {
	asked, pkg string // server that the user wants, and its package
	checks     []check
	works      map[string]bool // by server
}

// check is what was found, or why it is missing and what to do.
type check struct {
	of         string // the server that needs it; "": every run
	what, text string
	class      record.Class
}

// say adds a check. It reports whether nothing is missing.
func (d *doctor) say(of string, missing error, what, found string) bool {
	class := record.Pass
	if missing != nil {
		class, found = record.Fail, choose.OneLine(missing)
	}
	d.checks = append(d.checks, check{of, what, found, class})
	return missing == nil
}

func (d *doctor) warn(what, text string) {
	d.checks = append(d.checks, check{"", what, text, record.Void})
}

func (d *doctor) wants(of string) bool {
	return of == d.asked || d.asked == "auto" && (of == "container" || of == "local")
}

// packageOf returns the package that the user named for a server.
func (d *doctor) packageOf(of string) string {
	if d.wants(of) {
		return d.pkg
	}
	return ""
}

// print prints the checks, and returns what is missing. good says that a server works that the
// user wants, so that no other is missing.
func (d *doctor) print(w io.Writer, good bool) (missing []string) {
	words := map[record.Class]string{record.Pass: "ok     ", record.Fail: "missing", record.Void: "warning"}
	var list page.List
	for _, c := range d.checks {
		mark := page.In(page.Tone(c.class), words[c.class])
		if c.class == record.Fail && c.of != "" && (good || !d.wants(c.of)) {
			mark = page.In(page.Faint, "absent ")
		} else if c.class == record.Fail {
			missing = append(missing, c.what)
		}
		list.Add(mark, fmt.Sprintf(" %-10s ", c.what), c.text)
	}
	program.Print(w, list)
	return missing
}

func (d *doctor) container(ctx context.Context) {
	const of = "container"
	engine, err := containers.Check(ctx)
	if !d.say(of, err, "docker", fmt.Sprintf("engine %s at %s, API %s, %s", engine.Version, engine.Host, engine.API, engine.Arch)) {
		d.works[of] = d.say(of, errors.New("unknown without docker; fix that first"), "images", "")
		return
	}
	images, present, err := containers.Present(ctx, containers.BuildOptions{Package: d.packageOf(of)})
	text := "built, with " + images.Package
	if !present {
		text = images.Package + " is not built yet; the first run builds it"
	}
	d.works[of] = d.say(of, err, "images", text)
}

// server looks for a server and what it needs. It starts OpenChrome, and the one that the user
// wants.
func (d *doctor) server(ctx context.Context, s *server.Server) {
	of := "local"
	if s.IsPeer() {
		of = s.Name
	}
	o := launch.LocalOptions{Server: s, Package: d.packageOf(of)}
	tools, err := launch.FindLocal(ctx, o)
	found := tools.PackageVersion + " " + tools.Package
	if !s.IsPeer() {
		d.say(of, tools.NoChromium, "chromium", tools.Chromium)
		d.say(of, tools.NoNode, "node", tools.NodeVersion+" "+tools.Node)
		d.say(of, tools.NoPackage, "openchrome", found)
		if other := choose.OtherBuild(tools.Package); other != "" {
			d.warn("openchrome", other)
		}
	} else {
		missing := cmp.Or(tools.NoPackage, err)
		if tools.Node != "" { // it is too old
			missing = cmp.Or(tools.NoNode, missing)
		}
		if missing != nil {
			missing = fmt.Errorf("%s: %w", of, missing)
		} else if tools.PackageVersion != s.Version {
			found += "; its transcripts were made with " + s.Version
		}
		d.say(of, missing, "server", of+" "+found)
	}
	d.works[of] = err == nil
	if err == nil && (!s.IsPeer() || d.wants(of)) {
		d.works[of] = d.say(of, start(ctx, o), "start", s.Title+" and Chromium start")
	}
}

func start(ctx context.Context, o launch.LocalOptions) (err error) {
	ctx, cancel := context.WithTimeout(ctx, session.LaunchTimeout)
	defer cancel()
	if o.Sites, err = web.Open(); err != nil {
		return err
	}
	if o.CA, err = serve.NewCA(o.Sites.Hosts()...); err != nil {
		return err
	}
	l, err := launch.NewLocal(ctx, o)
	if err != nil {
		return err
	}
	defer l.Close()
	s, err := l.Launch(ctx)
	if err != nil {
		return err
	}
	return s.Close()
}

// agents reports which agents can be started by name.
func (d *doctor) agents() {
	for _, p := range agent.Presets() {
		if p.Err != nil {
			p.Err = fmt.Errorf("%s: %w", p.Preset, p.Err)
		}
		d.say("agent", p.Err, "agent", p.Preset)
	}
}

// The space that a run needs, in bytes.
const (
	needDisk   = 1 << 30
	needMemory = 2 << 30
)

// tmpdir looks at the disk of the sessions' browsers and profiles.
func (d *doctor) tmpdir() {
	dir, remove, err := watchdog.BriefDir()
	if err != nil {
		d.say("", err, "tmpdir", "")
		return
	}
	defer remove()
	d.space("tmpdir", dir, "free some space, or set TMPDIR to another folder")
}

func (d *doctor) space(what, dir, fix string) {
	usage, err := disk.Usage(dir)
	if err != nil {
		usage, err = new(disk.UsageStat), fmt.Errorf("%s: %w", dir, err)
	}
	d.amount(what, usage.Free, needDisk, err, fix)
}

func (d *doctor) memory() {
	var free uint64
	usage, err := mem.VirtualMemory()
	if err == nil {
		free = usage.Available
	}
	d.amount("memory", free, needMemory, err, "close some programs, or run with -parallel=1")
}

// load warns if more processes want to run than there are CPUs: durations then mean nothing.
func (d *doctor) load() {
	l, err := load.Avg()
	if err != nil { // not known on this system
		return
	}
	text := fmt.Sprintf("%.1f processes want to run on %d CPUs", l.Load1, runtime.NumCPU())
	if l.Load1 > float64(runtime.NumCPU()) {
		d.warn("load", text+"; durations mean nothing until it is quieter")
		return
	}
	d.say("", nil, "load", text)
}

// amount prints how many bytes are free of those that a run needs. err says why that is unknown.
func (d *doctor) amount(what string, have, need uint64, err error, fix string) {
	const gib = 1 << 30
	text := fmt.Sprintf("%.1f GiB free", float64(have)/gib)
	switch {
	case err != nil:
		err = fmt.Errorf("%w; %s", err, fix)
	case have < need:
		err = fmt.Errorf("%s, want %.0f GiB; %s", text, float64(need)/gib, fix)
	}
	d.say("", err, what, text)
}

// existing returns dir or its nearest parent that exists. A run creates the rest.
func existing(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && dir != filepath.Dir(dir) {
		return existing(filepath.Dir(dir))
	}
	return dir
}
