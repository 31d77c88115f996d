package process

import (
	"os"
	"strconv"
	"strings"

	proc "github.com/shirou/gopsutil/v4/process"
)

// Memory returns the resident memory of the program and of its descendants, in bytes.
// Memory that they share is counted for each of them. The result is 0 if the memory is
// unknown.
func (p *Process) Memory() int64 {
	var sum uint64
	for i, q := range p.Tree() {
		if i == 0 && p.kept {
			continue
		}
		if m, err := q.MemoryInfo(); err == nil {
			sum += m.RSS
		}
	}
	return int64(sum)
}

// Tree returns the process and its descendants; nothing if it has ended.
func (p *Process) Tree() (all []*proc.Process) {
	root, err := proc.NewProcess(int32(p.Cmd.Process.Pid))
	if err != nil {
		return nil
	}
	var walk func(*proc.Process)
	walk = func(p *proc.Process) {
		all = append(all, p)
		children, _ := p.Children() // an error means that there are no children
		for _, c := range children {
			walk(c)
		}
	}
	walk(root)
	return all
}

// OOMKills returns how many processes the kernel has killed for lack of memory since it
// started, including kills at the limit of a control group. It returns 0 if the system does
// not count them.
func OOMKills() uint64 {
	stat, _ := os.ReadFile("/proc/vmstat")
	for line := range strings.Lines(string(stat)) {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok {
			kills, _ := strconv.ParseUint(strings.TrimSpace(n), 10, 64)
			return kills
		}
	}
	return 0
}
