package openchrome

import (
	"os"
	"strconv"
	"strings"

	proc "github.com/shirou/gopsutil/v4/process"
)

// memory returns the resident memory of the program and of its descendants, in bytes.
// Memory that they share is counted for each of them. The result is 0 if the memory is
// unknown.
func (p *process) memory() int64 {
	root, err := proc.NewProcess(int32(p.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	var sum uint64
	add := func(p *proc.Process) {
		if m, err := p.MemoryInfo(); err == nil {
			sum += m.RSS
		}
	}
	if !p.kept {
		add(root)
	}
	var walk func(*proc.Process)
	walk = func(p *proc.Process) {
		children, _ := p.Children() // an error means that there are no children
		for _, c := range children {
			add(c)
			walk(c)
		}
	}
	walk(root)
	return int64(sum)
}

// oomKills returns how many processes the kernel has killed for lack of memory since it
// started, including kills at the limit of a control group. It returns 0 if the system does
// not count them.
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
