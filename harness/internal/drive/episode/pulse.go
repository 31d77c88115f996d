package episode

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

const (
	pulseEvery = 200 * time.Millisecond
	pulseLimit = 2 * time.Second // a busy machine does not cause a longer silence
	busyBeats  = 10              // the beats of 2 s
)

// A pulse beats while an episode runs, to detect when this process or the machine did not
// run. OpenChrome could not use that part of its time.
type pulse struct {
	slept func() time.Duration // how long the machine slept since the start

	mu     sync.Mutex
	last   time.Time     // the last beat
	frozen time.Duration // all silences longer than pulseLimit
	wanted []int         // how many tasks wanted a CPU at the last beats, at most busyBeats
}

// startPulse returns a pulse that beats until stop, which waits for its end.
func startPulse() (p *pulse, stop func()) {
	began := time.Now()
	p = &pulse{last: began, slept: func() time.Duration {
		// Only the clock on the wall runs during sleep.
		now := time.Now()
		return now.Round(0).Sub(began.Round(0)) - now.Sub(began)
	}}
	tick := time.NewTicker(pulseEvery)
	done := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				p.beat(time.Now())
				p.mu.Lock()
				p.wanted = append(p.wanted[max(0, len(p.wanted)+1-busyBeats):], running())
				p.mu.Unlock()
			case <-done:
				return
			}
		}
	})
	return p, func() {
		close(done)
		beating.Wait()
	}
}

// busy reports whether the tasks of this machine wanted more CPUs over the last 2 s than it has.
func (p *pulse) busy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := 0
	for _, n := range p.wanted {
		sum += n
	}
	return sum > len(p.wanted)*runtime.NumCPU()
}

// beat reads the monotonic clock. That clock stops while the machine sleeps, but not while
// only this process is stopped.
func (p *pulse) beat(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if silence := now.Sub(p.last); silence > pulseLimit {
		p.frozen += silence
	}
	p.last = now
}

// stoodStill says whether this process or the machine did not run, and for how long; "" if
// both ran.
func (p *pulse) stoodStill() string {
	p.beat(time.Now())
	p.mu.Lock()
	defer p.mu.Unlock()
	if slept := p.slept(); slept > pulseLimit {
		return fmt.Sprintf("the machine was suspended for %s, or its clock was set", slept.Round(100*time.Millisecond))
	}
	if p.frozen > 0 {
		return fmt.Sprintf("the harness did not run for %s: it was stopped by a signal or got no processor time", p.frozen.Round(100*time.Millisecond))
	}
	return ""
}

// running returns how many tasks of the machine run or wait for a CPU, without this one. It is 0 if
// that is unknown, as on all systems but Linux. Tests replace it.
var running = func() (n int) {
	text, _ := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 3/80 11206
	fmt.Sscanf(string(text), "%f %f %f %d/", new(float64), new(float64), new(float64), &n)
	return max(0, n-1)
}
