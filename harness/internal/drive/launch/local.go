// Package launch starts sessions on this machine: the stand-in in this process, OpenChrome or a
// peer on a Chromium of our own, a command line over stdio, and an address. It finds the
// programs that they need, and says what is missing. Containers have a package of their own.
package launch

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// LocalOptions configure [NewLocal]. With a Server alone they use the installed programs and only
// the live web.
type LocalOptions struct {
	Server *server.Server // what to start
	// Package is the folder of the server's package, or the program in it that Node
	// runs; "" is the installed one.
	Package string
	Sites   *web.Set  // the fixture web; nil: there is none, only the live web
	CA      *serve.CA // required with Sites
	// LiveWeb makes all hosts that are not fixture sites reach the real web, through the
	// proxy that the environment names. Without it they do not resolve.
	LiveWeb bool
	// Hide lists files and folders that OpenChrome and Chromium must not see, such as the
	// tasks and the results. They stay hidden even inside a visible folder, such as the
	// package's folder.
	Hide []string
}

// NewLocal returns a launcher that starts, for each session, a Chromium with an empty
// profile and an OpenChrome attached to it, both in a temporary folder that is their home
// and working directory. Both are confined by the strongest means that works here; see
// Confinement in [record.Server]. ctx bounds the preparation and the start of the first
// browser, which is kept for the first session. The error comes from [FindLocal], or says why
// OpenChrome does not run; it is a [*session.Outage] if Chromium does not.
func NewLocal(ctx context.Context, o LocalOptions) (session.Launcher, error) {
	watchdog.Sweep()
	return startLocal(ctx, o, confine.Candidates())
}

// startLocal confines by the first of the candidates that works.
func startLocal(ctx context.Context, o LocalOptions, candidates []confine.Means) (session.Launcher, error) {
	l := &localLauncher{LocalOptions: o}
	var err error
	if l.tools, err = FindLocal(ctx, o); err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	pkg := &nodePackage{server: o.Server, dir: l.tools.Package}
	l.entry = pkg.entry()
	if l.digest, err = pkg.digest(ctx); err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	if err := l.choose(ctx, candidates); err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	// The first browser starts while the server prints its help: each takes half a second.
	l.first = make(chan *localSession, 1)
	var noBrowser error
	var browser sync.WaitGroup
	browser.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, session.LaunchTimeout)
		defer cancel()
		s, err := l.begin(ctx)
		if noBrowser = err; err == nil {
			<-s.browser.attached // attaching ends with ctx
			l.first <- s
		}
	})
	l.options, err = l.knownOptions(ctx)
	browser.Wait()
	switch {
	case err != nil:
		return nil, fmt.Errorf("local: %w", errors.Join(err, l.Close()))
	case noBrowser != nil && strings.Contains(noBrowser.Error(), "No usable sandbox"): // as Chromium 156 says
		noBrowser = fmt.Errorf("chromium starts only without its sandbox; allow this user to make user namespaces, or set %s=1", noSandboxEnv)
		fallthrough
	case noBrowser != nil:
		return nil, fmt.Errorf("local: %w", &session.Outage{Err: noBrowser})
	}
	return l, nil
}

// plain is the part of a launcher that has no notes, no package and nothing to close.
type plain struct{}

func (plain) Notes() []string       { return nil }
func (plain) PackageDigest() string { return "" }
func (plain) Close() error          { return nil }

type localLauncher struct {
	LocalOptions
	tools   LocalTools
	means   confine.Means
	entry   string
	digest  string
	options []string           // the optional arguments that this version has
	first   chan *localSession // has the first session, which begins with the launcher
	quota   int64              // see [process.WatchQuota]
}

// PackageDigest implements [session.Launcher].
func (l *localLauncher) PackageDigest() string { return l.digest }

func (l *localLauncher) serverEnv(dir string) []string {
	return append(CleanEnv(dir), l.Server.Start.Environ(dir, session.HomeOf(dir))...)
}

// Launch implements [session.Launcher].
func (l *localLauncher) Launch(ctx context.Context) (session.Session, error) {
	var s *localSession
	var err error
	select {
	case s = <-l.first:
	default:
		s, err = l.begin(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("local: %w", err)
	}
	if err := l.serve(ctx, s); err != nil {
		return nil, fmt.Errorf("local: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}

func (l *localLauncher) begin(ctx context.Context) (*localSession, error) {
	dir, remove, err := watchdog.TempDir()
	if err != nil {
		return nil, err
	}
	network, err := l.means.NewNetwork()
	if err != nil {
		return nil, errors.Join(err, remove())
	}
	w, err := newWeb(l.Sites, l.CA, l.LiveWeb, network)
	if err == nil {
		err = MakeSessionDir(dir)
	}
	if err != nil {
		return nil, errors.Join(err, w.Close(), network.Close(), remove())
	}
	server := record.Server{Package: l.digest, Isolation: "fresh", Confinement: l.means.String()}
	s := &localSession{row: l.Server, Base: session.NewBase(server, w.log(), w.Close, network.Close, remove), oomKills: process.OOMKills, before: process.OOMKills()}
	s.Temp = dir
	s.Drawing = w.draw()
	s.Putting = func(_ context.Context, files map[string][]byte) (map[string]string, error) {
		return putFiles(dir, files)
	}
	env, flags := CleanEnv(dir), chromiumFlags(profileOf(dir), w, l.Sites, l.CA)
	if w.live {
		env = append(env, proxyEnv(l.Sites)...)
	}
	c := l.confined(network, w.ports())
	// Chromium believes to be offline if it sees no interface but loopback. If it cannot look,
	// it believes to be online.
	c.Access.Interfaces = !l.means.Network
	if s.browser, err = startChromium(ctx, l.tools.Chromium, dir, env, flags, c); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.Cleanup = append(s.Cleanup, s.browser.Close)
	s.quota = process.WatchQuota(dir, l.quota, l.Server.Title+" and Chromium")
	s.quota.Watch(s.browser.Process)
	s.Cleanup = append(s.Cleanup, s.quota.Stop)
	s.network = network
	return s, nil
}

func (l *localLauncher) serve(ctx context.Context, s *localSession) error {
	dir, port := s.Temp, s.browser.port
	cmd := exec.Command(l.tools.Node, slices.Concat([]string{l.entry}, l.Server.Start.Arguments(fmt.Sprint(port)), l.options)...)
	cmd.Dir, cmd.Env = session.HomeOf(dir), l.serverEnv(dir)
	c := l.confined(s.network, []uint16{uint16(port)})
	c.Access.Interfaces = true
	c.Apply(cmd, dir)
	server, err := process.Start(l.Server.Title, cmd, true, s.network)
	if err != nil {
		return err
	}
	s.network.Close() // nothing else starts there
	s.node = server
	s.quota.Watch(server)
	// Their files are deleted with the session, so they need no time to save anything.
	s.Cleanup = append(s.Cleanup, func() error { server.Kill(); return nil })

	// A server does not use the browser before its first call.
	if err := s.browser.ready(ctx); err != nil {
		return err
	}
	if watch := s.browser.observer; watch != nil {
		s.About.Chromium = watch.Version()
	}
	return s.Connect(ctx, transport.NewIO(session.LimitLines(server.Stdout), server.Stdin, nil), server)
}

// Notes implements [session.Launcher].
func (l *localLauncher) Notes() (notes []string) {
	if why := whyNoSandbox(); why != "" {
		notes = append(notes, "Chromium ran without its sandbox, because "+why+".")
	}
	if l.means == (confine.Means{}) {
		notes = append(notes, l.Server.Title+" and Chromium ran unconfined, because this system has neither namespaces nor Landlock. They could read the tasks and change this log.")
	}
	if !l.means.Network {
		why := "this system does not allow them one of their own"
		if l.Sites == nil || l.LiveWeb {
			why = "the live web needs it"
		}
		notes = append(notes, "Sessions used this machine's network, because "+why+". Every program of every user could use their DevTools and request pages of the fixture web.")
	}
	return notes
}

// Close implements [session.Launcher].
func (l *localLauncher) Close() error {
	select {
	case s := <-l.first:
		return s.Close()
	default:
		return nil
	}
}
