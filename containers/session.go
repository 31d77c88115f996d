package containers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/sites"
)

// session is two containers: the fixture web, and OpenChrome with its browser.
type session struct {
	*openchrome.Owned
	server *process

	webMu  sync.Mutex // a Remote is for one goroutine at a time
	web    *process   // nil without a fixture web
	remote *sites.Remote
	outage error // of the web; it lasts
}

func (l *launcher) newSession() *session {
	s := new(session)
	subject := event.Subject{Package: l.images.Package, Image: l.images.Server, Isolation: "fresh"}
	log := s.log
	if l.o.Sites == nil {
		log = nil
	} else if l.live() {
		log = s.noLog
	}
	s.Owned = openchrome.NewOwned(subject, log, s.remove)
	return s
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
		return s.web.Explain(err)
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
	t := transport.NewIO(openchrome.LimitLines(c.stdout), stdin{c.conn}, io.NopCloser(strings.NewReader("")))
	if err := s.Connect(ctx, t, c); err != nil {
		return fmt.Errorf("start OpenChrome: %w", err)
	}
	if l.o.Server != "" {
		return nil
	}
	select {
	case line := <-c.begins.line:
		s.SetChromium(chromiumVersion(line))
		return nil
	case <-ctx.Done():
		return fmt.Errorf("start OpenChrome: it does not tell which Chromium it has: %w", ctx.Err())
	}
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

// logTimeout is what a web has for its log, which takes it a millisecond.
const logTimeout = 5 * time.Second

// log is an [openchrome.AccessLog]. A web that does not answer never does again.
// That ctx ended first says nothing of the web: it has logTimeout all the same.
func (s *session) log(ctx context.Context) ([]sites.Request, bool, error) {
	type answer struct {
		requests  []sites.Request
		truncated bool
		err       error
	}
	done := make(chan answer, 1)
	go func() {
		requests, truncated, err := s.readLog(context.WithoutCancel(ctx))
		done <- answer{requests, truncated, err}
	}()
	select {
	case a := <-done:
		return a.requests, a.truncated, a.err
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

func (s *session) readLog(ctx context.Context) ([]sites.Request, bool, error) {
	s.webMu.Lock()
	defer s.webMu.Unlock()
	if s.outage != nil {
		return nil, false, s.outage
	}
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	requests, truncated, err := s.remote.Log(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = s.web.Explain(err)
		}
		s.outage = &openchrome.Outage{Err: err}
		return nil, false, s.outage
	}
	return requests, truncated, nil
}

// noLog is the log beside a live web: the fixture web's own is not all.
func (s *session) noLog(ctx context.Context) ([]sites.Request, bool, error) {
	if _, _, err := s.log(ctx); err != nil {
		return nil, false, err
	}
	return nil, false, openchrome.ErrLiveWeb
}

// Ping implements [openchrome.Session]. That a process in the container met our
// memory limit, such as the browser or a page of it, is an [openchrome.Outage].
func (s *session) Ping(ctx context.Context) error {
	now := time.Now()
	if s.server.outOfMemory(fmt.Sprintf("%d.%09d", now.Unix(), now.Nanosecond())) {
		return &openchrome.Outage{Err: fmt.Errorf("a process in its container was killed: all together needed more memory than our limit of %d MiB", s.server.memory>>20)}
	}
	if s.web != nil {
		if _, _, err := s.log(ctx); err != nil {
			return err
		}
	}
	return s.Owned.Ping(ctx)
}

// remove kills both containers and returns when they are gone.
func (s *session) remove() error {
	var web, server error
	var both sync.WaitGroup
	if s.web != nil {
		both.Go(func() { web = s.web.remove() })
	}
	if s.server != nil {
		both.Go(func() { server = s.server.remove() })
	}
	both.Wait()
	return errors.Join(server, web)
}
