package episode_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/record"
)

// A page that does not answer is asked again while the machine is busy. On a quiet machine it hangs, and
// a machine is quiet whose tasks want no more CPUs than it has.
func TestBusyMachine(t *testing.T) {
	quiet, busy := runtime.NumCPU(), runtime.NumCPU()+1
	for _, test := range []struct {
		name    string
		running int
		until   time.Duration // busy; then it is quiet
		answers time.Duration // the page, after the last call
		status  record.Status
		took    time.Duration
	}{
		{"quiet", quiet, never, 6 * time.Second, record.Failed, 5 * time.Second},
		{"busy", busy, never, 12 * time.Second, record.Passed, 12 * time.Second},
		{"busy, and the page hangs", busy, never, never, record.Failed, 25 * time.Second},
		{"busy at first, and the page hangs", busy, 10 * time.Second, never, record.Failed, 11 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				episode.SetRunning(func() int {
					if time.Since(began) < test.until {
						return test.running
					}
					return 0
				})
				defer episode.SetRunning(func() int { return 0 })
				page := func(ctx context.Context, _ time.Duration) (observer.Reading, error) {
					select {
					case <-time.After(test.answers - time.Since(began)):
						return heading("Example", true), nil
					case <-ctx.Done():
						return observer.Reading{}, &observer.NoPage{Why: "the page does not answer"}
					}
				}
				stop, log := watch(t, t.Context(), watched{page: page}, func(o *episode.Options) { o.Task.MaxDurationMs = 60_000 })
				if took := time.Duration(only[record.Facts](t, log).WaitMs * float64(time.Millisecond)); stop.Status != test.status || took != test.took {
					t.Errorf("%s (%s) after %v, want %s after %v", stop.Status, stop.Reason, took, test.status, test.took)
				}
			})
		})
	}
}
