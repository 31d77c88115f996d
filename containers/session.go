package containers

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
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
	web    *process   // nil until it runs
	remote *sites.Remote
	outage error // of the web; it lasts
}

// The ports of the fixture web, which an unprivileged user may listen on.
const (
	httpPort  = "8080"
	httpsPort = "8443"
)

// alias is the name of session n's fixture web on the network.
func alias(n string) string { return "web-" + n }

func (l *launcher) newSession() *session {
	s := new(session)
	subject := event.Subject{Package: l.images.Package, Image: l.images.Server, Isolation: "fresh"}
	log := s.log
	if l.o.LiveWeb {
		log = s.noLog
	}
	s.Owned = openchrome.NewOwned(subject, log, s.remove)
	return s
}

func (s *session) startWeb(ctx context.Context, l *launcher, n string) error {
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
	p.tmpfs = map[string]string{
		"/tmp":        "rw,nosuid,nodev,size=512m,mode=1777",
		"/home/bench": "rw,nosuid,nodev,size=512m,mode=0700,uid=10001,gid=10001",
	}
	p.env = map[string]string{ // for containers/openchrome/entrypoint
		"OPENCHROME_BENCH_CA":    base64.StdEncoding.EncodeToString(l.o.CA.DER()),
		"OPENCHROME_BENCH_RULES": openchrome.HostRules(l.o.Sites.Hosts(), alias(n)+":"+httpPort, alias(n)+":"+httpsPort, l.o.LiveWeb),
	}
	c, err := l.engine.start(ctx, p)
	if err != nil {
		return err
	}
	s.server = c
	t := transport.NewIO(openchrome.LimitLines(c.stdout), stdin{c.conn}, nil) // attach reads the stderr
	if err := s.Connect(ctx, t, c); err != nil {
		return fmt.Errorf("start OpenChrome: %w", err)
	}
	if l.o.Server != "" {
		return nil
	}
	select {
	case line := <-c.begins:
		s.SetChromium(chromiumVersion(line))
		return nil
	case <-ctx.Done():
		return fmt.Errorf("start OpenChrome: it does not report its Chromium version: %w", ctx.Err())
	}
}

// chromium matches the first line of the entrypoint, written before anything
// hostile is loaded.
var chromium = regexp.MustCompile(`^openchrome-bench: Chrom\w* ([0-9.]+)`)

// chromiumVersion returns the version as Chromium's DevTools write it.
func chromiumVersion(line string) string {
	if m := chromium.FindStringSubmatch(line); m != nil {
		return "Chrome/" + m[1]
	}
	return ""
}

// logTimeout bounds the wait for the web's log, which takes a millisecond.
const logTimeout = 5 * time.Second

// log is an [openchrome.AccessLog]. A web that does not answer within logTimeout
// has failed for good. The web gets that time even if ctx ends first.
func (s *session) log(ctx context.Context) ([]sites.Request, bool, error) {
	var requests []sites.Request
	var truncated bool
	done := make(chan error, 1)
	go func() {
		var err error
		requests, truncated, err = s.readLog(context.WithoutCancel(ctx))
		done <- err
	}()
	select {
	case err := <-done:
		return requests, truncated, err
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

// noLog is the access log with a live web, whose requests nobody records.
func (s *session) noLog(ctx context.Context) ([]sites.Request, bool, error) {
	if _, _, err := s.log(ctx); err != nil {
		return nil, false, err
	}
	return nil, false, openchrome.ErrLiveWeb
}

// Ping implements [openchrome.Session]. If the engine killed a process in the container
// at our memory limit, such as the browser or a page, the error is an
// [openchrome.Outage].
func (s *session) Ping(ctx context.Context) error {
	now := time.Now()
	if s.server.outOfMemory(fmt.Sprintf("%d.%09d", now.Unix(), now.Nanosecond())) {
		return &openchrome.Outage{Err: fmt.Errorf("a process in its container was killed: the container's processes together needed more memory than our limit of %d MiB", s.server.memory>>20)}
	}
	if _, _, err := s.log(ctx); err != nil {
		return err
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
