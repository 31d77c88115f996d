package harness_test

import (
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
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
		need.OK(b, harness.Run(b.Context(), o))
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
				need.OK(b, harness.Run(b.Context(), o))
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
		cmd := exec.Command(bench, "bench:mock", "-server=standin", "-out="+dir)
		need.Run(b, cmd)
		used += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	b.ReportMetric(float64(used.Milliseconds())/float64(runs), "cpu-ms/op")
}
