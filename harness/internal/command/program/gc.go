package program

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A run allocates much and keeps little. With fewer garbage collections it takes a sixth less
// time. So the heap may grow up to heapGoal bytes until it is collected, and above that by a
// quarter. The memory of a long run stays flat.
const (
	heapGoal = 64 << 20
	leastGC  = 25 // percent
	mostGC   = 400
)

// PaceGC sets the pace of the garbage collector, unless GOGC is set.
func PaceGC() {
	if os.Getenv("GOGC") == "" {
		pace(new(collected))
	}
}

// collected becomes garbage at once, so that its finalizer runs after each collection.
// It has 16 bytes, because smaller objects without pointers share a block, and then their
// finalizer may never run.
type collected struct{ _ [16]byte }

func pace(c *collected) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := mostGC
	if n := int(live[0].Value.Uint64()); n > 0 {
		percent = min(max(100*(heapGoal-n)/n, leastGC), mostGC)
	}
	debug.SetGCPercent(percent)
	runtime.SetFinalizer(c, pace)
}
