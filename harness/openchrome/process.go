package openchrome

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"

	"github.com/openchrome/bench/harness/watchdog"
)

// A process is a child that leads a group of its own, so that a Ctrl-C at the
// terminal does not reach it before us. When it ends, by itself or not, what
// is left of its group is killed.
type process struct {
	name   string // for errors
	cmd    *exec.Cmd
	kept   bool           // cmd's process is a keeper, and ends as the program did
	stdin  io.WriteCloser // nil without stdio
	stdout io.Reader      // nil without stdio; ends soon after the process did
	stderr *Tail          // without stdio, of stdout as well
	ended  chan struct{}  // closed when the process was waited for and its group is gone
	err    error          // of Wait; to be read after ended
	ours   atomic.Bool    // we killed it
}

const (
	// drainTimeout bounds the reading of output that a process left behind,
	// since one that escaped from the group may hold the pipe open.
	drainTimeout = 300 * time.Millisecond

	// What close takes at most: 2 s together with the wait after the kill.
	exitTimeout = 800 * time.Millisecond // after the end of its input
	termTimeout = 500 * time.Millisecond // after SIGTERM
	killTimeout = 500 * time.Millisecond // after SIGKILL
)

// startProcess starts cmd, of which the standard files and the group are set
// here. With stdio, stdin and stdout are pipes.
func startProcess(name string, cmd *exec.Cmd, stdio bool) (*process, error) {
	p := &process{name: name, cmd: cmd, stderr: new(Tail), ended: make(chan struct{})}
	// A server may start programs of its own, which a process namespace ends with
	// it, else a keeper. Chromium starts none but itself.
	if p.kept = stdio && !ownProcesses(cmd) && watchdog.Keep(cmd); !p.kept {
		ownGroup(cmd)
	}
	var pipes pipes
	defer pipes.closeTheirs()
	cmd.Stderr = pipes.fromChild()
	cmd.Stdout = cmd.Stderr
	if stdio {
		cmd.Stdin = pipes.toChild()
		cmd.Stdout = pipes.fromChild()
	}
	err := pipes.err
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		pipes.closeOurs()
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	guard := watchdog.Group
	if p.kept {
		guard = watchdog.Keeper
	}
	release := guard(cmd.Process.Pid)
	reads := pipes.reads
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		io.Copy(p.stderr, reads[0])
		reads[0].Close()
	}()
	if stdio {
		p.stdin = pipes.write
		p.stdout = LimitLines(untilEnd{reads[1]})
	}
	go func() {
		p.err = cmd.Wait()
		if !p.kept {
			watchdog.KillGroup(cmd.Process.Pid)
		}
		release()
		for _, r := range reads {
			r.SetReadDeadline(time.Now().Add(drainTimeout))
		}
		<-drained
		close(p.ended)
	}()
	return p, nil
}

// pipes are those between us and a child that is about to start. They are our
// own, and not os/exec's, because Wait must neither close our end before all
// was read nor wait for a grandchild that holds the other one.
type pipes struct {
	reads  []*os.File
	write  *os.File
	theirs []*os.File
	err    error
}

func (p *pipes) fromChild() *os.File {
	r, w, err := os.Pipe()
	p.reads, p.theirs, p.err = append(p.reads, r), append(p.theirs, w), errors.Join(p.err, err)
	return w
}

func (p *pipes) toChild() *os.File {
	r, w, err := os.Pipe()
	p.write, p.theirs, p.err = w, append(p.theirs, r), errors.Join(p.err, err)
	return r
}

func (p *pipes) closeTheirs() {
	for _, f := range p.theirs {
		f.Close()
	}
}

func (p *pipes) closeOurs() {
	p.write.Close()
	for _, f := range p.reads {
		f.Close()
	}
}

// untilEnd reads a pipe and closes it at its end. A deadline is an end too:
// only that of a process that has ended is set.
type untilEnd struct{ f *os.File }

func (r untilEnd) Read(b []byte) (int, error) {
	n, err := r.f.Read(b)
	if err != nil {
		r.f.Close()
		err = io.EOF
	}
	return n, err
}

// stop ends the process and its group. It takes at most 2 s: the process may
// end by itself when its input ends, is asked to, and is killed.
func (p *process) stop() {
	if p.stdin != nil {
		p.stdin.Close()
		if p.waits(exitTimeout) {
			return
		}
	}
	terminate(p.cmd.Process.Pid)
	if !p.waits(termTimeout) {
		p.kill()
	}
}

// kill ends the process and its group at once.
func (p *process) kill() {
	select {
	case <-p.ended: // its number may be another's by now
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
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}

// LastLine implements [Server].
func (p *process) LastLine() string { return p.stderr.LastLine() }

// Explain implements [Server]: how the process ended, and what it said last. It
// is an [*Outage] if SIGKILL ended it, which no server sends to itself: it comes
// from a system without memory, or from a person.
func (p *process) Explain(err error) error {
	if !p.waits(drainTimeout + killTimeout) {
		return fmt.Errorf("%w (%s is still running)", err, p.name)
	}
	if err = p.end(); killed(p.cmd.ProcessState) {
		return &Outage{err}
	}
	return err
}

// end says how the process ended, which it has.
func (p *process) end() error {
	status := "exit status 0"
	if p.err != nil {
		status = p.err.Error()
	}
	if line := p.LastLine(); line != "" {
		status += ": " + line
	}
	return fmt.Errorf("%s ended: %s", p.name, status)
}
