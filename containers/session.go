package containers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/sites"
)

// session is two containers: the fixture web, and OpenChrome with its browser.
type session struct {
	live    bool
	client  *openchrome.Client
	server  *process
	subject event.Subject

	webMu  sync.Mutex // a Remote is for one goroutine at a time
	web    *process   // nil without a fixture web
	remote *sites.Remote

	closed  atomic.Bool
	closing sync.Once
}

func (s *session) startWeb(ctx context.Context, l *launcher, n string) error {
	if l.o.Sites == nil {
		return nil
	}
	p := l.program(n, "web")
	p.image, p.alias, p.memory = l.images.Web, alias(n), webMemory
	c, err := l.engine.start(ctx, p)
	if err != nil {
		return err
	}
	s.web, s.remote = c, sites.NewRemote(pipes{c})
	cfg := sites.RemoteConfig{CA: string(l.ca), Sites: l.o.Sites.Pack(), HTTP: ":" + httpPort, HTTPS: ":" + httpsPort}
	if err := s.remote.Start(ctx, cfg); err != nil {
		return s.web.explain(err)
	}
	return nil
}

func (s *session) startServer(ctx context.Context, l *launcher, n string) error {
	p := l.program(n, "server")
	p.image, p.memory = l.images.Server, serverMemory
	if l.o.Server == "" {
		l.forOpenChrome(&p, n)
	} else {
		l.forServer(&p, n)
	}
	c, err := l.engine.start(ctx, p)
	if err != nil {
		return err
	}
	s.server = c
	// NewIO never reads its third argument: the stderr is ours.
	t := transport.NewIO(c.stdout, stdin{c.conn}, io.NopCloser(strings.NewReader("")))
	s.client, err = openchrome.Connect(ctx, t)
	if err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("start OpenChrome: %w; the last it said: %s", err, c.stderr.lastLine())
		}
		return fmt.Errorf("start OpenChrome: %w", c.explain(err))
	}
	s.subject = s.client.Identify(event.Subject{
		Launcher: "container", Package: l.images.Package, Image: l.images.Server, Isolation: "fresh",
	})
	if l.o.Server == "" {
		s.subject.Chromium = chromiumVersion(c.stderr.firstLine())
	}
	return nil
}

// chromium is how the entrypoint begins, before anything hostile is loaded.
var chromium = regexp.MustCompile(`^openchrome-bench: Chrom\w* ([0-9.]+)`)

// chromiumVersion returns the version as Chromium's DevTools write it.
func chromiumVersion(line string) string {
	if m := chromium.FindStringSubmatch(line); m != nil {
		return "Chrome/" + m[1]
	}
	return ""
}

// Subject implements [openchrome.Session].
func (s *session) Subject() event.Subject { return s.subject }

// Tools implements [openchrome.Session].
func (s *session) Tools() []event.Tool { return s.client.Tools() }

// Ping implements [openchrome.Session].
func (s *session) Ping(ctx context.Context) error { return s.client.Ping(ctx) }

// Call implements [openchrome.Session].
func (s *session) Call(ctx context.Context, c event.Call) (event.Result, error) {
	if s.closed.Load() {
		return event.Result{}, &openchrome.Error{Tool: c.Tool, Err: errClosed}
	}
	r, err := s.client.Call(ctx, c)
	e, ok := errors.AsType[*openchrome.Error](err)
	switch {
	case !ok:
	case s.closed.Load():
		e.Err = errClosed
	case errors.Is(e.Err, transport.ErrTransportClosed):
		e.Err = s.server.explain(e.Err)
	}
	return r, err
}

// Requests implements [openchrome.Session].
func (s *session) Requests(ctx context.Context) ([]sites.Request, error) {
	if s.live {
		return nil, errors.New("requests to the live web are not recorded")
	}
	s.webMu.Lock()
	defer s.webMu.Unlock()
	if s.closed.Load() {
		return nil, errClosed
	}
	requests, truncated, err := s.remote.Log(ctx)
	if err == nil && truncated {
		err = errors.New("the access log of the fixture web is full")
	}
	return requests, err
}

// Close implements [openchrome.Session]. It kills both containers and returns
// when they are gone. Closing again does nothing.
func (s *session) Close() (err error) {
	s.closing.Do(func() {
		s.closed.Store(true)
		var web error
		var both sync.WaitGroup
		if s.web != nil {
			both.Go(func() { web = s.web.remove() })
		}
		if s.server != nil {
			both.Go(func() {
				err = s.server.remove()
				if s.client != nil {
					s.client.Close() // the stream has ended
				}
			})
		}
		both.Wait()
		err = errors.Join(err, web)
	})
	return err
}
