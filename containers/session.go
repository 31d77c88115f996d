package containers

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

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
	web    *process
	remote *sites.Remote

	closing sync.Once
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
		return s.web.explain(err)
	}
	return nil
}

// alias is the name of a session's fixture web on the network.
func alias(n string) string { return "web-" + n }

func (s *session) startServer(ctx context.Context, l *launcher, n string) error {
	p := l.program(n, "server")
	p.image, p.memory = l.images.Server, serverMemory
	p.tmpfs = map[string]string{
		"/tmp":        "rw,nosuid,nodev,size=512m,mode=1777",
		"/home/bench": "rw,nosuid,nodev,size=512m,mode=0700,uid=10001,gid=10001",
	}
	p.env = map[string]string{
		"OPENCHROME_BENCH_CA":    base64.StdEncoding.EncodeToString(l.o.CA.DER()),
		"OPENCHROME_BENCH_RULES": rules(l.o.Sites.Hosts(), alias(n), l.o.LiveWeb),
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
			return fmt.Errorf("OpenChrome's container: %w; the end of its stderr:\n%s", err, c.stderr.tail(8))
		}
		return fmt.Errorf("OpenChrome's container: %w", c.explain(err))
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

func chromiumVersion(line string) string {
	if m := chromium.FindStringSubmatch(line); m != nil {
		return m[1]
	}
	return ""
}

// Subject implements [openchrome.Session].
func (s *session) Subject() event.Subject { return s.subject }

// Tools implements [openchrome.Session].
func (s *session) Tools() []openchrome.Tool { return s.client.Tools() }

// Call implements [openchrome.Session].
func (s *session) Call(ctx context.Context, c event.Call) (event.Result, error) {
	r, err := s.client.Call(ctx, c)
	if e, ok := errors.AsType[*openchrome.Error](err); ok {
		e.Err = s.server.explain(e.Err)
	}
	return r, err
}

// Requests implements [openchrome.Session].
func (s *session) Requests(ctx context.Context) ([]sites.Request, error) {
	if s.live {
		return nil, errors.New("the live web keeps no access log")
	}
	s.webMu.Lock()
	defer s.webMu.Unlock()
	requests, truncated, err := s.remote.Log(ctx)
	if err == nil && truncated {
		err = errors.New("the fixture web's access log is full: requests are missing from it")
	}
	return requests, err
}

// Close implements [openchrome.Session]. It kills both containers and returns
// when they are gone. Closing again does nothing.
func (s *session) Close() (err error) {
	s.closing.Do(func() {
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
