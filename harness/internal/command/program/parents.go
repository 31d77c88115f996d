package program

import (
	"os"
	"path/filepath"
	"strconv"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// launchersAbove returns the parents of this process that exist only to start it: mage, and
// go for `go run mage.go`. Any other parent, such as a shell, may end without stopping the
// run. The parent of a child always counts, whatever its name. The list is empty on systems
// without /proc.
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
		child = false // only for the nearest parent, the name does not matter
		pid = p.Parent
	}
	return list
}
