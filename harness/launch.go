package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/containers"
	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/harness/report"
	"github.com/openchrome/bench/sites"
)

// chosen is the launcher of a run.
type chosen struct {
	openchrome.Launcher
	name string
}

// urlLauncher is the name of the launcher whose sessions share one OpenChrome.
const urlLauncher = "url"

// web is what sessions are given of the internet.
type web struct {
	sites *sites.Set
	ca    *sites.CA
	live  bool // hosts that are no fixture site are the real web
}

// place is one way to have an OpenChrome, as -openchrome names it.
type place struct {
	name string
	// check says, in little time, why it does not work on this machine.
	check func(context.Context, Options) error
	start func(context.Context, Options, web, printedLines) (openchrome.Launcher, error)
}

// checkOpenChrome says what options do not go together.
func (o Options) checkOpenChrome() error {
	own := o.OpenChrome == "auto" || o.OpenChrome == "container" || o.OpenChrome == "local"
	switch {
	case o.Package != "" && !own:
		return fmt.Errorf("-package is for container and local, not for -openchrome=%s", o.OpenChrome)
	case isAddress(o.OpenChrome) && *o.Parallel > 1:
		return errors.New("-parallel: an address is one OpenChrome, whose episodes run one at a time")
	case o.Web == "live" && o.OpenChrome == "standin":
		return errors.New("the stand-in has no live web; use -openchrome=local or container")
	case !own && o.OpenChrome != "standin":
		return isAddressed(o.OpenChrome)
	}
	return nil
}

// places are the named ones in the order in which auto tries them.
var places = []place{
	{"container", checkContainer, startContainer},
	{"local", checkLocal, startLocal},
	{"standin", checkStandin, startStandin},
}

// checkContainer waits longer for an engine where nothing else will do.
func checkContainer(ctx context.Context, o Options) error {
	check := containers.Check
	if o.OpenChrome == "auto" {
		check = containers.Glance
	}
	_, err := check(ctx)
	return err
}

func startContainer(ctx context.Context, o Options, w web, progress printedLines) (openchrome.Launcher, error) {
	return containers.New(ctx, containers.Options{
		BuildOptions: containers.BuildOptions{Package: o.Package, Server: o.Server, Progress: progress},
		Sites:        w.sites, CA: w.ca, LiveWeb: w.live,
	})
}

func checkLocal(ctx context.Context, o Options) error {
	_, err := openchrome.FindLocal(ctx, openchrome.LocalOptions{Package: o.Package})
	return err
}

func startLocal(ctx context.Context, o Options, w web, _ printedLines) (openchrome.Launcher, error) {
	return openchrome.NewLocal(ctx, openchrome.LocalOptions{
		Package: o.Package, Sites: w.sites, CA: w.ca, LiveWeb: w.live,
		Hide: []string{filepath.Join(o.Out, report.ReportsDir), filepath.Join(o.Out, report.EventsDir), o.Tasks, o.Sites},
	})
}

func checkStandin(_ context.Context, o Options) error {
	if o.Package != "" {
		return errors.New("it drives no package")
	}
	o.OpenChrome = "standin"
	return o.checkOpenChrome()
}

func startStandin(_ context.Context, _ Options, w web, _ printedLines) (openchrome.Launcher, error) {
	var latency time.Duration
	if v := os.Getenv("OPENCHROME_BENCH_STANDIN_LATENCY"); v != "" {
		var err error
		if latency, err = time.ParseDuration(v); err != nil {
			return nil, fmt.Errorf("OPENCHROME_BENCH_STANDIN_LATENCY: %w", err)
		}
	}
	return openchrome.NewStandin(openchrome.StandinOptions{Sites: w.sites, CA: w.ca, Latency: latency})
}

// launcher starts the place's launcher. When ctx has ended that is the error,
// an [*ExitError], and nothing is left started.
func (p place) launcher(ctx context.Context, o Options, w web, progress printedLines) (*chosen, error) {
	err := p.check(ctx, o)
	var l openchrome.Launcher
	if err == nil {
		l, err = p.start(ctx, o, w, progress)
	}
	if ctx.Err() != nil {
		if l != nil {
			l.Close()
		}
		return nil, &ExitError{ExitInterrupted, errors.New("NOT FINISHED: the run was stopped before its first episode")}
	}
	if err != nil {
		return nil, err
	}
	return &chosen{l, p.name}, nil
}

// launcher returns the launcher that -openchrome asks for. progress is told
// what takes long, and in one line what auto took and why not the ones before.
func launcher(ctx context.Context, o Options, set *sites.Set, progress printedLines) (*chosen, error) {
	ca, err := sites.NewCA(set.Hosts()...)
	if err != nil {
		return nil, fmt.Errorf("make the run's CA: %w", err)
	}
	w := web{sites: set, ca: ca, live: o.Web == "live"}
	if o.OpenChrome == "auto" {
		return auto(ctx, o, w, progress)
	}
	if i := slices.IndexFunc(places, func(p place) bool { return p.name == o.OpenChrome }); i >= 0 {
		l, err := places[i].launcher(ctx, o, w, progress)
		if _, ok := errors.AsType[*ExitError](err); err != nil && !ok {
			err = fmt.Errorf("-openchrome=%s: %w; mage doctor says more", o.OpenChrome, err)
			if o.Package != "" {
				err = usage(err)
			}
		}
		return l, err
	}
	l, name, err := addressed(o, w)
	if err != nil {
		return nil, usage(fmt.Errorf("-openchrome: %w", err))
	}
	return &chosen{l, name}, nil
}

func auto(ctx context.Context, o Options, w web, progress printedLines) (*chosen, error) {
	var not []string
	for _, p := range places {
		l, err := p.launcher(ctx, o, w, progress)
		if _, ok := errors.AsType[*ExitError](err); ok {
			return nil, err
		}
		if err != nil {
			not = append(not, fmt.Sprintf("not %s: %s", p.name, oneLine(err)))
			continue
		}
		line := "openchrome: took " + p.name + ", the first that works here"
		if len(not) > 0 {
			line += " (" + strings.Join(not, "; ") + ")"
		}
		progress(line)
		return l, nil
	}
	err := fmt.Errorf("-openchrome=auto: nothing works here: %s; run mage doctor", strings.Join(not, "; "))
	if o.Package != "" {
		err = usage(err) // most often the package is mistyped
	}
	return nil, err
}

// oneLine shortens an error to its first line and its last: between them stands
// the output of a build. What is left is safe on a terminal.
func oneLine(err error) string {
	var lines []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(escapes.ReplaceAllString(line, "")); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) > 2 {
		lines = []string{lines[0], "…", lines[len(lines)-1]}
	}
	return report.Visible(strings.Join(lines, " "))
}

// escapes are the colour codes of a terminal.
var escapes = regexp.MustCompile(`\x1b?\[[0-9;]*m`)

// works says why what -openchrome names cannot work here, without starting it.
func (o Options) works(ctx context.Context) error {
	if i := slices.IndexFunc(places, func(p place) bool { return p.name == o.OpenChrome }); i >= 0 {
		return places[i].check(ctx, o)
	}
	if o.OpenChrome == "auto" {
		return errors.New("name what auto would take")
	}
	return isAddressed(o.OpenChrome)
}

func isAddress(v string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(v), "://")
	return ok && (scheme == "http" || scheme == "https")
}

// isAddressed refuses what is no command and no address but most often a slip: a
// single word, or several names at once.
func isAddressed(v string) error {
	if isAddress(v) || strings.ContainsAny(v, " \t") {
		return nil
	}
	names := []string{"auto", "container", "local", "standin"}
	want := "want " + strings.Join(names, ", ") + ", a command line or an http(s) address"
	if scheme, _, ok := strings.Cut(v, "://"); ok {
		return fmt.Errorf("%s: no %s address can be driven; %s", v, scheme, want)
	}
	if strings.ContainsRune(v, '/') {
		return nil
	}
	if _, err := exec.LookPath(v); err == nil {
		return nil
	}
	if first, _, ok := strings.Cut(v, ","); ok && slices.Contains(names, first) {
		return fmt.Errorf("%s: one at a time; -openchrome=%s, or compare them with mage bench:parity", v, first)
	}
	return fmt.Errorf("%s: no such command; %s%s", v, want, jsonfile.DidYouMean(v, names))
}

// addressed returns the launcher of a command line or an address.
func addressed(o Options, w web) (openchrome.Launcher, string, error) {
	v := o.OpenChrome
	if isAddress(v) {
		l, err := openchrome.NewURL(v)
		return l, urlLauncher, err
	}
	c := openchrome.CommandOptions{Line: v, Dir: o.Dir, Sites: w.sites, CA: w.ca}
	if w.live {
		c.Sites, c.CA = nil, nil
	}
	l, err := openchrome.NewCommand(c)
	return l, "command", err
}

// printedLines takes what is written a line at a time.
type printedLines func(line string)

// Write implements [io.Writer] for writers that write whole lines.
func (f printedLines) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		f(strings.TrimRight(line, "\n"))
	}
	return len(p), nil
}
