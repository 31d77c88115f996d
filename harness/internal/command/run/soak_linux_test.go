package run

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
)

// soakEnv says how many episodes TestSoak runs on the stand-in. On a command it runs a quarter
// of them, because each waits for late acts, and on local a fifth.
const soakEnv = "OPENCHROME_BENCH_SOAK"

// A used is what this process uses.
type used struct {
	heapKB, residentKB, goroutines, threads, descriptors, processes, folders int
}

// over returns what u has more of than the limit and the slack allow. The resident memory
// depends on when the garbage is collected, so it is only shown.
func (u used) over(limit, slack used) (names []string) {
	for _, row := range []struct {
		name             string
		has, limit, more int
	}{
		{"kB of heap", u.heapKB, limit.heapKB, slack.heapKB},
		{"goroutines", u.goroutines, limit.goroutines, slack.goroutines},
		{"threads", u.threads, limit.threads, slack.threads},
		{"descriptors", u.descriptors, limit.descriptors, slack.descriptors},
		{"processes", u.processes, limit.processes, slack.processes},
		{"folders", u.folders, limit.folders, slack.folders},
	} {
		if row.has > row.limit+row.more {
			names = append(names, fmt.Sprintf("%d %s, want at most %d+%d", row.has, row.name, row.limit, row.more))
		}
	}
	return names
}

// least returns the least of everything.
func least(all []used) used {
	m := all[0]
	for _, u := range all[1:] {
		m = used{min(m.heapKB, u.heapKB), min(m.residentKB, u.residentKB), min(m.goroutines, u.goroutines), min(m.threads, u.threads),
			min(m.descriptors, u.descriptors), min(m.processes, u.processes), min(m.folders, u.folders)}
	}
	return m
}

// growth compares the first half of a run with the second, without the first tenth, which
// starts things, and the last, which launches no further sessions. What grows is in every
// reading of the second half. What only some readings show was in use at that moment.
func growth(samples []used, slack used) []string {
	tenth := len(samples) / 10
	return least(samples[5*tenth:9*tenth]).over(least(samples[tenth:5*tenth]), slack)
}

func TestGrowth(t *testing.T) {
	slack := used{heapKB: 1 << 10, goroutines: 8}
	for _, test := range []struct {
		name  string
		at    func(i int) used // reading i of 20
		grows bool
	}{
		{"level", func(int) used { return used{heapKB: 12_000} }, false},
		{"one high reading", func(i int) used { return used{heapKB: 12_000 + 6_500*min(1, max(0, 1-(i-13)*(i-13)))} }, false},
		{"every other reading is high", func(i int) used { return used{heapKB: 12_000 + 6_500*(i%2), goroutines: 100 * (i % 2)} }, false},
		{"heap", func(i int) used { return used{heapKB: 12_000 + 200*i} }, true},
		{"heap, unsteadily", func(i int) used { return used{heapKB: 12_000 + 200*i + 6_500*(i%2)} }, true},
		{"heap, after an early peak", func(i int) used { return used{heapKB: 12_000 + 200*i + 9_000*max(0, 4-i)} }, true},
		{"goroutines", func(i int) used { return used{goroutines: 10 + 2*i} }, true},
		{"the heap, once", func(i int) used { return used{heapKB: 12_000 + 6_500*min(1, i/10)} }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var samples []used
			for i := range 20 {
				samples = append(samples, test.at(i))
			}
			if got := growth(samples, slack); (got != nil) != test.grows {
				t.Errorf("it grows: %q, want %t", got, test.grows)
			}
		})
	}
}

// In a long run nothing grows with the number of episodes, and after it nothing is left.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	self := need.Self(t)
	tmp := need.ShortTemp(t)
	t.Setenv("TMPDIR", tmp)
	count := 100
	if v := os.Getenv(soakEnv); v != "" {
		var err error
		if count, err = strconv.Atoi(v); err != nil || count < 100 {
			t.Fatalf("%s is %q, want a number from 100", soakEnv, v)
		}
	}
	const smoke = "example-h1,local-form-submit,local-recovery-stall"
	for _, test := range []struct {
		name, openchrome, tasks string
		count, parallel         int
		slack                   used // for a session more or less
	}{
		{"stand-in", "standin", smoke, count, 1, used{heapKB: 1 << 10, goroutines: 8, threads: 4, descriptors: 5}},
		{"command", self + " hang", "example-h1", count / 4, 1, used{heapKB: 1 << 10, goroutines: 8, threads: 4, descriptors: 8, processes: 3, folders: 1}},
		{"local", "local", smoke, count / 5, 2, used{heapKB: 2 << 10, goroutines: 40, threads: 8, descriptors: 40, processes: 40, folders: 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var o Options
			o.RunID, o.Out, o.Parallel = "r", t.TempDir(), test.parallel
			o.Server, o.Task, o.Stdout, o.Stderr = test.openchrome, test.tasks, io.Discard, io.Discard
			if test.openchrome == "local" {
				if o.Package = os.Getenv("OPENCHROME_DIST"); o.Package == "" || os.Getenv(soakEnv) == "" {
					t.Skip("it needs OPENCHROME_DIST and " + soakEnv)
				}
			}
			tasks := 1 + strings.Count(test.tasks, ",")
			o.Repetitions = (test.count + tasks - 1) / tasks
			all := tasks * o.Repetitions
			var mu sync.Mutex
			var samples []used // one after each twentieth
			n := 0
			o.Ready = func(session.Session) {
				mu.Lock()
				defer mu.Unlock()
				if n++; n*20/all > len(samples) {
					samples = append(samples, use(tmp))
					t.Logf("episode %d: %+v", n, samples[len(samples)-1])
				}
			}
			before := use(tmp)
			t.Logf("before: %+v", before)
			need.OK(t, Run(t.Context(), o))
			if over := growth(samples, test.slack); over != nil {
				t.Errorf("it grows: %s", strings.Join(over, "; "))
			}
			var after used
			defer func() { t.Logf("after: %+v", after) }()
			need.Until(t, "the end of all that the run started", func() bool {
				after = use(tmp)
				// What a program keeps after its first run: tables, and threads, which Go never ends.
				return after.over(before, used{heapKB: 16 << 10, goroutines: 2, threads: 30, descriptors: 4}) == nil
			})
		})
	}
}

// use measures. It collects garbage first, twice, because a sync.Pool survives once.
func use(tmp string) (u used) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	status, _ := os.ReadFile("/proc/self/status")
	number := func(name string) (n int) {
		_, rest, _ := strings.Cut(string(status), "\n"+name+":")
		fmt.Sscan(rest, &n)
		return n
	}
	descriptors, _ := filepath.Glob("/proc/self/fd/*")
	folders, _ := filepath.Glob(filepath.Join(tmp, "openchrome-bench-*"))
	return used{
		heapKB: int(m.HeapAlloc >> 10), residentKB: number("VmRSS"), goroutines: runtime.NumGoroutine(), threads: number("Threads"),
		descriptors: len(descriptors), processes: len(started()), folders: len(folders),
	}
}
