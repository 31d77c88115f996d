package watchdog

import (
	"fmt"
	"time"
)

const kindGroup = "group"

// Group guards the process group that pid leads. At the end it asks a keeper (see [Keep])
// to end, and then kills the group. Call Group as soon as the process has started, and call
// release only after Wait has returned. On Windows the group is the process and its
// children.
func Group(pid int) (release func()) {
	p, _ := FindProcess(pid)
	return Guard(kindGroup, fmt.Sprint(pid, " ", p.Start))
}

// endTimeout is how long a keeper may take to kill all its descendants.
const endTimeout = 6 * time.Second

// killGroup ends the group that arg names as "pid start-time". If the process pid has
// another start time, our group is gone, and killGroup does nothing. If there is no process
// pid, the rest of the group is still ours: the kernel does not reuse the number of a group
// that still has members.
func killGroup(arg string) error {
	var p Process
	if n, err := fmt.Sscan(arg, &p.Pid, &p.Start); n != 2 || p.Pid <= 1 || p.Start == 0 {
		return fmt.Errorf("%q: not a process and its start time: %v", arg, err)
	}
	if now, ok := FindProcess(p.Pid); ok && now.Start != p.Start {
		return nil
	}
	if p.Alive() && EndKeeper(p.Pid) {
		tick := time.Tick(10 * time.Millisecond)
		for end := time.Now().Add(endTimeout); p.Alive() && time.Now().Before(end); <-tick {
		}
	}
	return KillGroup(p.Pid)
}
