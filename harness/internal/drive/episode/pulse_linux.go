package episode

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// slept returns how long the machine has slept since it booted. Only one of the two clocks
// runs during sleep.
func slept() time.Duration {
	var boot, monotonic unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &monotonic) != nil {
		return 0
	}
	return time.Duration(boot.Nano() - monotonic.Nano())
}

// running returns how many tasks of the machine run or wait for a CPU, without this one. It is 0 if
// that is unknown. Tests replace it.
var running = func() (n int) {
	text, _ := os.ReadFile("/proc/loadavg") // 0.20 0.18 0.12 3/80 11206
	fmt.Sscanf(string(text), "%f %f %f %d/", new(float64), new(float64), new(float64), &n)
	return max(0, n-1)
}
