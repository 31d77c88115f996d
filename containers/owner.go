package containers

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// The labels of everything that this package makes. Images have imageLabel,
// with the kind of image; containers and networks have the rest.
const (
	runLabel     = "openchrome-bench.run"
	ownerLabel   = "openchrome-bench.owner"
	sessionLabel = "openchrome-bench.session"
	imageLabel   = "openchrome-bench.image"
	packageLabel = "openchrome-bench.package"
)

// An owner is the process that a container belongs to, written as
// "boot:pid:start". boot names the boot of a machine and, behind a dot, the
// process namespace, since engines are shared between machines and between
// containers; start is in clock ticks since that boot.
type owner struct {
	boot  string
	pid   int
	start uint64
}

func (o owner) String() string { return fmt.Sprintf("%s:%d:%d", o.boot, o.pid, o.start) }

// self is this process as an owner. Where there is no /proc it has no boot, and
// nobody can tell that it is dead.
func self() owner {
	start, _ := startTime(os.Getpid())
	return owner{boot(), os.Getpid(), start}
}

func parseOwner(s string) (o owner, ok bool) {
	part := strings.Split(s, ":")
	if len(part) != 3 {
		return owner{}, false
	}
	pid, err1 := strconv.Atoi(part[1])
	start, err2 := strconv.ParseUint(part[2], 10, 64)
	return owner{part[0], pid, start}, err1 == nil && err2 == nil && pid > 0
}

// dead reports whether the owner is known to have ended: it is of this boot
// and namespace, and no process has its number and start time.
func (o owner) dead() bool {
	if o.boot == "" || o.boot != boot() || o.start == 0 {
		return false
	}
	start, ok := startTime(o.pid)
	return !ok || start != o.start
}

// local reports whether dead can tell.
func (o owner) local() bool { return o.boot != "" && o.boot == boot() }

func boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	// pid:[4026531836], see namespaces(7)
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id)) + "." + strings.Trim(space, "pid:[]")
}

// startTime is field 22 of /proc/<pid>/stat, see proc_pid_stat(5).
func startTime(pid int) (start uint64, ok bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, false
	}
	// The command's name, in brackets, may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return 0, false
	}
	start, err = strconv.ParseUint(string(fields[19]), 10, 64)
	return start, err == nil
}
