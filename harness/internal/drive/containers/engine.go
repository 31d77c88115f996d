package containers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"github.com/openchrome/bench/harness/internal/drive/containers/first"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func init() { first.Restore() }

// Engine is a Docker engine that answers.
type Engine struct {
	Host    string // where it listens, such as unix:///var/run/docker.sock
	Version string // such as 20.10.24
	API     string // the API version in use, such as 1.41
	Arch    string // as Go names it: amd64, arm64
}

// workTimeout bounds the wait for an engine, even a busy one.
const workTimeout = 10 * time.Second

// Check finds the Docker engine as testcontainers-go does (DOCKER_HOST, the usual sockets,
// ~/.testcontainers.properties). The error says why there is none. If there is no socket,
// it comes at once, otherwise within 10 s.
func Check(ctx context.Context) (Engine, error) {
	e, err := connect(ctx)
	if err != nil {
		return Engine{}, err
	}
	defer e.close()
	return e.Engine, nil
}

type engine struct {
	Engine
	provider *testcontainers.DockerProvider
	api      client.APIClient
}

func (e *engine) close() { e.provider.Close() }

// setUp turns off the reaper of testcontainers-go v0.44.0, which is a container from a registry.
// Our labels, watchdog and sweep do its work. It must run before testcontainers-go reads its
// configuration. When testcontainers-go has an option for this, the variable can go.
var setUp = sync.OnceFunc(func() {
	os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	log.SetDefault(quiet{})
})

// quiet replaces the logger of testcontainers-go v0.44.0, which writes to stderr.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

func connect(ctx context.Context) (*engine, error) { return search(ctx, dial) }

func search(ctx context.Context, dial func(context.Context) (*engine, error)) (*engine, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, workTimeout, fmt.Errorf("no answer within %v", workTimeout))
	defer cancel()
	type answer struct {
		engine *engine
		err    error
	}
	done := make(chan answer, 1)
	// In a goroutine: NewDockerProvider of testcontainers-go v0.44.0 takes no context.
	go func() {
		e, err := dial(ctx)
		done <- answer{e, err}
	}()
	start := "start or restart Docker"
	var err error
	select {
	case a := <-done:
		if a.err == nil {
			return a.engine, nil
		}
		err, start = a.err, "start Docker"
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, fmt.Errorf("docker: no engine found: %w; %s, or set DOCKER_HOST", err, start)
}

func dial(ctx context.Context) (*engine, error) {
	setUp()
	provider, err := testcontainers.NewDockerProvider(testcontainers.WithDefaultBridgeNetwork(testcontainers.Bridge))
	host := os.Getenv("DOCKER_HOST")
	_, noHome := os.UserHomeDir() // v0.44.0 then gives this error instead of its own
	switch {
	case err != nil && host != "":
		return nil, fmt.Errorf("DOCKER_HOST=%s does not answer", display.Visible(host))
	case err != nil && (strings.Contains(err.Error(), "rootless Docker not found") || noHome != nil && firstLine(err.Error()) == noHome.Error()): // v0.44.0 tries that socket last, and exports no variable for these errors
		return nil, errors.New("no Docker socket was found")
	case err != nil:
		return nil, errors.New(firstLine(err.Error()))
	}
	e := &engine{provider: provider, api: provider.Client()}
	// If this engine does not answer, testcontainers-go v0.44.0 tries others. This
	// check can go when it no longer does so with DOCKER_HOST set.
	if host != "" && e.api.DaemonHost() != host {
		provider.Close()
		return nil, fmt.Errorf("DOCKER_HOST=%s does not answer", display.Visible(host))
	}
	v, err := e.api.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		provider.Close()
		return nil, err
	}
	e.Engine = Engine{Host: e.api.DaemonHost(), Version: v.Version, API: e.api.ClientVersion(), Arch: v.Arch}
	return e, nil
}
