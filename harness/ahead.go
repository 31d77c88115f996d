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
	err      error
}

// launchAhead launches the sessions of the jobs, in their order, while earlier
// episodes run: with n workers up to n sessions stand ready. The channel is
// closed after the last; what was launched and not taken is closed with it.
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
	for range min(*r.Parallel, len(r.jobs)) {
		wg.Go(func() {
			for j := range turn {
				s := launch(ctx, r.launcher, j)
				select {
				case ready <- s:
				case <-ctx.Done():
					if s.session != nil {
						r.closing.Go(func() { s.session.Close() })
					}
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
	return s
}

func (j job) name() string { return episode.Name(j.spec.ID, j.repetition) }
