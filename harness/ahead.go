package harness

import (
	"context"
	"sync"
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

// launchAhead launches the sessions of the jobs, in their order, while earlier
// episodes run. With n workers n+1 are launched or stand ready: a browser's start
// can take longer than a short episode, so that one ahead would not be enough.
// The channel is closed after the last; what was launched and not taken is closed
// with it.
//
// Sessions of one shared OpenChrome are launched one at a time, each after the
// last was closed: resetting it for one would pull the page from under another.
func (r *runner) launchAhead(ctx context.Context) <-chan launched {
	var (
		ready = make(chan launched)
		turn  = make(chan job)
		wg    sync.WaitGroup
	)
	go func() {
		defer close(turn)
		for _, j := range r.jobs {
			select {
			case turn <- j:
			case <-ctx.Done():
				return
			}
		}
	}()
	for range min(*r.Parallel+1, len(r.jobs)) {
		wg.Go(func() {
			for j := range turn {
				if r.shared != nil {
					r.shared <- struct{}{} // until release
				}
				s := launch(ctx, r.launcher, j)
				select {
				case ready <- s:
				case <-ctx.Done():
					r.release(s)
				}
			}
		})
	}
	go func() {
		wg.Wait()
		close(ready)
	}()
	return ready
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
		r.out.warn(s.session.Close())
	default:
		r.closing.Go(func() { r.out.warn(s.session.Close()) })
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
