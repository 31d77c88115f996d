package program

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// A run allocates much and keeps little. With fewer garbage collections it takes a sixth less
// time. The heap may grow by heapGrowth bytes between two of them, and a large heap by a
// quarter. So the memory of a long run stays flat.
const (
	heapGrowth = 48 << 20
	leastGC    = 25 // percent
	mostGC     = 400
)

// PaceGC sets the pace of the garbage collector, unless GOGC is set.
func PaceGC() {
	if os.Getenv("GOGC") == "" {
		pace(new(collected))
	}
}

// collected becomes garbage at once, so that its finalizer runs after each collection.
type collected struct{ _ [16]byte }

func pace(c *collected) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	percent := uint64(mostGC)
	if n := live[0].Value.Uint64(); n > 0 {
		percent = min(max(100*heapGrowth/n, leastGC), mostGC)
	}
	debug.SetGCPercent(int(percent))
	runtime.SetFinalizer(c, pace)
}
