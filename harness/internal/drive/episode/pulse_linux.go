package episode

import (
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
