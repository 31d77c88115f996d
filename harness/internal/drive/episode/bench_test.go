//go:build unix

package episode_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
)

// BenchmarkEpisode is the harness's own share of an episode of five calls: the
// session answers canned results, and the log is on a memory file system where
// there is one. cpu-µs/op is the processor time of the whole process.
func BenchmarkEpisode(b *testing.B) {
	dir := "/dev/shm"
	if _, err := os.Stat(dir); err != nil {
		dir = b.TempDir()
	}
	dir, err := os.MkdirTemp(dir, "openchrome-bench-")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	log, err := eventlog.Create(filepath.Join(dir, "r.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	o := options(b, page("Example Domain"), calls("read_page", "read_page", "read_page", "read_page"), nil)
	o.Emit = log.Append
	o.Launcher = "standin" // whose page is judged once: no wait is measured
	b.ReportAllocs()
	n, before := 0, cpuTime(b)
	for b.Loop() {
		n++
		stop, err := episode.Run(context.Background(), o)
		if err != nil || stop.Status != record.Passed {
			b.Fatal(stop, err)
		}
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(n), "cpu-µs/op")
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(fmt.Errorf("getrusage: %w", err))
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
