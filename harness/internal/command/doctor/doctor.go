// Package doctor checks what each subject needs on this machine, and says how to get it. It starts
// no subject and changes nothing.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/command/subject"
	"github.com/openchrome/bench/harness/internal/drive/containers"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/record"
)

// finding is one line of the doctor: what was found, or what is missing and how to get
// it.
type finding struct {
	what string
	ok   bool
	text string // the finding, or why it is missing and what to do
	// optional says that a run needs it only if the user asks for it by name.
	optional bool
}

// Run checks what each subject needs on this machine. It prints a line for each check, and says
// how to get what is missing. The error is nil if container or local works.
func Run(ctx context.Context, v option.Values) error {
	v = v.WithDefaults()
	d := &doctor{w: v.Stdout, paint: program.PaintFor(v.Stdout)}
	d.say(finding{what: "go", ok: true, text: fmt.Sprintf("%s on %s/%s, %d CPUs", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())})
	container := d.container(ctx, v.Package)
	local := d.local(ctx, v.Package)
	d.peers(ctx)
	d.say(ports())
	d.say(disk(v.Out))
	d.say(memory())
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

func (d *doctor) say(f finding) bool {
	mark := d.paint.Class(record.Pass, "ok     ")
	switch {
	case !f.ok && f.optional:
		mark = d.paint.Faint("absent ")
	case !f.ok:
		mark = d.paint.Class(record.Fail, "missing")
	}
	fmt.Fprintf(d.w, "%s %-10s %s\n", mark, f.what, f.text)
	return f.ok
}

func (d *doctor) container(ctx context.Context, pkg string) bool {
	engine, err := containers.Check(ctx)
	if err != nil {
		d.say(finding{what: "docker", ok: false, text: subject.OneLine(err)})
		return d.say(finding{what: "images", ok: false, text: "unknown without docker; fix that first"})
	}
	d.say(finding{what: "docker", ok: true, text: fmt.Sprintf("engine %s at %s, API %s, %s", engine.Version, engine.Host, engine.API, engine.Arch)})
	images, present, err := containers.Present(ctx, containers.BuildOptions{Package: pkg})
	switch {
	case err != nil:
		return d.say(finding{what: "images", ok: false, text: subject.OneLine(err)})
	case !present:
		return d.say(finding{what: "images", ok: true, text: images.Title() + " is not built yet; the first run builds it"})
	}
	return d.say(finding{what: "images", ok: true, text: "built, with " + images.Title()})
}

func (d *doctor) local(ctx context.Context, pkg string) bool {
	tools, err := launch.FindLocal(ctx, launch.LocalOptions{Package: pkg})
	for _, t := range []struct {
		what, path, version string
		missing             error
	}{
		{"chromium", tools.Chromium, "", tools.NoChromium},
		{"node", tools.Node, tools.NodeVersion, tools.NoNode},
		{"openchrome", tools.Package, tools.PackageVersion, tools.NoPackage},
	} {
		f := finding{what: t.what, ok: true, text: strings.TrimSpace(t.version + " " + t.path)}
		if t.missing != nil {
			f.ok, f.text = false, subject.OneLine(t.missing)
		}
		d.say(f)
	}
	return err == nil
}

// peers reports which peers of OpenChrome are installed. A run needs none.
func (d *doctor) peers(ctx context.Context) {
	for _, s := range session.Servers() {
		if s.Name == "" {
			continue
		}
		tools, err := launch.FindLocal(ctx, launch.LocalOptions{Server: s})
		f := finding{what: "subject", ok: err == nil, optional: true}
		switch {
		case tools.NoPackage != nil:
			f.text = s.Name + ": " + subject.OneLine(tools.NoPackage)
		case err != nil:
			f.text = s.Name + ": " + subject.OneLine(err)
		default:
			f.text = fmt.Sprintf("%s %s %s", s.Name, tools.PackageVersion, tools.Package)
			if tools.PackageVersion != s.Version {
				f.text += "; its transcripts were made with " + s.Version
			}
		}
		d.say(f)
	}
}

func ports() finding {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return finding{what: "ports", ok: false, text: fmt.Sprintf("cannot listen on 127.0.0.1: %v; check the loopback interface", err)}
	}
	defer l.Close()
	return finding{what: "ports", ok: true, text: "can listen on " + l.Addr().String()}
}

// The space that a run needs, in bytes: for a session's browser and profile, and for events
// and reports.
const (
	needDisk   = 1 << 30
	needMemory = 2 << 30
)

func disk(out string) finding {
	free, err := freeDisk(existing(out))
	if err != nil {
		err = fmt.Errorf("%s: %w", out, err)
	}
	return amount("disk", free, needDisk, err, "free some space, or name another folder with -out")
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

func memory() finding {
	free, err := freeMemory()
	return amount("memory", free, needMemory, err, "close some programs, or run with -parallel=1")
}

func amount(what string, have, need uint64, err error, fix string) finding {
	if errors.Is(err, errors.ErrUnsupported) {
		return finding{what: what, ok: true, text: "unknown on " + runtime.GOOS}
	}
	if err != nil {
		return finding{what: what, ok: false, text: err.Error() + "; " + fix}
	}
	const gib = 1 << 30
	text := fmt.Sprintf("%.1f GiB free", float64(have)/gib)
	if have < need {
		return finding{what: what, ok: false, text: fmt.Sprintf("%s, want %.0f GiB; %s", text, float64(need)/gib, fix)}
	}
	return finding{what: what, ok: true, text: text}
}
