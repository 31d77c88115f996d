// Package doctor checks what each subject needs on this machine, and says how to get it. It starts
// no subject and changes nothing.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"

	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/subject"
	"github.com/openchrome/bench/harness/internal/drive/agent"
	"github.com/openchrome/bench/harness/internal/drive/containers"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
)

// Run checks what each subject needs on this machine. It prints a line for each check, and says
// how to get what is missing. The error is nil if container or local works.
func Run(ctx context.Context, v option.Values) error {
	v = v.WithDefaults()
	d := &doctor{w: v.Stdout, paint: program.PaintFor(v.Stdout)}
	d.say(nil, "go", fmt.Sprintf("%s on %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU()))
	container := d.container(ctx, v.Package)
	local := d.local(ctx, v.Package)
	d.peers(ctx)
	d.agents()
	d.ports()
	d.disk(v.Out)
	d.memory()
	d.load()
	if container {
		fmt.Fprintln(v.Stdout, "to remove our containers, networks and images, when nothing runs:")
		for _, command := range containers.Removal() {
			fmt.Fprintln(v.Stdout, " ", command)
		}
	}
	switch {
	case container && local:
		fmt.Fprintln(v.Stdout, "HEALTHY: container and local work")
	case container:
		fmt.Fprintln(v.Stdout, "HEALTHY: container works, local does not")
	case local:
		fmt.Fprintln(v.Stdout, "HEALTHY: local works, container does not")
	default:
		return &program.ExitError{Code: program.ExitUnexpected, Err: errors.New("UNHEALTHY: neither container nor local works, only the stand-in, which is not OpenChrome")}
	}
	return nil
}

type doctor struct {
	w     io.Writer
	paint program.Paint
}

// say prints what was found, or why it is missing and what to do. It reports whether nothing is
// missing.
func (d *doctor) say(missing error, what, found string) bool {
	if missing != nil {
		d.line(d.paint.Class(record.Fail, "missing"), what, subject.OneLine(missing))
		return false
	}
	d.line(d.paint.Class(record.Pass, "ok     "), what, found)
	return true
}

func (d *doctor) line(mark, what, text string) { fmt.Fprintf(d.w, "%s %-10s %s\n", mark, what, text) }

func (d *doctor) container(ctx context.Context, pkg string) bool {
	engine, err := containers.Check(ctx)
	if !d.say(err, "docker", fmt.Sprintf("engine %s at %s, API %s, %s", engine.Version, engine.Host, engine.API, engine.Arch)) {
		return d.say(errors.New("unknown without docker; fix that first"), "images", "")
	}
	images, present, err := containers.Present(ctx, containers.BuildOptions{Package: pkg})
	if err == nil && !present {
		return d.say(nil, "images", images.Title()+" is not built yet; the first run builds it")
	}
	return d.say(err, "images", "built, with "+images.Title())
}

func (d *doctor) local(ctx context.Context, pkg string) bool {
	tools, err := launch.FindLocal(ctx, launch.LocalOptions{Package: pkg})
	d.say(tools.NoChromium, "chromium", tools.Chromium)
	d.say(tools.NoNode, "node", tools.NodeVersion+" "+tools.Node)
	d.say(tools.NoPackage, "openchrome", tools.PackageVersion+" "+tools.Package)
	if other := subject.OtherBuild(tools.Package); other != "" {
		d.line(d.paint.Class(record.Void, "warning"), "openchrome", other)
	}
	return err == nil
}

// peers reports which peers of OpenChrome are installed. A run needs one only if the user asks
// for it by name.
func (d *doctor) peers(ctx context.Context) {
	for _, s := range session.Servers() {
		if s.Name == "" {
			continue
		}
		tools, err := launch.FindLocal(ctx, launch.LocalOptions{Server: s})
		if err = cmp.Or(tools.NoPackage, err); err != nil {
			d.line(d.paint.Faint("absent "), "subject", s.Name+": "+subject.OneLine(err))
			continue
		}
		text := fmt.Sprintf("%s %s %s", s.Name, tools.PackageVersion, tools.Package)
		if tools.PackageVersion != s.Version {
			text += "; its transcripts were made with " + s.Version
		}
		d.say(nil, "subject", text)
	}
}

// agents reports which agents can be started by name.
func (d *doctor) agents() {
	for _, p := range agent.Presets() {
		if p.Err != nil {
			d.line(d.paint.Faint("absent "), "agent", p.Preset+": "+subject.OneLine(p.Err))
			continue
		}
		d.say(nil, "agent", p.Preset)
	}
}

func (d *doctor) ports() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.say(fmt.Errorf("cannot listen on 127.0.0.1: %w; check the loopback interface", err), "ports", "")
		return
	}
	defer l.Close()
	d.say(nil, "ports", "can listen on "+l.Addr().String())
}

// The space that a run needs, in bytes: for a session's browser and profile, and for events
// and reports.
const (
	needDisk   = 1 << 30
	needMemory = 2 << 30
)

func (d *doctor) disk(out string) {
	var free uint64
	usage, err := disk.Usage(existing(out))
	if err == nil {
		free = usage.Free
	} else {
		err = fmt.Errorf("%s: %w", out, err)
	}
	d.amount("disk", free, needDisk, err, "free some space, or name another folder with -out")
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
		d.line(d.paint.Class(record.Void, "warning"), "load", text+"; durations mean nothing until it is quieter")
		return
	}
	d.say(nil, "load", text)
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
	d.say(err, what, text)
}

// existing returns dir or its nearest parent that exists. A run creates the rest.
func existing(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	for {
		_, err := os.Stat(dir)
		if up := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && up != dir {
			dir = up
			continue
		}
		return dir
	}
}
