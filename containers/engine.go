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
)

// Engine is a Docker engine that answers.
type Engine struct {
	Host    string // where it listens, such as unix:///var/run/docker.sock
	Version string // such as 20.10.24
	API     string // the API version that is spoken with it, such as 1.41
	Arch    string // as Go names it: amd64, arm64
}

// checkTimeout bounds how long an engine that does not answer holds up Check;
// workTimeout is for those who need one, however busy it is.
const (
	checkTimeout = 900 * time.Millisecond
	workTimeout  = 10 * time.Second
)

// Check finds the Docker engine as testcontainers-go does (DOCKER_HOST, the
// usual sockets, ~/.testcontainers.properties). The error says why there is
// none, in under a second; without any socket at once.
func Check(ctx context.Context) (Engine, error) {
	e, err := connect(ctx, checkTimeout)
	if err != nil {
		return Engine{}, err
	}
	defer e.close()
	return e.Engine, nil
}

// engine is a connection to an Engine.
type engine struct {
	Engine
	provider *testcontainers.DockerProvider
	api      client.APIClient
}

func (e *engine) close() { e.provider.Close() }

// setUp runs before testcontainers-go reads its configuration, which it does
// once. Its reaper is a container of its own, from a registry; labels, watchdog
// and sweep do that work here.
var setUp = sync.OnceFunc(func() {
	os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true")
	log.SetDefault(quiet{})
})

// quiet keeps testcontainers-go from writing to stderr.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

func connect(ctx context.Context, timeout time.Duration) (*engine, error) {
	setUp()
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("no answer within %v", timeout))
	defer cancel()
	type answer struct {
		engine *engine
		err    error
	}
	done := make(chan answer, 1)
	// Beside us, because looking for the engine heeds no context.
	go func() {
		e, err := dial(ctx)
		done <- answer{e, err}
	}()
	select {
	case a := <-done:
		if a.err != nil {
			return nil, fmt.Errorf("docker: no engine within reach: %w; start one, or name it in DOCKER_HOST", a.err)
		}
		return a.engine, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("docker: no engine within reach: %w; start or restart one, or name it in DOCKER_HOST", context.Cause(ctx))
	}
}

func dial(ctx context.Context) (*engine, error) {
	provider, err := testcontainers.NewDockerProvider(testcontainers.WithDefaultBridgeNetwork(testcontainers.Bridge))
	if err != nil {
		if strings.Contains(err.Error(), "rootless Docker not found") { // the last place it looks in
			err = errors.New("there is no socket of one")
		}
		return nil, errors.New(firstLine(err.Error()))
	}
	e := &engine{provider: provider, api: provider.Client()}
	// testcontainers-go takes another engine when that one does not answer.
	if host := os.Getenv("DOCKER_HOST"); host != "" && e.api.DaemonHost() != host {
		provider.Close()
		return nil, fmt.Errorf("DOCKER_HOST=%s does not answer", host)
	}
	v, err := e.api.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		provider.Close()
		return nil, err
	}
	e.Engine = Engine{Host: e.api.DaemonHost(), Version: v.Version, API: e.api.ClientVersion(), Arch: v.Arch}
	return e, nil
}
