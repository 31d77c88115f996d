package run

import (
	"context"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/record"
)

// launched is a session that is ready for its job, or why there is none.
type launched struct {
	job      job
	session  session.Session
	viewport string
	files    map[string]string // paths of the task's files
	took     time.Duration
	ready    time.Time
	err      error
}

// launchAhead launches sessions while earlier episodes run, and returns them in the order
// of the jobs. Each channel returns one session, or none after ctx has ended. Sessions that
// nobody took are then closed.
//
// For n workers, n+1 sessions are starting or ready, because a browser may start more
// slowly than a short episode runs. At most n of them start at the same time, because two
// browsers that start together take twice as long.
//
// If the run has turns, a session starts only after the last one was closed. A run whose
// sessions share one OpenChrome has turns, because the reset of one session would close the
// page of another.
func (r *runner) launchAhead(ctx context.Context) <-chan (<-chan launched) {
	ahead := make(chan struct{}, r.Parallel+1) // one for each session that nobody has taken yet
	queue := make(chan (<-chan launched), cap(ahead))
	launching := make(chan struct{}, r.Parallel) // one for each session that is not ready yet
	if r.Turn != nil {
		r.Turn.join(r.Turn.run, r.jobs)
	}
	go func() {
		defer close(queue)
		for _, j := range r.jobs {
			if !enter(ctx, ahead) || !enter(ctx, launching) || !r.Turn.take(ctx) {
				return
			}
			ready := make(chan launched)
			r.closing.Go(func() { // the report of a stopped run must not wait for a launch
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

// enter takes a place in room. It reports false if ctx ended first.
func enter(ctx context.Context, room chan<- struct{}) bool {
	select {
	case room <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// release closes a session in the background, so that the next episode need not wait. With
// turns, the next episode does wait.
func (r *runner) release(s launched) {
	if r.Turn == nil {
		if s.session != nil {
			r.closing.Go(func() { r.out.Warn(s.session.Close()) })
		}
		return
	}
	if s.session != nil {
		r.out.Warn(s.session.Close())
	}
	r.Turn.pass()
}

// launch starts and prepares the session of one job. It has its own deadline.
func launch(ctx context.Context, l session.Launcher, j job) launched {
	ctx, cancel := context.WithTimeout(ctx, session.LaunchTimeout)
	defer cancel()
	began := time.Now()
	s := launched{job: j}
	s.session, s.err = l.Launch(ctx)
	if s.err == nil {
		s.err = s.session.Draw(ctx, draw(j.task.Spec))
	}
	if s.err == nil && j.task.Uploads != nil {
		s.files, s.err = s.session.PutFiles(ctx, j.task.Uploads)
	}
	if s.err == nil {
		s.viewport, s.err = facts.Prepare(ctx, s.session, j.task.Setup)
	}
	if s.err != nil && s.session != nil {
		s.session.Close()
		s.session = nil
	}
	s.took = time.Since(began)
	s.ready = time.Now()
	return s
}

// A session that was ready for longer than idleLimit is pinged before use. If it died
// before the episode began, the episode must not fail for that.
const (
	idleLimit   = 100 * time.Millisecond
	pingTimeout = 5 * time.Second
)

// replaceDead returns s, or a new session if s died while it waited.
func (r *runner) replaceDead(ctx context.Context, s launched) launched {
	if s.session == nil || time.Since(s.ready) < idleLimit {
		return s
	}
	pinged, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if s.session.Ping(pinged) == nil || ctx.Err() != nil {
		return s
	}
	r.out.Warn(s.session.Close())
	return launch(ctx, r.launcher, s.job)
}

func (j job) name() string { return record.EpisodeName(j.task.ID, j.repetition) }
