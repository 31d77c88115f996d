package harness

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// parent is a process above this one.
type parent struct {
	pid   int
	start string // start time in the kernel's ticks: a pid may be used again
}

func (p parent) alive() bool {
	_, start, ok := readStat(p.pid)
	return ok && start == p.start
}

// launchersAbove returns the processes that stand between the person and this
// one only to start it: mage, and go for `go run mage.go`. Anything else above,
// such as a shell, may go without stopping a run. A child's own parent is one of them
// whatever its name. Where there is no /proc the list is empty.
func launchersAbove(child bool) []parent {
	var list []parent
	for pid := os.Getppid(); pid > 1; {
		exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
		if err != nil {
			break
		}
		if name := filepath.Base(exe); name != "mage" && name != "go" && !child {
			break
		}
		above, start, ok := readStat(pid)
		if !ok {
			break
		}
		list = append(list, parent{pid, start})
		child = false // only the first above it is not named so
		pid = above
	}
	return list
}

// readStat reads the parent and the start time of a process, as proc(5) has
// them, after the name, which may hold anything. A zombie counts as gone.
func readStat(pid int) (ppid int, start string, ok bool) {
	raw, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, "", false
	}
	s := string(raw)
	fields := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	if len(fields) < 20 || fields[0] == "Z" {
		return 0, "", false
	}
	ppid, err = strconv.Atoi(fields[1])
	return ppid, fields[19], err == nil
}
