package containers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// Options configure a launcher.
type Options struct {
	BuildOptions // how to build missing images; Progress also gets other slow steps

	Sites *web.Set  // the fixture web
	CA    *serve.CA // the run's

	// LiveWeb connects hosts that are not fixture sites to the real web.
	LiveWeb bool
}

// launcher is one run's network and the containers on it.
type launcher struct {
	o       Options
	engine  *engine
	images  Images
	run     string // id
	network string // name
	ca      []byte // the CA with its key, for the fixture web
	count   atomic.Int64
	failed  atomic.Bool // the creation of a network or a launch failed; the engine may still complete it
	release func()      // releases the watchdog's guard
}

// New removes what dead runs left, builds the images that are missing and
// makes the run's network. The error says why containers cannot be used here.
func New(ctx context.Context, o Options) (session.Launcher, error) {
	e, err := connect(ctx)
	if err != nil {
		return nil, err
	}
	l := &launcher{o: o, engine: e, run: uuid.NewString()}
	l.network = "openchrome-bench-" + l.run[:8]
	if err := l.init(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

func (l *launcher) init(ctx context.Context) (err error) {
	if l.ca, err = l.o.CA.Marshal(); err != nil {
		return err
	}
	// This run can start even if a leftover remains.
	if gone, _ := l.engine.sweep(ctx); len(gone) > 0 {
		line(l.o.Progress, "docker: removed %d containers and networks left by killed runs", len(gone))
	}
	// Both are slow, and neither needs the other.
	networkDone := make(chan error, 1)
	go func() { networkDone <- l.makeNetwork(ctx) }()
	l.images, err = l.engine.build(ctx, l.o.BuildOptions)
	return cmp.Or(err, <-networkDone)
}

// makeNetwork makes the run's network, after the watchdog knows of it.
func (l *launcher) makeNetwork(ctx context.Context) (err error) {
	l.release = watchdog.Guard(kindDocker, l.run)
	o := client.NetworkCreateOptions{Driver: "bridge", Internal: !l.o.LiveWeb, Labels: l.labels()}
	if !l.o.LiveWeb {
		// An internal network still reaches the host's services, unless its bridge
		// has no address.
		o.Options = map[string]string{"com.docker.network.bridge.inhibit_ipv4": "true"}
	}
	if _, err = l.engine.api.NetworkCreate(ctx, l.network, o); err != nil {
		l.failed.Store(true)
		return fmt.Errorf("docker: create a network: %w", err)
	}
	return nil
}

func (l *launcher) labels() map[string]string {
	return map[string]string{runLabel: l.run, ownerLabel: self()}
}

// Launch implements [session.Launcher].
func (l *launcher) Launch(ctx context.Context) (session.Session, error) {
	n := strconv.FormatInt(l.count.Add(1), 10)
	s := l.newSession()
	// Both start at the same time: nobody needs the web before the first navigation.
	webDone := make(chan error, 1)
	go func() { webDone <- s.startWeb(ctx, l, n) }()
	err := s.startServer(ctx, l, n)
	if err = cmp.Or(err, <-webDone); err != nil {
		l.failed.Store(true)
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// PackageDigest implements [session.Launcher].
func (l *launcher) PackageDigest() string { return l.images.Package }

// Notes implements [session.Launcher].
func (l *launcher) Notes() []string {
	var notes []string
	if l.o.Server == "" {
		notes = append(notes, "Chromium ran without its own sandbox, in a container without privileges.")
	} else {
		notes = append(notes, "The containers ran "+l.o.Server+", not OpenChrome.")
	}
	if l.o.LiveWeb {
		notes = append(notes, "Hosts that are not fixture sites were reached on the live web.")
	}
	return notes
}

// program returns the common part of both containers of session n.
func (l *launcher) program(n, part string) program {
	labels := l.labels()
	labels[sessionLabel] = n
	return program{
		network: l.network, name: l.network + "-" + n + "-" + part, labels: labels, live: l.o.LiveWeb,
	}
}

// closeTimeout bounds Close. The watchdog, or the next New, does the rest.
const closeTimeout = 10 * time.Second

// Close implements [session.Launcher]: it removes what is left of the run.
func (l *launcher) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	defer l.engine.close()
	_, err := l.engine.remove(ctx, runLabel+"="+l.run, func(watchdog.Owner) bool { return true })
	// After a failure the watchdog looks once more when this process has ended.
	if err == nil && l.release != nil && !l.failed.Load() {
		l.release()
	}
	return err
}
