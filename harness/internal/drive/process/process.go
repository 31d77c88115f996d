// Package process starts the programs of a session and ends them: confined, in a group of
// their own, with their memory and their folder watched. It does not know what they say.
package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
)

// A Process is a child that leads its own process group, so that a Ctrl-C at the terminal
// does not reach it directly. When it ends, for any reason, the rest of its group is
// killed.
type Process struct {
	name   string // for errors
	Cmd    *exec.Cmd
	kept   bool                  // cmd's process is a keeper, which ends in the same way as its program
	Stdin  io.WriteCloser        // nil without stdio
	Stdout io.Reader             // nil without stdio; ends soon after the process did
	stderr *session.Tail         // without stdio, also of stdout
	Ended  chan struct{}         // closed when the process has ended and its group is gone
	Ours   atomic.Bool           // we killed it
	Guilt  atomic.Pointer[error] // why we had to kill it; nil: it is not to blame
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

// Start sets the standard files and the group of cmd, and starts it in the network;
// nil is the machine's. With stdio, stdin and stdout are pipes.
func Start(name string, cmd *exec.Cmd, stdio bool, network *confine.Network) (*Process, error) {
	p := &Process{name: name, Cmd: cmd, stderr: new(session.Tail), Ended: make(chan struct{})}
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
		p.Stdin, p.Stdout = ours[0], untilEnd{ours[1]}
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
		close(p.Ended)
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

// Stop ends the process and its group within 2 s: it closes the input, then asks the
// process to end, then kills it.
func (p *Process) Stop() {
	if p.Stdin != nil {
		p.Stdin.Close()
		if p.waits(exitTimeout) {
			return
		}
	}
	p.Cmd.Process.Signal(syscall.SIGTERM)
	if !p.waits(termTimeout) {
		p.Kill()
	}
}

// killFor kills the process because of what it did. After that, [Process.Explain] returns err.
func (p *Process) killFor(err error) {
	p.Guilt.CompareAndSwap(nil, &err)
	p.Kill()
}

// Kill ends the process and its group at once.
func (p *Process) Kill() {
	select {
	case <-p.Ended: // another process may have the same number now
	default:
		p.Ours.Store(true)
		if p.kept {
			watchdog.EndKeeper(p.Cmd.Process.Pid)
			if p.waits(killTimeout) {
				return
			}
		}
		watchdog.KillGroup(p.Cmd.Process.Pid)
		p.waits(killTimeout)
	}
}

func (p *Process) waits(d time.Duration) bool {
	select {
	case <-p.Ended:
		return true
	case <-time.After(d):
		return false
	}
}

// Interrupt asks the process and its group to end, as a Ctrl-C does.
func (p *Process) Interrupt() {
	if p.kept {
		p.Cmd.Process.Signal(os.Interrupt) // the keeper forwards it
	} else {
		watchdog.InterruptGroup(p.Cmd.Process.Pid)
	}
}

// Said returns the last 64 KiB that it wrote to stderr.
func (p *Process) Said() string { return p.stderr.String() }

// LastLine implements [session.Process].
func (p *Process) LastLine() string { return p.stderr.LastLine() }

// Explain implements [session.Process]. It returns how the process ended, and its last line, or why
// we had to kill it. The error is an [*session.Outage] if another SIGKILL ended the process. The
// kernel does not say who sent it: the system without memory, a person, or the session
// itself. (In a process namespace of its own, a program cannot send it to itself.)
func (p *Process) Explain(err error) error {
	if !p.waits(drainTimeout + killTimeout) {
		return fmt.Errorf("%w (%s is still running)", err, p.name)
	}
	if guilt := p.Guilt.Load(); guilt != nil {
		return *guilt
	}
	if p.WasKilled() {
		return &session.Outage{Err: p.End()}
	}
	return p.End()
}

// WasKilled reports whether SIGKILL ended the process. Call it only after p.ended is closed.
func (p *Process) WasKilled() bool {
	status, ok := p.Cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// End says how the process ended. Call it only after p.ended is closed.
func (p *Process) End() error {
	status := p.Cmd.ProcessState.String()
	if line := p.LastLine(); line != "" {
		status += ": " + line
	}
	return fmt.Errorf("%s ended: %s", p.name, status)
}
