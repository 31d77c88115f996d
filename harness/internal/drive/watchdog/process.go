package watchdog

import (
	"os"
	"sync"
)

// Process identifies a process. A later process with the same number has another Start.
type Process struct {
	Pid    int
	Parent int    // 0 if the system does not show it
	Start  uint64 // when it started, in the system's unit

	zombie bool // it has ended, and nobody has waited for it yet
}

// Alive reports whether exactly this process still runs. A zombie does not.
func (p Process) Alive() bool {
	now, ok := FindProcess(p.Pid)
	return ok && now.Start == p.Start && !now.zombie
}

// Machine identifies the system in which process numbers and start times are unique. On
// Linux it is the boot of a machine and a process namespace, elsewhere the host's name. It
// is empty if the system does not show it.
var Machine = sync.OnceValue(machine)

// Owner is a process of a machine.
type Owner struct {
	Pid     int    `json:"pid"`
	Start   uint64 `json:"start"`   // as in [Process]
	Machine string `json:"machine"` // the result of [Machine]
}

// Self is this process.
func Self() Owner {
	me, _ := FindProcess(os.Getpid())
	return Owner{me.Pid, me.Start, Machine()}
}

// Known reports whether the owner can be looked up: it ran on this machine since its last start.
func (o Owner) Known() bool { return o.Machine != "" && o.Machine == Machine() && o.Start != 0 }

// Dead reports whether the owner is known to have ended.
func (o Owner) Dead() bool { return o.Known() && !Process{Pid: o.Pid, Start: o.Start}.Alive() }
