// Package choose decides which server a run drives. It finds the launcher that -server
// names, checks that it works here, and starts it.
//
// Each launcher is a row of [kinds], with its name, check and start.
package choose

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// Options say which server to drive. The zero value means the best OpenChrome that works
// here.
type Options struct {
	Server  string // the value of -server; empty: OPENCHROME_BENCH_SERVER, else auto
	Package string // the OpenChrome package for local and container

	// Dir is the working folder of a command; empty: the current one. bench:verify sets it,
	// because each of its runs has its own folder.
	Dir string

	// Description is the one that -profile names; nil: none.
	Description *server.Server

	LiveWeb bool     // all hosts that are not fixture sites are on the real web
	Hide    []string // files and folders that a local server must not see
}

const env = "OPENCHROME_BENCH_SERVER"

// auto takes the first kind that works.
const auto = "auto"

// WithDefaults fills in empty fields.
func (o Options) WithDefaults() Options {
	o.Server = cmp.Or(o.Server, os.Getenv(env), auto)
	if name, pkg, ok := o.split(); ok && o.Package == "" {
		o.Server, o.Package = name, pkg
	}
	return o
}

// split splits NAME:PACKAGE. NAME must be the name of a server or a described server, because an address and a
// Windows path also contain a colon.
func (o Options) split() (name, pkg string, ok bool) {
	name, pkg, _ = strings.Cut(o.Server, ":")
	described := o.Description != nil && o.Description.Name == name
	return name, pkg, pkg != "" && (described || slices.Contains(names(), name))
}

// Drives reports whether the -package of bench:parity applies to this server: its launcher
// starts an OpenChrome.
func (o Options) Drives() bool { k := o.kind(); return k.pkg && k.peer == "" }

// Describe returns the description of the server that the options name, or of OpenChrome if they
// name none. It is the one that -profile names, unless that is of another server.
func (o Options) Describe() *server.Server {
	name := cmp.Or(o.kind().peer, server.Names()[0])
	if d := o.Description; d != nil && (d.Name == name || o.Any() && server.Named(d.Name) == nil) {
		return d
	}
	return server.Named(name)
}

// Any reports whether the server can be any: a command starts it.
func (o Options) Any() bool { return o.Server != auto && o.kind().name == command.name }

type kind struct {
	name   string
	means  func(value string) bool // whether this value of -server means this kind; nil: only its name does
	auto   bool                    // auto may choose it
	peer   string                  // the server that it starts, if that is a peer of OpenChrome
	pkg    bool                    // -package can be used
	live   bool                    // the live web can be used
	shared bool                    // all sessions share one OpenChrome

	// check says why the kind does not work on this machine. It is fast.
	check func(context.Context, Options) error
	start func(context.Context, Options, webOptions, lines) (session.Launcher, error)
}

// kinds lists all kinds. Auto tries them in this order.
var kinds []kind

// Set in init, because functions in the rows use the table.
func init() { kinds = slices.Concat([]kind{container, local, standin}, peers(), []kind{url, command}) }

// webOptions are the part of the internet that sessions can reach.
type webOptions struct {
	sites *web.Set
	ca    *serve.CA
}

func (o Options) kind() kind {
	if d := o.Description; d != nil && d.Start != nil && d.Name == o.Server {
		return onLocal(d.Name, d.Name)
	}
	i := slices.IndexFunc(kinds, func(k kind) bool {
		return o.Server == k.name && k.means == nil || k.means != nil && k.means(o.Server)
	})
	return kinds[i] // always found: command, the last, takes any value
}

// ErrStopped says that the context ended before the server was started.
var ErrStopped = errors.New("the run was stopped before its first episode")

// An OptionError says that -server or -package names nothing that can be started.
type OptionError struct{ Err error }

func (e *OptionError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *OptionError) Unwrap() error { return e.Err }

// Check returns an error if options contradict each other. parallel is how many
// episodes run at a time.
func (o Options) Check(parallel int) error {
	if o.Server == auto {
		return nil
	}
	k := o.kind()
	_, _, twice := o.split()
	switch {
	case twice:
		return fmt.Errorf("-package: -server=%s names a package too; leave out one of them", o.Server)
	case o.Package != "" && !k.pkg:
		return fmt.Errorf("-package: works only with %s, not with -server=%s", named(func(k kind) bool { return k.pkg }, ", "), o.Server)
	case k.shared && parallel > 1:
		return errors.New("-parallel: an address is a single server, so its episodes run one at a time")
	case o.LiveWeb && !k.live:
		return fmt.Errorf("-web: %s cannot use the live web; use -server=%s", k.name, named(func(k kind) bool { return k.auto && k.live }, " or "))
	case k.name == command.name:
		return checkCommand(o.Server)
	}
	return nil
}

// named lists the names of the kinds that which accepts.
func named(which func(kind) bool, and string) string {
	var names []string
	for _, k := range kinds {
		if k.means == nil && which(k) {
			names = append(names, k.name)
		}
	}
	return strings.Join(names, and)
}

// names lists all names that -server= takes.
func names() []string {
	return append([]string{auto}, strings.Fields(named(func(kind) bool { return true }, " "))...)
}

// Works returns an error if the server of -server cannot work here. It starts nothing.
func (o Options) Works(ctx context.Context) error {
	if o.Server == auto {
		return errors.New("auto is not a server; choose one, such as standin")
	}
	return o.kind().check(ctx, o)
}

// Chosen is the launcher of a run.
type Chosen struct {
	session.Launcher
	Name   string
	Shared bool // all sessions share one OpenChrome, so they run one at a time
	// Standin says that it is the stand-in, which runs no page scripts.
	Standin bool
}

// Launch starts the launcher that the options ask for. say gets a line for each slow step.
// With auto, it also gets one line that says which launcher was chosen and why the earlier
// ones were not. If ctx has ended, the error is [ErrStopped] and nothing is left running. It is
// an [*OptionError] if the options are at fault.
func Launch(ctx context.Context, o Options, set *web.Set, say func(line string)) (*Chosen, error) {
	ca, err := serve.NewCA(set.Hosts()...)
	if err != nil {
		return nil, fmt.Errorf("make the run's CA: %w", err)
	}
	w := webOptions{sites: set, ca: ca}
	if o.Server == auto {
		return launchAuto(ctx, o, w, say)
	}
	k := o.kind()
	l, err := k.launch(ctx, o, w, say)
	switch {
	case err == nil || errors.Is(err, ErrStopped):
		return l, err
	case k.means != nil:
		return nil, &OptionError{fmt.Errorf("-server: %w", err)}
	}
	err = fmt.Errorf("-server=%s: %w; run %s doctor for details", k.name, err, display.Program)
	if _, outage := errors.AsType[*session.Outage](err); o.Package != "" && !outage {
		err = &OptionError{err}
	}
	return nil, err
}

func (k kind) launch(ctx context.Context, o Options, w webOptions, say lines) (*Chosen, error) {
	err := k.check(ctx, o)
	var l session.Launcher
	if err == nil {
		l, err = k.start(ctx, o, w, say)
	}
	if ctx.Err() != nil {
		if l != nil {
			l.Close()
		}
		return nil, ErrStopped
	}
	if err != nil {
		return nil, err
	}
	return &Chosen{l, k.name, k.shared, k.name == standin.name}, nil
}

// checkCommand returns an error for values that are neither a command nor an address: a
// single word, or several names at once. Most often they are mistakes.
func checkCommand(v string) error {
	if strings.ContainsAny(v, " \t") {
		return nil
	}
	names := names()
	want := "want " + strings.Join(names, ", ") + ", a command line or an http(s) address"
	if scheme, _, ok := strings.Cut(v, "://"); ok {
		return fmt.Errorf("%s: %s addresses are not supported; %s", v, scheme, want)
	}
	if name, pkg, ok := strings.Cut(v, ":"); ok && pkg != "" && len(name) > 1 {
		if near := display.DidYouMean(name, names); near != "" {
			return fmt.Errorf("%s: unknown name %s; %s%s", v, name, want, near)
		}
	}
	if strings.ContainsRune(v, '/') {
		return nil
	}
	if _, err := exec.LookPath(v); err == nil {
		return nil
	}
	if first, _, ok := strings.Cut(v, ","); ok && slices.Contains(names, first) {
		return fmt.Errorf("%s: -server takes only one value; use -server=%s, or compare several with %s bench:parity", v, first, display.Program)
	}
	return fmt.Errorf("%s: no such command; %s%s", v, want, display.DidYouMean(v, names))
}

// lines is a function that gets each written line.
type lines func(line string)

// Write implements [io.Writer] for writers that write whole lines.
func (f lines) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		f(strings.TrimRight(line, "\n"))
	}
	return len(p), nil
}
