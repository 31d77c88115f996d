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

	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/harness/watchdog"
	"github.com/openchrome/bench/sites"
)

// Options configure a launcher.
type Options struct {
	BuildOptions // of the images that are missing; Progress is also told what else takes long

	Sites *sites.Set // the fixture web; nil: there is only the live one
	CA    *sites.CA  // the run's; required with Sites

	// LiveWeb lets hosts that are no fixture site out to the real web.
	LiveWeb bool
}

// launcher is one run's part of the engine: a network and what is on it.
type launcher struct {
	o       Options
	engine  *engine
	images  Images
	run     string // id
	network string // name
	ca      []byte // with its key, for the fixture web
	count   atomic.Int64
	failed  atomic.Bool // the network or a launch: what it asked for may yet be made
	release func()      // of the watchdog
}

// New removes what dead runs left, builds the images that are missing and
// makes the run's network. The error says why containers cannot be used here.
func New(ctx context.Context, o Options) (openchrome.Launcher, error) {
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
	if l.o.Sites != nil {
		if l.ca, err = l.o.CA.Marshal(); err != nil {
			return err
		}
	}
	// What others left is no reason not to start.
	if gone, _ := l.engine.sweep(ctx); len(gone) > 0 {
		line(l.o.Progress, "docker: removed %d leftovers of runs that were killed", len(gone))
	}
	l.images, err = l.engine.build(ctx, l.o.BuildOptions)
	if err != nil {
		return err
	}
	if l.release, err = watchdog.GuardOnDisk(kindDocker, l.run); err != nil {
		return err
	}
	_, err = l.engine.api.NetworkCreate(ctx, l.network, client.NetworkCreateOptions{
		Driver:   "bridge",
		Internal: !l.live(),
		Labels:   l.labels(),
		Options:  l.networkOptions(),
	})
	if err != nil {
		l.failed.Store(true)
		return fmt.Errorf("docker: create a network: %w", err)
	}
	return nil
}

// networkOptions: without an address the bridge is no way to the host, whose
// services an internal network reaches otherwise.
func (l *launcher) networkOptions() map[string]string {
	if l.live() {
		return nil
	}
	return map[string]string{"com.docker.network.bridge.inhibit_ipv4": "true"}
}

func (l *launcher) live() bool { return l.o.LiveWeb || l.o.Sites == nil }

func (l *launcher) labels() map[string]string {
	return map[string]string{runLabel: l.run, ownerLabel: self().String()}
}

// Launch implements [openchrome.Launcher].
func (l *launcher) Launch(ctx context.Context) (openchrome.Session, error) {
	n := strconv.FormatInt(l.count.Add(1), 10)
	s := l.newSession()
	// Beside each other: nothing asks for the web before the first navigate.
	webDone := make(chan error, 1)
	go func() { webDone <- s.startWeb(ctx, l, n) }()
	err := s.startServer(ctx, l, n)
	if err = cmp.Or(err, <-webDone); err != nil {
		l.failed.Store(true)
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Notes implements [openchrome.Launcher].
func (l *launcher) Notes() []string {
	var notes []string
	if l.o.Server == "" {
		notes = append(notes, "Chromium ran without its own sandbox, in a container without privileges.")
	} else {
		notes = append(notes, "The containers ran "+l.o.Server+", not OpenChrome.")
	}
	if l.live() {
		notes = append(notes, "Hosts that are no fixture site were reached on the live web.")
	}
	return notes
}

// program is what both containers of session n have in common.
func (l *launcher) program(n, part string) program {
	labels := l.labels()
	labels[sessionLabel] = n
	return program{
		network: l.network, name: l.network + "-" + n + "-" + part, labels: labels, live: l.live(),
	}
}

// closeTimeout bounds Close. The watchdog, or the next New, does the rest.
const closeTimeout = 10 * time.Second

// Close implements [openchrome.Launcher]: it removes whatever the run still has.
func (l *launcher) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	defer l.engine.close()
	_, err := l.engine.remove(ctx, runLabel+"="+l.run, func(owner, time.Time) bool { return true })
	// After what failed the watchdog looks once more when we are gone.
	if err == nil && l.release != nil && !l.failed.Load() {
		l.release()
	}
	return err
}
