package process

import proc "github.com/shirou/gopsutil/v4/process"

// Halt stops the program and its descendants where they are. Resume lets them go on. What has ended
// needs neither.
func (p *Process) Halt() (resume func()) {
	halted := map[int32]*proc.Process{}
	for more := true; more; { // until no one has started another meanwhile
		more = false
		for i, q := range p.Tree() {
			if i == 0 && p.kept || halted[q.Pid] != nil {
				continue
			}
			if q.Suspend() == nil {
				halted[q.Pid], more = q, true
			}
		}
	}
	return func() {
		for _, q := range halted {
			q.Resume()
		}
	}
}
