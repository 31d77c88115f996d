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
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// keeperEnv makes a process a keeper. It holds the number of the process that the keeper
// works for.
const keeperEnv = "OPENCHROME_BENCH_KEEPER"

// endNow is the signal that asks a keeper to kill all its descendants and end. [EndKeeper]
// sends it. The kernel sends it when the process that the keeper works for is gone.
const endNow = syscall.SIGHUP

// Keep makes cmd start below a keeper. cmd must not have started yet. A descendant whose own
// parent ends becomes a child of the keeper, whatever its environment, group and session.
// When cmd's program or this process ends, the keeper kills all descendants and then ends
// in the same way as the program. It forwards SIGINT and SIGTERM to the program's group.
//
// Keep returns false and leaves cmd alone if a keeper is impossible or not needed. It is
// not needed if cmd gets a process namespace: the kernel kills all processes in a
// namespace when its first one ends.
func Keep(cmd *exec.Cmd) bool {
	self, err := executable()
	if err != nil || !capable.Load() || cmd.SysProcAttr != nil && cmd.SysProcAttr.Cloneflags&syscall.CLONE_NEWPID != 0 {
		return false
	}
	cmd.Args = append([]string{"openchrome-bench-keeper", cmd.Path}, cmd.Args...)
	cmd.Path = self
	cmd.Env = append(cmd.Environ(), fmt.Sprint(keeperEnv, "=", os.Getpid()))
	Lead(cmd)
	cmd.SysProcAttr.Pdeathsig = endNow
	return true
}

// EndKeeper asks the keeper to kill all its descendants, and reports whether it could ask.
// The caller waits for the keeper's end.
func EndKeeper(pid int) bool { return syscall.Kill(pid, endNow) == nil }

// If this process is a keeper, init does all its work and does not return. An init makes
// the server start sooner, because the inits of other packages take most of the time.
func init() {
	boss := os.Getenv(keeperEnv)
	if boss == "" {
		return
	}
	os.Unsetenv(keeperEnv)
	runtime.LockOSThread() // if this thread ended, the kernel would kill the program
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, deadlySignals...)
	if boss != strconv.Itoa(os.Getppid()) {
		os.Exit(127) // the process ended before the kernel could signal us
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
	ends := make(chan os.Signal, 1) // room for one is enough, because we wait for all ended children
	signal.Notify(ends, syscall.SIGCHLD)
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", path, err)
	}
	letGo(0, 1, 2) // close our copies of the pipes, so that only the program holds them
	var status syscall.WaitStatus
	killing := false
	var giveUp <-chan time.Time // nil until we begin to kill
	for {
		// Only this goroutine waits for children. So the numbers that childrenOf returns
		// stay valid until the children are killed.
		for {
			var how syscall.WaitStatus
			child, err := syscall.Wait4(-1, &how, syscall.WNOHANG, nil)
			if err == syscall.EINTR {
				continue
			}
			if err != nil { // ECHILD: none is left
				return status, nil
			}
			if child == 0 {
				break
			}
			if child == pid {
				status, killing = how, true
			}
		}
		if killing {
			// The children of a killed process become ours. Each end of a process brings us
			// here again.
			for _, child := range childrenOf(os.Getpid()) {
				syscall.Kill(child, syscall.SIGKILL)
			}
			if giveUp == nil {
				giveUp = time.After(killTimeout)
			}
		}
		select {
		case <-ends:
		case s := <-signals:
			if gentle, ok := s.(syscall.Signal); ok && (gentle == syscall.SIGTERM || gentle == syscall.SIGINT) && !killing {
				syscall.Kill(-pid, gentle)
			} else {
				killing = true
			}
		case <-giveUp:
			return status, nil
		}
	}
}

// killTimeout bounds the wait for processes that SIGKILL does not end at once.
const killTimeout = 5 * time.Second

// letGo redirects the files to /dev/null.
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

// childrenOf returns the processes whose parent is pid.
func childrenOf(pid int) (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range stats {
		n, _ := strconv.Atoi(strings.TrimPrefix(dir, "/proc/"))
		if p, ok := FindProcess(n); ok && p.Parent == pid {
			pids = append(pids, n)
		}
	}
	return pids
}

// endAs ends this process in the way that the status describes.
func endAs(status syscall.WaitStatus) {
	if !status.Signaled() {
		os.Exit(status.ExitStatus())
	}
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) // we write no core dump
	// Go handles most signals itself. Restore the kernel's default action.
	var byDefault [4]uint64
	unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(status.Signal()), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
	syscall.Kill(os.Getpid(), status.Signal())
	unix.Pause() // wait until the signal is delivered
	os.Exit(128 + int(status.Signal()))
}
