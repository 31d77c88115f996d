package containers

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// The labels of everything that this package makes. Images have the last two labels: their
// kind, and the identity of their package. Containers and networks have the other labels.
const (
	runLabel     = "openchrome-bench.run"
	ownerLabel   = "openchrome-bench.owner"
	sessionLabel = "openchrome-bench.session"
	imageLabel   = "openchrome-bench.image"
	packageLabel = "openchrome-bench.package"
)

// An owner is the process that a container belongs to, written as
// "machine:pid:start". The machine is part of it because several machines may share an
// engine.
type owner struct {
	machine string
	process watchdog.Process
}

func (o owner) String() string {
	return fmt.Sprintf("%s:%d:%d", o.machine, o.process.Pid, o.process.Start)
}

func self() owner {
	me, _ := watchdog.FindProcess(os.Getpid())
	return newOwner(machine(), me.Pid, me.Start)
}

// machine is [watchdog.Machine] on Linux. Elsewhere it is empty, because two machines on
// one engine may have the same name there. Then nobody can tell whether an owner is dead.
func machine() string {
	if runtime.GOOS != "linux" {
		return ""
	}
	return watchdog.Machine()
}

func newOwner(machine string, pid int, start uint64) owner {
	return owner{machine, watchdog.Process{Pid: pid, Start: start}}
}

func parseOwner(s string) (o owner, ok bool) {
	part := strings.Split(s, ":")
	if len(part) != 3 {
		return owner{}, false
	}
	pid, err1 := strconv.Atoi(part[1])
	start, err2 := strconv.ParseUint(part[2], 10, 64)
	return newOwner(part[0], pid, start), err1 == nil && err2 == nil && pid > 0
}

// dead reports whether the owner was a process of this machine and has ended.
func (o owner) dead() bool {
	return o.local() && o.process.Start != 0 && !o.process.Alive()
}

// local reports whether dead can know this owner's state.
func (o owner) local() bool { return o.machine != "" && o.machine == machine() }
