package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/process"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// chromium is a browser with its own, empty profile.
type chromium struct {
	*process.Process
	port int // the DevTools port on 127.0.0.1, where the server attaches

	attached chan struct{}      // closed when attaching has ended; read the fields below only after that
	observer *observer.Observer // nil on Windows
	err      error
}

// startChromium starts a confined browser with the working folder dir, and returns when its
// port is known. The caller must close it, and must call ready before it uses the browser.
// ctx must not end before that.
func startChromium(ctx context.Context, path, dir string, env, flags []string, c Confinement) (*chromium, error) {
	cmd := exec.Command(path, flags...)
	cmd.Dir = dir
	cmd.Env = env
	var pipe io.ReadWriteCloser
	var theirs duplex
	if runtime.GOOS != "windows" { // where package os/exec passes only the standard files to a child
		cmd.Args = slices.Insert(cmd.Args, 1, "--remote-debugging-pipe")
		var ours duplex
		var err error
		if ours, theirs, err = debuggingPipe(); err != nil {
			return nil, fmt.Errorf("start Chromium: %w", err)
		}
		pipe, cmd.ExtraFiles = ours, []*os.File{theirs.in, theirs.out}
	}
	c.Apply(cmd, dir)
	p, err := process.Start("Chromium", cmd, false, c.Network)
	theirs.Close()
	if err != nil {
		if pipe != nil {
			pipe.Close()
		}
		return nil, err
	}
	b := &chromium{Process: p, attached: make(chan struct{})}
	go func() { // this takes longer than opening the port, so the server can start meanwhile
		defer close(b.attached)
		if pipe != nil {
			b.observer, b.err = observer.Attach(ctx, pipe)
		}
	}()
	if b.port, err = devToolsPort(ctx, b.Ended, profileOf(dir)); err != nil {
		err = b.notStarted(ctx, err)
		b.Close()
		return nil, err
	}
	return b, nil
}

// ready waits until the browser is observed. Before that, nothing may use it.
func (c *chromium) ready(ctx context.Context) error {
	<-c.attached
	if c.err != nil {
		return c.notStarted(ctx, c.err)
	}
	return nil
}

func (c *chromium) notStarted(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return c.Explain(err)
	}
	return session.Saying(fmt.Errorf("chromium does not start: %w", err), c.LastLine())
}

func (c *chromium) Close() error {
	c.Kill()
	<-c.attached // its pipe has been closed
	if c.observer != nil {
		c.observer.Close() // its pipe is already broken
	}
	return nil
}

// hasEnded reports whether the browser has ended. When its pipe has, hasEnded waits until
// the process has too, or ctx ends.
func (c *chromium) hasEnded(ctx context.Context) bool {
	if c.observer != nil {
		select {
		case <-c.observer.Done():
			select {
			case <-c.Ended:
			case <-ctx.Done():
			}
		default:
		}
	}
	select {
	case <-c.Ended:
		return true
	default:
		return false
	}
}

// duplex is our end of Chromium's --remote-debugging-pipe.
type duplex struct{ in, out *os.File }

func (d duplex) Read(b []byte) (int, error)  { return d.in.Read(b) }
func (d duplex) Write(b []byte) (int, error) { return d.out.Write(b) }
func (d duplex) Close() error                { return errors.Join(d.in.Close(), d.out.Close()) }

// debuggingPipe returns both ends of a pipe for Chromium, whose file 3 is theirs.in and
// file 4 theirs.out.
func debuggingPipe() (ours, theirs duplex, err error) {
	if theirs.in, ours.out, err = os.Pipe(); err != nil {
		return ours, theirs, err
	}
	if ours.in, theirs.out, err = os.Pipe(); err != nil {
		return ours, theirs, errors.Join(err, theirs.in.Close(), ours.out.Close())
	}
	return ours, theirs, nil
}

// devToolsPort waits for the file that names Chromium's port: the port is on the first
// line, the path of its WebSocket on the second.
func devToolsPort(ctx context.Context, ended <-chan struct{}, profile string) (int, error) {
	file := filepath.Join(profile, "DevToolsActivePort")
	tick := time.Tick(2 * time.Millisecond)
	for {
		data, _ := regular.Read(file, 4<<10)
		if first, path, ok := strings.Cut(string(data), "\n"); ok && path != "" {
			return strconv.Atoi(first)
		}
		select {
		case <-tick:
		case <-ended:
			return 0, errors.New("it opened no DevTools port")
		case <-ctx.Done():
			return 0, fmt.Errorf("it opens no DevTools port: %w", ctx.Err())
		}
	}
}
