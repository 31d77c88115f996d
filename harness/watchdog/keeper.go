package watchdog

import (
	"fmt"
	"os/exec"
	"time"
)

const kindKeeper = "keeper"

// Keep makes cmd, which has not started, start below a keeper: a process that
// every descendant falls to whose own parent ends, whatever became of its
// environment, group and session. The keeper kills all of them when cmd's program
// or this process ends, and then ends as the program did. SIGTERM to the keeper
// goes on to the program's group. Keep sets SysProcAttr. False means that there is
// no keeper, as on all systems but Linux, and that cmd is as it was.
func Keep(cmd *exec.Cmd) bool { return keep(cmd) }

// EndKeeper has the keeper kill all that it keeps. Wait for it to see that done.
func EndKeeper(pid int) { endKeeper(pid) }

// Keeper is [Group] for a process that [Keep] was called for. It would end by
// itself; with this the watchdog waits for that before it removes folders.
func Keeper(pid int) (release func()) {
	p, _ := FindProcess(pid)
	return Guard(kindKeeper, fmt.Sprint(pid, " ", p.Start))
}

// endKeeperTimeout is how long a keeper may take. One that takes longer is killed.
const endKeeperTimeout = 6 * time.Second

func endKeeperOf(arg string) {
	p, err := parseProcess(arg)
	if err != nil || !p.Alive() {
		return
	}
	endKeeper(p.Pid)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(endKeeperTimeout); p.Alive() && time.Now().Before(end); <-tick.C {
	}
	killGroup(arg)
}
