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
	p, err := parseProcess(arg)
	if err != nil {
		return err
	}
	if now, ok := FindProcess(p.Pid); ok && now.Start != p.Start {
		return nil
	}
	return KillGroup(p.Pid)
}

// parseProcess reads "pid start time".
func parseProcess(arg string) (p Process, err error) {
	if n, err := fmt.Sscan(arg, &p.Pid, &p.Start); n != 2 || p.Pid <= 1 || p.Start == 0 {
		return p, fmt.Errorf("%q: not a process and its start time: %v", arg, err)
	}
	return p, nil
}
