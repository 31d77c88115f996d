package openchrome

import (
	"os"
	"strconv"
	"strings"
)

// oomKills returns how many processes the kernel has killed for lack of memory
// since its start, at limits of control groups too; 0 where the system does not count them.
func oomKills() uint64 {
	stat, _ := os.ReadFile("/proc/vmstat")
	for line := range strings.Lines(string(stat)) {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok {
			kills, _ := strconv.ParseUint(strings.TrimSpace(n), 10, 64)
			return kills
		}
	}
	return 0
}
