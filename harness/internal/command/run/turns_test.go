package run

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// jobsFrom are the jobs of a plan of n episodes, without the first that are done.
func jobsFrom(done, n int) (jobs []job) {
	for place := done; place < n; place++ {
		jobs = append(jobs, job{place: place})
	}
	return jobs
}

// Runs that are resumed go on in the order that they had, also in the middle of a pair.
func TestTurns(t *testing.T) {
	whole := []int{0, 1, 2, 2, 1, 0, 0, 1, 2, 2, 1, 0}
	for _, test := range []struct {
		name string
		done []int // by run
		want []int
	}{
		{"new", []int{0, 0, 0}, whole},
		{"resumed between two", []int{1, 1, 1}, whole[3:]},
		{"resumed after one of three", []int{1, 1, 2}, whole[4:]},
		{"resumed after two of three", []int{3, 3, 2}, []int{2, 2, 1, 0}},
		{"one is done", []int{4, 3, 3}, []int{2, 1}},
		{"all are done", []int{4, 4, 4}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			turns := NewTurns(len(test.done))
			order := make(chan int)
			for i, done := range test.done {
				turn := turns.Of(i)
				go func() {
					jobs := jobsFrom(done, 4)
					turn.join(i, jobs)
					for range jobs {
						if !turn.take(t.Context()) {
							return
						}
						order <- i
						turn.pass()
					}
				}()
			}
			var got []int
			for range test.want {
				got = append(got, <-order)
			}
			need.Equal(t, "order", test.want, got)
		})
	}
}

// After the first pair there is an estimate, however early, and then again as it learns.
func TestPairsAreEstimated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := NewTurns(2)
		began := time.Now()
		var got []string
		var sides sync.WaitGroup
		turns.Say = func(line string) { got = append(got, time.Since(began).String()+": "+line) }
		for i, took := range []time.Duration{35 * time.Second, 5 * time.Second} {
			turn := turns.Of(i)
			turn.join(i, jobsFrom(0, 18))
			sides.Go(func() {
				for n := range 18 {
					turn.take(t.Context())
					if n > 4 { // the server got faster
						took = 2 * time.Second
					}
					time.Sleep(took)
					turn.pass()
				}
			})
		}
		sides.Wait()
		need.Equal(t, "lines", []string{
			"40s: 1 of 18 pairs done; about 11m20s left",
			"2m0s: 3 of 18 pairs done; about 10m0s left",
			"3m20s: 5 of 18 pairs done; about 8m40s left",
			"3m32s: 8 of 18 pairs done; about 4m25s left",
			"3m44s: 11 of 18 pairs done; about 2m23s left",
			"3m56s: 14 of 18 pairs done; about 1m7s left",
			"4m8s: 17 of 18 pairs done; about 15s left",
		}, got)
	})
}
