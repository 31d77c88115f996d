package program

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/openchrome/bench/harness/watchdog"
)

// launchersAbove returns the processes that stand between the person and this
// one only to start it: mage, and go for `go run mage.go`. Anything else above,
// such as a shell, may go without stopping a run. A child's own parent is one of them
// whatever its name. Where there is no /proc the list is empty.
func launchersAbove(child bool) []watchdog.Process {
	var list []watchdog.Process
	for pid := os.Getppid(); pid > 1; {
		exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
		if err != nil {
			break
		}
		if name := filepath.Base(exe); name != "mage" && name != "go" && !child {
			break
		}
		p, ok := watchdog.FindProcess(pid)
		if !ok {
			break
		}
		list = append(list, p)
		child = false // only the first above it is not named so
		pid = p.Parent
	}
	return list
}
