package harness_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

func benchmarked(b *testing.B) harness.Options {
	o := onStandin(b.TempDir())
	o.RunID = ""
	return o
}

// BenchmarkSmoke is the run of the smoke tasks in process, from reading the task
// files to the written report.
func BenchmarkSmoke(b *testing.B) {
	o := benchmarked(b)
	for b.Loop() {
		if err := harness.Run(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEpisodes is a long run on the stand-in with two workers. An op is an
// episode, its part of the report included.
func BenchmarkEpisodes(b *testing.B) {
	o := benchmarked(b)
	o.Task, o.Parallel = "example-h1", 2
	for _, n := range []int{500} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			o.Repetitions = n
			runs := 0
			for b.Loop() {
				runs++
				if err := harness.Run(b.Context(), o); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(runs*n)/b.Elapsed().Seconds(), "episodes/s")
		})
	}
}

// BenchmarkCommand is the same run as a command of the compiled mage binary.
// cpu-ms is its processor time, which depends less on what else the machine does.
func BenchmarkCommand(b *testing.B) {
	dir := b.TempDir()
	var used time.Duration
	runs := 0
	for b.Loop() {
		runs++
		cmd := exec.Command(bench, "bench:mock", "-openchrome=standin", "-out="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(used.Milliseconds())/float64(runs), "cpu-ms/op")
}

// BenchmarkTenThousand is a run of 10,000 episodes. heap-growth-kB is the
// live heap late in the run against that early in it; report-B/episode is the
// size of report and canonical report, heap-B/episode what building the
// report holds.
func BenchmarkTenThousand(b *testing.B) {
	const n = 10_000
	for b.Loop() {
		o := benchmarked(b)
		o.Task, o.Parallel, o.Repetitions, o.RunID = "example-h1", 2, n, "r"
		heap := &heapWatch{at: map[int]uint64{n / 10: 0, n * 9 / 10: 0}}
		if err := run.Run(b.Context(), run.Options{Values: option.Values(o), Ready: heap.ready}); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(int64(heap.at[n*9/10])-int64(heap.at[n/10]))/1024, "heap-growth-kB")
		info, err := os.Stat(filepath.Join(o.Out, "reports", "r.json"))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/n, "report-B/episode")
		before := liveHeap()
		r, err := report.FromFile(b.Context(), filepath.Join(o.Out, "events", "r.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(int64(liveHeap())-int64(before))/n, "heap-B/episode")
		runtime.KeepAlive(r)
	}
}

// heapWatch counts the episodes that begin, and measures the live heap at some.
type heapWatch struct {
	mu    sync.Mutex
	begun int
	at    map[int]uint64
}

func (h *heapWatch) ready(session.Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.begun++
	if _, watched := h.at[h.begun]; watched {
		h.at[h.begun] = liveHeap()
	}
}

func liveHeap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkLatency is the same run at one and at four episodes at a time on a
// stand-in that takes 100 ms for each call. There are many episodes, so that
// the end of the run, where workers have nothing to do, counts for little.
func BenchmarkLatency(b *testing.B) {
	b.Setenv("OPENCHROME_BENCH_STANDIN_LATENCY", "100ms")
	for _, parallel := range []int{1, 4} {
		b.Run(fmt.Sprintf("parallel=%d", parallel), func(b *testing.B) {
			o := benchmarked(b)
			o.Parallel, o.Repetitions = parallel, 12
			var episodes atomic.Int64
			watched := run.Options{Values: option.Values(o), Ready: func(session.Session) { episodes.Add(1) }}
			for b.Loop() {
				if err := run.Run(b.Context(), watched); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(episodes.Load())/b.Elapsed().Seconds(), "episodes/s")
		})
	}
}
