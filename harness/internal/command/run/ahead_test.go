package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/choose"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/web"
)

// A slowLauncher's n-th session takes the n-th time to come up, whatever its
// context says.
type slowLauncher struct {
	times []time.Duration

	mu               sync.Mutex
	launched, closed int
	open, most       int
	began            []time.Time
}

type slowSession struct {
	session.Session
	l *slowLauncher
}

func (l *slowLauncher) Launch(context.Context) (session.Session, error) {
	l.mu.Lock()
	takes := l.times[l.launched]
	l.launched++
	l.began = append(l.began, time.Now())
	l.open++
	l.most = max(l.most, l.open)
	l.mu.Unlock()
	<-time.After(takes) // the bubble's clock
	return slowSession{l: l}, nil
}

func (l *slowLauncher) Notes() []string { return nil }

func (l *slowLauncher) PackageDigest() string { return "" }
func (l *slowLauncher) Close() error          { return nil }

func (slowSession) Draw(context.Context, web.Draw) error { return nil }

func (slowSession) Tools() []adapter.Tool { return nil }

func (slowSession) Server() *server.Server { return new(server.Server) } // without a warm-up

func (slowSession) Call(context.Context, adapter.Call) (adapter.Result, error) {
	return adapter.Result{}, errors.New("no call was expected")
}

func (s slowSession) Close() error {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	s.l.closed++
	s.l.open--
	return nil
}

// newSlow returns a runner of one job for each of the times.
func newSlow(t *testing.T, parallel int, times ...time.Duration) (*runner, *slowLauncher) {
	t.Helper()
	success, faults := judge.Parse([]byte(`{"kind":"dom_text","selector":"h1","contains":"Example"}`))
	need.Equal(t, "faults", 0, len(faults))
	l := &slowLauncher{times: times}
	o := Options{Values: option.Values{Parallel: parallel}}
	o.Stdout, o.Stderr = io.Discard, io.Discard
	r := &runner{Options: o, launcher: &choose.Chosen{Launcher: l}, out: newPrinter(o, func() {}), closing: new(sync.WaitGroup)}
	t.Cleanup(func() { r.out.Close(context.Background()) })
	for i := range times {
		r.jobs = append(r.jobs, job{&transcript.Prepared{Spec: task.Spec{ID: string(rune('a' + i)), Success: success}}, 1, i})
	}
	return r, l
}

func TestSessionsComeInTheOrderOfTheJobs(t *testing.T) {
	times := []time.Duration{5 * time.Second, time.Second, 3 * time.Second, 0, 2 * time.Second}
	for _, shared := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, l := newSlow(t, 1, times...)
			most := 4 // one that runs, two ahead, one that is being closed
			if shared {
				r.Turn, most = NewTurns(1).Of(0), 1
			}
			got := ""
			for next := range r.launchAhead(t.Context()) {
				s := <-next
				got += s.job.task.ID
				<-time.After(time.Second) // the episode
				r.release(s)
			}
			r.closing.Wait()
			need.Equal(t, fmt.Sprintf("shared %v: order", shared), "abcde", got)
			if l.closed != len(times) || l.most > most {
				t.Errorf("shared %v: %d sessions were closed, at most %d open, want %d and %d", shared, l.closed, l.most, len(times), most)
			}
		})
	}
}

// The report of a stopped run does not wait for sessions that are on their way;
// they are closed all the same.
func TestStopDoesNotWaitForALaunch(t *testing.T) {
	for _, shared := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			r, l := newSlow(t, 1, time.Hour, time.Hour, time.Hour)
			if shared {
				r.Turn = NewTurns(1).Of(0)
			}
			ctx, cancel := context.WithCancel(t.Context())
			sessions := r.launchAhead(ctx)
			synctest.Wait()
			cancel()
			began := time.Now()
			for range sessions {
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("shared %v: it waited %v", shared, took)
			}
			r.closing.Wait()
			if l.open != 0 || l.closed == 0 {
				t.Errorf("shared %v: %d sessions are open, %d were closed", shared, l.open, l.closed)
			}
		})
	}
}

// No worker waits for a session that shares the machine with the start of one
// that nobody waits for yet.
func TestAsManySessionsStartAsThereAreWorkers(t *testing.T) {
	for parallel, want := range map[int][]time.Duration{
		1: {0, time.Second, 2 * time.Second, 3 * time.Second},
		3: {0, 0, 0, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, l := newSlow(t, parallel, time.Second, time.Second, time.Second, time.Second)
			began := time.Now()
			for next := range r.launchAhead(t.Context()) {
				r.release(<-next)
			}
			r.closing.Wait()
			var got []time.Duration
			for _, at := range l.began {
				got = append(got, at.Sub(began))
			}
			need.Equal(t, fmt.Sprintf("parallel %d: sessions begin at", parallel), want, got)
		})
	}
}
