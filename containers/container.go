package containers

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"

	"github.com/openchrome/bench/harness/openchrome"
)

// The limits of a container, in bytes and processes. Chromium alone is about
// 110 processes and threads when idle.
const (
	serverMemory = 1536 << 20
	webMemory    = 256 << 20
	maxProcesses = 512
)

// nobody is the user in our images. It owns nothing on the host.
const nobody = "10001:10001"

// program describes a container to be started.
type program struct {
	image   string
	network string
	alias   string // its name on the network; may be ""
	name    string
	env     map[string]string
	labels  map[string]string
	memory  int64
	tmpfs   map[string]string // mount options by path: everything that it can write to
	live    bool              // names resolve as on the host
}

// process is a container's process, with its pipes in our hands.
type process struct {
	engine *engine
	id     string
	conn   client.HijackedResponse
	stdout *io.PipeReader
	stderr openchrome.Tail
	begins chan string // gets the first line of the stderr, "" without one

	cut    chan struct{} // closed when the stream from the container has ended
	broken error         // the stream's error; nil at its proper end. Read after cut
	ended  chan struct{} // closed when the container is gone
	status int64         // its exit code. Read after ended
	untold error         // why the exit code is unknown. Read after ended
	memory int64         // its limit, in bytes
	forget context.CancelFunc
}

// start creates, attaches to and starts a container. ctx bounds the start only.
func (e *engine) start(ctx context.Context, p program) (*process, error) {
	ctr, err := e.provider.CreateContainer(ctx, p.request())
	if ctr == nil {
		// A cancelled request may have made it all the same.
		e.removeContainer(context.Background(), p.name)
		return nil, fmt.Errorf("docker: %w", err)
	}
	c := &process{engine: e, id: ctr.GetContainerID(), begins: make(chan string, 1), memory: p.memory,
		cut: make(chan struct{}), ended: make(chan struct{}), forget: func() {}}
	if err == nil {
		err = c.attach(ctx)
	}
	if err == nil {
		_, err = e.api.ContainerStart(ctx, c.id, client.ContainerStartOptions{})
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("docker: start %s: %w", p.name, err), c.remove())
	}
	return c, nil
}

// request describes the container to the engine, without any privilege that it does not
// need.
func (p program) request() testcontainers.ContainerRequest {
	return testcontainers.ContainerRequest{
		Image: p.image, Name: p.name, Env: p.env, Labels: p.labels, Tmpfs: p.tmpfs,
		Networks:       []string{p.network},
		NetworkAliases: map[string][]string{p.network: {p.alias}},
		ConfigModifier: func(c *container.Config) {
			c.User = nobody
			c.OpenStdin, c.StdinOnce = true, true
			c.AttachStdin, c.AttachStdout, c.AttachStderr = true, true, true
		},
		HostConfigModifier: func(h *container.HostConfig) {
			h.AutoRemove = true
			h.Init = new(true)
			h.CapDrop = []string{"ALL"}
			h.SecurityOpt = []string{"no-new-privileges"}
			h.ReadonlyRootfs = true
			h.Memory, h.MemorySwap = p.memory, p.memory
			h.PidsLimit = new(int64(maxProcesses))
			// A log would hold screenshots, and nobody reads it.
			h.LogConfig = container.LogConfig{Type: "none"}
			if !p.live {
				// The engine's resolver answers for our aliases and asks the
				// host's resolver for other names, on engines before 26 even
				// from a network without a way out.
				h.DNS = []netip.Addr{netip.MustParseAddr("127.0.0.1")}
				h.DNSSearch = []string{"."}
				h.DNSOptions = []string{"timeout:1", "attempts:1"}
			}
		},
	}
}

// attach connects the pipes and begins to wait for the exit code, before the start.
func (c *process) attach(ctx context.Context) error {
	a, err := c.engine.api.ContainerAttach(ctx, c.id, client.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return err
	}
	c.conn = a.HijackedResponse
	stdout, w := io.Pipe()
	c.stdout = stdout
	stderr, head := io.Pipe()
	go func() {
		c.begins <- lineOne(stderr)
		io.Copy(io.Discard, stderr)
	}()
	go func() {
		_, c.broken = stdcopy.StdCopy(w, io.MultiWriter(&c.stderr, head), c.conn.Reader)
		close(c.cut)
		w.Close() // a plain end, even of a broken stream: Explain has the error
		head.Close()
		c.conn.Close()
	}()
	// Not ctx: this lasts as long as the container.
	var life context.Context
	life, c.forget = context.WithCancel(context.WithoutCancel(ctx))
	wait := c.engine.api.ContainerWait(life, c.id, client.ContainerWaitOptions{Condition: container.WaitConditionRemoved})
	go func() {
		defer close(c.ended)
		select {
		case r := <-wait.Result:
			c.status = r.StatusCode
		case c.untold = <-wait.Error:
		}
	}()
	return nil
}

// lineOne returns the first line of r, or "" if there is none within 1 KiB.
func lineOne(r io.Reader) string {
	line, err := bufio.NewReaderSize(r, 1<<10).ReadSlice('\n')
	if err != nil {
		return ""
	}
	return string(line[:len(line)-1])
}

// stdin writes to the process; closing it is the end of its input.
type stdin struct{ c client.HijackedResponse }

func (s stdin) Write(p []byte) (int, error) { return s.c.Conn.Write(p) }
func (s stdin) Close() error                { return s.c.CloseWrite() }

// pipes are both ends of the process, for a protocol that closes them as one.
type pipes struct{ *process }

func (p pipes) Read(b []byte) (int, error)  { return p.stdout.Read(b) }
func (p pipes) Write(b []byte) (int, error) { return p.conn.Conn.Write(b) }
func (p pipes) Close() error {
	p.stdout.Close()
	return p.conn.CloseWrite()
}

// removeTimeout bounds the removal of a container.
const removeTimeout = 10 * time.Second

// remove kills the process, with all that it started, and removes the
// container. It returns when that is done.
func (c *process) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	err := c.engine.removeContainer(ctx, c.id)
	if c.stdout != nil {
		c.stdout.CloseWithError(openchrome.ErrClosed)
		c.conn.Close()
		select {
		case <-c.ended:
		case <-ctx.Done():
		}
	}
	c.forget()
	return err
}
