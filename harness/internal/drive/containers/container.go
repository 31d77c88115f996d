package containers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
)

// The limits of a container, in bytes and processes. Chromium alone is about
// 110 processes and threads when idle.
const (
	serverMemory = 1536 << 20
	webMemory    = 256 << 20
	maxProcesses = 512
)

// The users in our images. They own nothing on the host. Chromium has a user of its own, so
// that OpenChrome cannot reach its pipe or its processes.
const (
	nobody       = "10001:10001"
	chromiumUser = "10002:10002"
)

type program struct {
	image   string
	user    string   // of the main process; "" is nobody
	args    []string // for the image's entrypoint
	network string
	alias   string // its name on the network; may be ""
	name    string
	env     map[string]string
	labels  map[string]string
	memory  int64
	tmpfs   map[string]string // in-memory file systems: mount options by path. It can write only there
	live    bool              // host names resolve in the same way as on the host
}

// process is the main process of a container. We hold its pipes.
type process struct {
	stream
	engine  *engine
	id      string
	browser *browser // reads the output of OpenChrome's container

	ended  chan struct{} // closed when the container is gone
	status int64         // its exit code. Read after ended
	untold error         // why the exit code is unknown. Read after ended
	memory int64         // its limit, in bytes
	forget context.CancelFunc
}

// start creates, attaches to and starts a container. ctx bounds the start only.
func start(ctx context.Context, e *engine, p program) (*process, error) {
	ctr, err := e.provider.CreateContainer(ctx, p.request())
	if ctr == nil {
		// A cancelled request may still have created the container.
		e.removeContainer(context.Background(), p.name)
		return nil, fmt.Errorf("docker: %w", err)
	}
	c := &process{engine: e, id: ctr.GetContainerID(), memory: p.memory,
		browser: newBrowser(), ended: make(chan struct{}), forget: func() {}}
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

// request describes the container to the engine. It asks for no privilege that the
// container does not need.
func (p program) request() testcontainers.ContainerRequest {
	return testcontainers.ContainerRequest{
		Image: p.image, Cmd: p.args, Name: p.name, Env: p.env, Labels: p.labels, Tmpfs: p.tmpfs,
		Networks:       []string{p.network},
		NetworkAliases: map[string][]string{p.network: {p.alias}},
		ConfigModifier: func(c *container.Config) {
			c.User = cmp.Or(p.user, nobody)
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
				// The engine's resolver knows our aliases. It asks the host's resolver for
				// other names; engines before 26 do so even from an internal network.
				h.DNS = []netip.Addr{netip.MustParseAddr("127.0.0.1")}
				h.DNSSearch = []string{"."}
				h.DNSOptions = []string{"timeout:1", "attempts:1"}
			}
		},
	}
}

// attach connects the pipes and begins to wait for the exit code. It must run before the
// container starts.
func (c *process) attach(ctx context.Context) error {
	a, err := c.engine.api.ContainerAttach(ctx, c.id, client.ContainerAttachOptions{Stream: true, Stdin: true, Stdout: true, Stderr: true})
	if err != nil {
		return err
	}
	c.open(a.HijackedResponse, c.browser.pipe)
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

// remove kills the process, with all that it started, and removes the
// container. It returns when that is done.
func (c *process) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), removeTimeout)
	defer cancel()
	err := c.engine.removeContainer(ctx, c.id)
	if c.stdout != nil {
		c.close()
		select {
		case <-c.ended:
		case <-ctx.Done():
		}
	}
	c.forget()
	return err
}
