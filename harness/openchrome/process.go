package openchrome

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/confine"
	"github.com/openchrome/bench/harness/watchdog"
)

// A process is a child that leads its own process group, so that a Ctrl-C at the terminal
// does not reach it directly. When it ends, for any reason, the rest of its group is
// killed.
type process struct {
	name   string // for errors
	cmd    *exec.Cmd
	kept   bool                  // cmd's process is a keeper, which ends in the same way as its program
	stdin  io.WriteCloser        // nil without stdio
	stdout io.Reader             // nil without stdio; ends soon after the process did
	stderr *Tail                 // without stdio, also of stdout
	ended  chan struct{}         // closed when the process has ended and its group is gone
	ours   atomic.Bool           // we killed it
	guilt  atomic.Pointer[error] // why we had to kill it; nil: it is not to blame
}

const (
	// drainTimeout bounds the reading of output after the end of a process, because a
	// descendant that left the group may hold the pipe open.
	drainTimeout = 300 * time.Millisecond

	// The steps of stop: 2 s at most.
	exitTimeout = 800 * time.Millisecond // after the end of its input
	termTimeout = 500 * time.Millisecond // after SIGTERM
	killTimeout = 500 * time.Millisecond // after SIGKILL
)

// startProcess sets the standard files and the group of cmd, and starts it in the network;
// nil is the machine's. With stdio, stdin and stdout are pipes.
func startProcess(name string, cmd *exec.Cmd, stdio bool, network *confine.Network) (*process, error) {
	p := &process{name: name, cmd: cmd, stderr: new(Tail), ended: make(chan struct{})}
	// A server may start other programs. Chromium starts only copies of itself.
	if p.kept = stdio && watchdog.Keep(cmd); !p.kept {
		watchdog.Lead(cmd)
	}
	var ours, theirs [3]*os.File // a File that is nil fails, but does no harm
	var err error
	pipe := func(fd int) {
		if err == nil && fd == 0 {
			theirs[fd], ours[fd], err = os.Pipe()
		} else if err == nil {
			ours[fd], theirs[fd], err = os.Pipe()
		}
	}
	pipe(2)
	cmd.Stdout, cmd.Stderr = theirs[2], theirs[2]
	if stdio {
		pipe(0)
		pipe(1)
		// Not cmd.StdoutPipe, because Wait would close it before everything was read.
		cmd.Stdin, cmd.Stdout = theirs[0], theirs[1]
		p.stdin, p.stdout = ours[0], LimitLines(untilEnd{ours[1]})
	}
	if err == nil {
		err = network.Start(cmd)
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		for _, f := range ours {
			f.Close()
		}
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	said := make(chan struct{})
	go func() {
		defer close(said)
		io.Copy(p.stderr, untilEnd{ours[2]})
	}()
	release := watchdog.Group(cmd.Process.Pid)
	go func() {
		cmd.Wait()
		if !p.kept {
			watchdog.KillGroup(cmd.Process.Pid)
		}
		release()
		ours[0].Close()
		for _, f := range ours[1:] {
			f.SetReadDeadline(time.Now().Add(drainTimeout))
		}
		select {
		case <-said:
		case <-time.After(2 * drainTimeout): // Windows' pipes have no deadlines
		}
		close(p.ended)
	}()
	return p, nil
}

// untilEnd reads a pipe and closes it at its end. A deadline counts as the end too, because
// we set it only after the process has ended.
type untilEnd struct{ f *os.File }

func (r untilEnd) Read(b []byte) (int, error) {
	n, err := r.f.Read(b)
	if err != nil {
		r.f.Close()
		err = io.EOF
	}
	return n, err
}

// stop ends the process and its group within 2 s: it closes the input, then asks the
// process to end, then kills it.
func (p *process) stop() {
	if p.stdin != nil {
		p.stdin.Close()
		if p.waits(exitTimeout) {
			return
		}
	}
	p.cmd.Process.Signal(syscall.SIGTERM)
	if !p.waits(termTimeout) {
		p.kill()
	}
}

// killFor kills the process because of what it did. [process.Explain] returns err then.
func (p *process) killFor(err error) {
	p.guilt.CompareAndSwap(nil, &err)
	p.kill()
}

// kill ends the process and its group at once.
func (p *process) kill() {
	select {
	case <-p.ended: // another process may have the same number now
	default:
		p.ours.Store(true)
		if p.kept {
			watchdog.EndKeeper(p.cmd.Process.Pid)
			if p.waits(killTimeout) {
				return
			}
		}
		watchdog.KillGroup(p.cmd.Process.Pid)
		p.waits(killTimeout)
	}
}

func (p *process) waits(d time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(d):
		return false
	}
}

// LastLine implements [Process].
func (p *process) LastLine() string { return p.stderr.LastLine() }

// Explain implements [Process]. It returns how the process ended, and its last line, or why
// we had to kill it. The error is an [*Outage] if another SIGKILL ended the process. The
// kernel does not say who sent it: the system without memory, a person, or the session
// itself. (In a process namespace of its own, a program cannot send it to itself.)
func (p *process) Explain(err error) error {
	if !p.waits(drainTimeout + killTimeout) {
		return fmt.Errorf("%w (%s is still running)", err, p.name)
	}
	if guilt := p.guilt.Load(); guilt != nil {
		return *guilt
	}
	if p.wasKilled() {
		return &Outage{p.end()}
	}
	return p.end()
}

// wasKilled reports whether SIGKILL ended the process. Call it only after p.ended is closed.
func (p *process) wasKilled() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// end says how the process ended. Call it only after p.ended is closed.
func (p *process) end() error {
	status := p.cmd.ProcessState.String()
	if line := p.LastLine(); line != "" {
		status += ": " + line
	}
	return fmt.Errorf("%s ended: %s", p.name, status)
}
