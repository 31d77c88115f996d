package run

import (
	"context"
	"time"

	"github.com/openchrome/bench/harness/episode"
	"github.com/openchrome/bench/harness/openchrome"
)

// launched is a session that is ready for its job, or why there is none.
type launched struct {
	job      job
	session  openchrome.Session
	viewport string
	took     time.Duration
	ready    time.Time
	err      error
}

// launchAhead launches the sessions of the jobs while earlier episodes run, and
// hands them out in the order of the jobs. With n workers n+1 are launched or
// stand ready: a browser's start can take longer than a short episode, so that
// one ahead would not be enough. Each channel that comes gives one session, or
// none once ctx has ended: what was launched and not taken is then closed.
//
// At most n launch at a time: two browsers that start at once take twice as long,
// and the session that a worker waits for is the first of them.
//
// Sessions of one shared OpenChrome are launched one at a time, each after the
// last was closed: resetting it for one would pull the page from under another.
func (r *runner) launchAhead(ctx context.Context) <-chan (<-chan launched) {
	ahead := make(chan struct{}, *r.Parallel+1) // holds one for each session that was not taken yet
	queue := make(chan (<-chan launched), cap(ahead))
	launching := make(chan struct{}, *r.Parallel) // holds one for each session that is not ready yet
	go func() {
		defer close(queue)
		for _, j := range r.jobs {
			if !enter(ctx, ahead) || !enter(ctx, launching) || r.shared != nil && !enter(ctx, r.shared) {
				return
			}
			ready := make(chan launched)
			r.closing.Go(func() { // the report of a stopped run does not wait for a launch
				s := launch(ctx, r.launcher, j)
				<-launching
				select {
				case ready <- s:
				case <-ctx.Done():
					r.release(s)
				}
				<-ahead
			})
			queue <- ready
		}
	}()
	return queue
}

// enter takes a place in room and reports whether it could before ctx ended.
func enter(ctx context.Context, room chan<- struct{}) bool {
	select {
	case room <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// release closes a session that is done with, in the background: the next
// episode need not wait for it. Of a shared OpenChrome it must.
func (r *runner) release(s launched) {
	if r.shared != nil {
		defer func() { <-r.shared }()
	}
	switch {
	case s.session == nil:
	case r.shared != nil:
		r.out.Warn(s.session.Close())
	default:
		r.closing.Go(func() { r.out.Warn(s.session.Close()) })
	}
}

// launch starts and prepares the session of one job within its own deadline.
func launch(ctx context.Context, l openchrome.Launcher, j job) launched {
	ctx, cancel := context.WithTimeout(ctx, openchrome.LaunchTimeout)
	defer cancel()
	began := time.Now()
	s := launched{job: j}
	s.session, s.err = l.Launch(ctx)
	if s.err == nil {
		s.viewport, s.err = openchrome.Prepare(ctx, s.session, j.spec.Setup, j.spec.Success.Needs())
		if s.err != nil {
			s.session.Close()
			s.session = nil
		}
	}
	s.took = time.Since(began)
	s.ready = time.Now()
	return s
}

// A session that stood ready for longer than idleLimit is asked whether it still
// lives. That it idled is our doing, and no episode's fault.
const (
	idleLimit   = 100 * time.Millisecond
	pingTimeout = 5 * time.Second
)

// alive returns s, or in place of a session that died while it stood ready, a
// new one.
func (r *runner) alive(ctx context.Context, s launched) launched {
	if s.session == nil || time.Since(s.ready) < idleLimit {
		return s
	}
	pinged, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if s.session.Ping(pinged) == nil || ctx.Err() != nil {
		return s
	}
	s.session.Close()
	return launch(ctx, r.launcher, s.job)
}

func (j job) name() string { return episode.Name(j.spec.ID, j.repetition) }
