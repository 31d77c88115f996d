package episode

import (
	"time"

	"golang.org/x/sys/unix"
)

// slept is the time by which the clock that goes on in sleep is ahead of the one
// that does not.
func slept() time.Duration {
	var boot, monotonic unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot) != nil || unix.ClockGettime(unix.CLOCK_MONOTONIC, &monotonic) != nil {
		return 0
	}
	return time.Duration(boot.Nano() - monotonic.Nano())
}
