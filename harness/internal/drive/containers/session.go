package containers

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// boxSession is two containers: the fixture web, and Chromium together with OpenChrome.
type boxSession struct {
	*session.Base
	box      *process // the container whose main process is Chromium
	server   *command
	observer *observer.Observer // nil if the tests' own server runs, which has no browser

	webMu  sync.Mutex // only one goroutine at a time may use a Remote
	web    *process   // nil until the web runs
	remote *serve.Remote
	outage error // why the web failed; stays set
}

// The ports of the fixture web, which an unprivileged user may listen on.
const (
	httpPort  = "8080"
	httpsPort = "8443"
)

// alias is the name of session n's fixture web on the network.
func alias(n string) string { return "web-" + n }

func (l *launcher) newSession() *boxSession {
	s := new(boxSession)
	server := record.Server{Package: l.images.Package, Image: l.images.Server, Isolation: "fresh"}
	log := s.log
	if l.o.LiveWeb {
		log = s.noLog
	}
	s.Base = session.NewBase(server, log, s.remove)
	s.Drawing = s.draw
	if l.o.Server == "" {
		s.Putting = s.putFiles
	}
	return s
}

func (s *boxSession) startWeb(ctx context.Context, l *launcher, n string) error {
	p := l.program(n, "web")
	p.image, p.alias, p.memory = l.images.Web, alias(n), webMemory
	c, err := start(ctx, l.engine, p)
	if err != nil {
		return err
	}
	s.web, s.remote = c, serve.NewRemote(pipes{&c.stream})
	cfg := serve.RemoteConfig{CA: string(l.ca), Sites: l.o.Sites.Pack(), HTTP: ":" + httpPort, HTTPS: ":" + httpsPort}
	if err := s.remote.Start(ctx, cfg); err != nil {
		return s.web.Explain(err)
	}
	return nil
}

func (s *boxSession) startServer(ctx context.Context, l *launcher, n string) error {
	p := l.program(n, "server")
	p.image, p.user, p.memory = l.images.Server, chromiumUser, serverMemory
	p.tmpfs = map[string]string{
		"/tmp": "rw,nosuid,nodev,size=512m,mode=1777",
		// /home/bench holds the files that Chromium uploads. In /home/chromium a file tells
		// /opt/serve that Chromium has ended.
		"/home/bench":    "rw,nosuid,nodev,size=512m,mode=0755,uid=10001,gid=10001",
		"/home/chromium": "rw,nosuid,nodev,size=512m,mode=0755,uid=10002,gid=10002",
	}
	p.env = map[string]string{ // variables for containers/openchrome/entrypoint
		"OPENCHROME_BENCH_CA":    base64.StdEncoding.EncodeToString(l.o.CA.DER()),
		"OPENCHROME_BENCH_RULES": launch.HostRules(l.o.Sites.Hosts(), alias(n)+":"+httpPort, alias(n)+":"+httpsPort, l.o.LiveWeb),
	}
	serve := []string{"sh", "/opt/serve"}
	if l.o.Server != "" {
		p.args, serve = []string{"idle"}, []string{"/server"}
	}
	var err error
	if s.box, err = start(ctx, l.engine, p); err != nil {
		return err
	}
	// Both start at the same time, because both are slow. The observer is still the
	// browser's first client, because OpenChrome connects at its first tool call.
	var noServer error
	var both sync.WaitGroup
	both.Go(func() { s.server, noServer = s.box.run(ctx, nobody, serve...) })
	if l.o.Server == "" {
		err = s.observe(ctx)
	}
	both.Wait()
	if err = cmp.Or(err, noServer); err != nil {
		return err
	}
	t := transport.NewIO(session.LimitLines(s.server.stdout), stdin{&s.server.stream}, nil) // open reads the stderr
	if err := s.Connect(ctx, t, s.server); err != nil {
		return fmt.Errorf("start OpenChrome: %w", err)
	}
	return nil
}

func (s *boxSession) observe(ctx context.Context) (err error) {
	s.observer, err = observer.Attach(ctx, devTools{pipes{&s.box.stream}})
	if err != nil {
		if ended := s.box.browserEnd(); ended != nil {
			err = ended
		} else {
			err = session.Saying(err, s.box.LastLine())
		}
		return fmt.Errorf("start Chromium: %w", err)
	}
	s.About.Chromium = s.observer.Version()
	return nil
}

// Observer implements [session.Session].
func (s *boxSession) Observer() *observer.Observer { return s.observer }

// logTimeout bounds the wait for the web's log, which takes a millisecond.
const logTimeout = 5 * time.Second

// log is an [session.AccessLog]. If the web does not answer within logTimeout, all later
// calls fail too. The web gets that time even if ctx ends first.
func (s *boxSession) log(ctx context.Context, why bool) (web.Log, error) {
	var log web.Log
	done := make(chan error, 1)
	go func() {
		var err error
		log, err = s.readLog(context.WithoutCancel(ctx), why)
		done <- err
	}()
	select {
	case err := <-done:
		return log, err
	case <-ctx.Done():
		return web.Log{}, ctx.Err()
	}
}

func (s *boxSession) readLog(ctx context.Context, why bool) (web.Log, error) {
	s.webMu.Lock()
	defer s.webMu.Unlock()
	if s.outage != nil {
		return web.Log{}, s.outage
	}
	ctx, cancel := context.WithTimeout(ctx, logTimeout)
	defer cancel()
	read := s.remote.Log
	if why {
		read = s.remote.Why
	}
	log, err := read(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = s.web.Explain(err)
		}
		s.outage = &session.Outage{Err: err}
		return web.Log{}, s.outage
	}
	return log, nil
}

// draw implements [session.Session]'s Draw.
func (s *boxSession) draw(ctx context.Context, d web.Draw) error {
	s.webMu.Lock()
	defer s.webMu.Unlock()
	return s.remote.Draw(ctx, d)
}

// putFiles implements [session.Session]'s PutFiles. The root is read-only and the home is
// in memory, where the engine cannot copy files to. So a program in the container unpacks
// them.
func (s *boxSession) putFiles(ctx context.Context, put map[string][]byte) (map[string]string, error) {
	const dir = "/home/bench/" + adapter.FilesDir
	paths := make(map[string]string)
	packed := make(files)
	for name, data := range put {
		paths[name] = dir + "/" + name
		packed[adapter.FilesDir+"/"+name] = data
	}
	if err := s.box.do(ctx, packed.archive(), "tar", "-x", "-C", "/home/bench"); err != nil {
		return nil, fmt.Errorf("copy files into the container: %w", err)
	}
	return paths, nil
}

// Halt implements [session.Session]. All processes of the server's user are the server's.
func (s *boxSession) Halt(ctx context.Context) (resume func(context.Context) error, err error) {
	return func(ctx context.Context) error { return s.signal(ctx, "CONT") }, s.signal(ctx, "STOP")
}

func (s *boxSession) signal(ctx context.Context, name string) error {
	return s.box.do(ctx, nil, "sh", "-c", "kill -"+name+" -1")
}

// noLog is the access log on the live web, where nobody records requests.
func (s *boxSession) noLog(ctx context.Context, _ bool) (web.Log, error) {
	if _, err := s.log(ctx, false); err != nil {
		return web.Log{}, err
	}
	return web.Log{}, session.ErrLiveWeb
}

// Ping implements [session.Session]. If Chromium ended, the error is that of
// [process.browserEnd]. If the engine killed another process in the container, such as a
// page, and not at our memory limit, it is an [*session.Outage].
func (s *boxSession) Ping(ctx context.Context) error {
	if s.box.outOfMemory(false) && !s.box.hitLimit() {
		return &session.Outage{Err: errors.New("a process in its container was killed: the machine's memory ran out")}
	}
	if _, err := s.log(ctx, false); err != nil {
		return err
	}
	if err := s.box.browserEnd(); err != nil {
		return err
	}
	return s.Base.Ping(ctx)
}

func (s *boxSession) remove() error {
	var web, server error
	var both sync.WaitGroup
	if s.web != nil {
		both.Go(func() { web = s.web.remove() })
	}
	if s.box != nil {
		both.Go(func() { server = s.box.remove() })
	}
	both.Wait()
	if s.server != nil {
		s.server.close()
	}
	if s.observer != nil {
		s.observer.Close()
	}
	return errors.Join(server, web)
}
