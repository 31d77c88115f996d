package containers

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/drive/session"
)

// command is a program that runs in a container in addition to the container's main
// process. The container keeps running when the program ends, but the program is killed
// when the container ends.
type command struct {
	stream
	box *process
	id  string
}

// run starts a program in the container. ctx bounds the start only.
func (c *process) run(ctx context.Context, user string, args ...string) (*command, error) {
	made, err := c.engine.api.ExecCreate(ctx, c.id, client.ExecCreateOptions{
		User: user, Cmd: args, AttachStdin: true, AttachStdout: true, AttachStderr: true,
	})
	if err != nil {
		return nil, fmt.Errorf("docker: exec: %w", err)
	}
	a, err := c.engine.api.ExecAttach(ctx, made.ID, client.ExecAttachOptions{})
	if err != nil {
		return nil, fmt.Errorf("docker: exec: %w", err)
	}
	x := &command{box: c, id: made.ID}
	x.open(a.HijackedResponse, nil)
	return x, nil
}

// do runs a program of the server's user to its end.
func (c *process) do(ctx context.Context, input []byte, args ...string) error {
	x, err := c.run(ctx, nobody, args...)
	if err != nil {
		return err
	}
	defer x.close()
	if input != nil {
		_, err = stdin{&x.stream}.Write(input)
		err = cmp.Or(err, stdin{&x.stream}.Close())
	}
	end, waited := x.wait()
	if err = cmp.Or(err, waited); err == nil && (end.Running || end.ExitCode != 0) {
		err = fmt.Errorf("%s ended with exit status %d: %s", args[0], end.ExitCode, x.LastLine())
	}
	return err
}

// goneTimeout is how long we wait for a container to end after SIGKILL has ended a command
// in it.
const goneTimeout = 300 * time.Millisecond

// Explain implements [session.Process].
func (x *command) Explain(err error) error {
	text, ours := x.fate()
	return explain(err, text, x.LastLine(), ours)
}

// fate describes how the command ended. ours reports whether something else caused the end,
// or may have: the container, the engine, the connection to it, or a SIGKILL without a
// reason in the container.
func (x *command) fate() (text string, ours bool) {
	end, err := x.wait()
	switch {
	case err != nil:
		// The engine forgets a command with its container.
		text, _ = x.box.fate()
		return text, true
	case end.Running && x.isCut():
		return "the engine's connection to OpenChrome ended, but OpenChrome is still running", true
	case end.Running:
		return "OpenChrome is still running", false
	case end.ExitCode == killed:
		return x.killer()
	case end.ExitCode == 0 && x.isBroken():
		// A command exits with 0 at the end of its input, but we did not close the input.
		return fmt.Sprintf("the engine's connection to OpenChrome was lost: %v", x.broken), true
	}
	return fmt.Sprintf("OpenChrome ended: exit status %d", end.ExitCode), false
}

// wait waits for the command to end, for at most deathTimeout.
func (x *command) wait() (end client.ExecInspectResult, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), deathTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		now, err := x.box.engine.api.ExecInspect(ctx, x.id, client.ExecInspectOptions{})
		if ctx.Err() != nil && end.Running {
			return end, nil
		}
		if end = now; err != nil || !end.Running {
			return end, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return end, nil
		}
	}
}

// killer says why SIGKILL ended the command, and whether the session is not known to be to
// blame. It is if its container reached our memory limit. The engine does not know who else
// may have sent the signal, or whether the command only exited with this status.
func (x *command) killer() (text string, ours bool) {
	select {
	case <-x.box.cut:
		text, _ = x.box.fate()
		return text, true
	case <-time.After(goneTimeout):
	}
	if x.box.overLimit() {
		return fmt.Sprintf("OpenChrome was killed: its container needed more memory than our limit of %d MiB (OOMKilled)", x.box.memory>>20), false
	}
	return fmt.Sprintf("OpenChrome was killed, and nobody knows by whom: exit status %d", killed), true
}

var _ session.Process = (*command)(nil)
