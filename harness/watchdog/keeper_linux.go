package watchdog

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// keeperEnv marks the process that is to be a keeper.
const keeperEnv = "OPENCHROME_BENCH_KEEPER"

// endNow asks a keeper to kill all and end. It comes from [EndKeeper], and from
// the kernel when the process that the keeper works for is gone.
const endNow = syscall.SIGHUP

func keep(cmd *exec.Cmd) bool {
	self, err := executable()
	if err != nil || !capable.Load() {
		return false
	}
	cmd.Args = append([]string{"openchrome-bench-keeper", cmd.Path}, cmd.Args...)
	cmd.Path = self
	cmd.Env = append(cmd.Environ(), fmt.Sprint(keeperEnv, "=", os.Getpid()))
	// The kernel takes the thread that forks for the parent; Go ends no thread
	// but one that a goroutine had locked.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: endNow}
	return true
}

// init is the whole life of a keeper, if this process is to be one. A server waits
// for it, and packages that are initialised later take most of a program's start.
func init() {
	boss := os.Getenv(keeperEnv)
	if boss == "" {
		return
	}
	os.Unsetenv(keeperEnv)
	runtime.LockOSThread() // the program's Pdeathsig is of this thread
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, deadlySignals...)
	if boss != strconv.Itoa(os.Getppid()) {
		os.Exit(127) // it was gone before its end could be told
	}
	status, err := keepProgram(os.Args[1], os.Args[2:], signals)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(127)
	}
	endAs(status)
}

// keepProgram runs a program and returns how it ended, once no descendant is left.
func keepProgram(path string, args []string, signals <-chan os.Signal) (syscall.WaitStatus, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("become a subreaper: %w", err)
	}
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	letGo(0, 1, 2) // the ends of the pipes are the program's
	c := &children{program: pid, reaped: make(chan bool)}
	go c.reap()
	for {
		select {
		case s := <-signals:
			if s == syscall.SIGTERM && !c.killing {
				syscall.Kill(-pid, syscall.SIGTERM)
				continue
			}
			c.kill()
		case more := <-c.reaped:
			if !more {
				return c.status, nil
			}
			c.killIfEnded()
		case <-c.giveUp:
			return c.status, nil
		}
	}
}

// letGo puts /dev/null in the place of the files.
func letGo(files ...int) {
	null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	for _, f := range files {
		unix.Dup3(null, f, unix.O_CLOEXEC)
	}
	unix.Close(null)
}

// children are those of a keeper: the program, and what has fallen to it.
type children struct {
	program int
	reaped  chan bool // true for each that was waited for; false when none is left
	killing bool
	giveUp  <-chan time.Time // nil until killing

	// mu is held from the look at who is there until they are killed: as long as
	// nobody waits for a child its number is no one else's.
	mu     sync.Mutex
	ended  bool // the program has
	status syscall.WaitStatus
}

// killTimeout is for processes that the kernel does not let die.
const killTimeout = 5 * time.Second

// reap waits for every child that ends.
func (c *children) reap() {
	for {
		// Without reaping, so that it happens under mu.
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil { // ECHILD
			c.reaped <- false
			return
		}
		c.mu.Lock()
		var status syscall.WaitStatus
		pid, _ := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if pid == c.program {
			c.ended, c.status = true, status
		}
		c.mu.Unlock()
		c.reaped <- true
	}
}

func (c *children) killIfEnded() {
	c.mu.Lock()
	ended := c.ended
	c.mu.Unlock()
	if ended || c.killing {
		c.kill()
	}
}

// kill kills the children there are. Theirs fall to us then: the next one that is
// waited for brings us here again, until there is none.
func (c *children) kill() {
	if !c.killing {
		c.killing, c.giveUp = true, time.After(killTimeout)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, pid := range childrenOf(os.Getpid()) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// childrenOf returns the processes whose parent is pid.
func childrenOf(pid int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range stats {
		n, _ := strconv.Atoi(strings.TrimPrefix(dir, "/proc/"))
		if p, ok := readProcess(n); ok && p.Parent == pid {
			pids = append(pids, n)
		}
	}
	return pids
}

func endKeeper(pid int) { syscall.Kill(pid, endNow) }

// endAs ends this process as one of that status has ended.
func endAs(status syscall.WaitStatus) {
	if !status.Signaled() {
		os.Exit(status.ExitStatus())
	}
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // no core of ours
	// Go handles most signals by itself: the kernel's own way is put back.
	var byDefault [4]uint64
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(status.Signal()), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	syscall.Kill(os.Getpid(), status.Signal())
	unix.Pause() // until it is delivered
	os.Exit(128 + int(status.Signal()))
}
