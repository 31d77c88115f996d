package watchdog

import "sync"

// Process is a process as it can be told from a later one with its number.
type Process struct {
	Pid    int
	Parent int    // 0 where the system does not tell
	Start  uint64 // when it started, in the system's unit

	zombie bool // it has ended, and nobody has waited for it yet
}

// Alive reports whether the very process still runs. A zombie does not.
func (p Process) Alive() bool {
	now, ok := FindProcess(p.Pid)
	return ok && now.Start == p.Start && !now.zombie
}

// Machine names the place where process numbers and start times count from the
// same zero: on Linux the boot of a machine and a process namespace, elsewhere
// the host's name. It is empty when that cannot be told.
var Machine = sync.OnceValue(machine)
