package watchdog

import "fmt"

const kindGroup = "group"

// Group guards the process group that pid leads: it is killed. Call it as soon
// as the process has started, and release only after it was waited for. On
// Windows the group is the process with its children.
func Group(pid int) (release func()) {
	p, _ := FindProcess(pid)
	return Guard(kindGroup, fmt.Sprint(pid, " ", p.Start))
}

// killGroup kills the group of "pid start time". A process of another start
// time has got the number of ours, which is gone: it is left alone. If no
// process has the number, what is left of the group is still ours, because the
// kernel gives no new process the number of a group that has members.
func killGroup(arg string) error {
	var pid int
	var start uint64
	if n, err := fmt.Sscan(arg, &pid, &start); n != 2 || pid <= 1 || start == 0 {
		return fmt.Errorf("group %q: not a process and its start time: %v", arg, err)
	}
	if now, ok := FindProcess(pid); ok && now.Start != start {
		return nil
	}
	return KillGroup(pid)
}
