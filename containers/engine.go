package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
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

// workTimeout bounds the wait for an engine, however busy it is. checkTimeout is
// how long a [Glance] waits while nothing accepts the connection.
const (
	workTimeout  = 10 * time.Second
	checkTimeout = 900 * time.Millisecond
)

// Check finds the Docker engine as testcontainers-go does (DOCKER_HOST, the
// usual sockets, ~/.testcontainers.properties). The error says why there is
// none: without any socket at once, else within 10 s.
func Check(ctx context.Context) (Engine, error) { return check(ctx, find) }

// Glance is Check for those who can do without an engine: where nothing accepts a
// connection it says so in under a second. An engine that accepts it and is only
// slow is waited for.
func Glance(ctx context.Context) (Engine, error) {
	hasty := find
	hasty.reach = reach
	return check(ctx, hasty)
}

func check(ctx context.Context, s search) (Engine, error) {
	e, err := s.run(ctx)
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

// search is how an engine is looked for.
type search struct {
	dial  func(context.Context) (*engine, error)
	reach func(context.Context) error // whether anything accepts a connection; nil: that is not asked
}

var find = search{dial: dial}

func connect(ctx context.Context) (*engine, error) { return find.run(ctx) }

func (s search) run(ctx context.Context) (*engine, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, workTimeout, fmt.Errorf("no answer within %v", workTimeout))
	defer cancel()
	type answer struct {
		engine *engine
		err    error
	}
	done := make(chan answer, 1)
	// Beside us, because looking for the engine heeds no context.
	go func() {
		e, err := s.dial(ctx)
		done <- answer{e, err}
	}()
	nobody := make(chan error, 1)
	if s.reach != nil {
		go func() {
			soon, cancel := context.WithTimeout(ctx, checkTimeout)
			defer cancel()
			if s.reach(soon) != nil {
				<-soon.Done() // until then dial may have more to say
				nobody <- fmt.Errorf("nothing accepts the connection within %v", checkTimeout)
			}
		}()
	}
	var err error
	select {
	case a := <-done:
		if a.err != nil {
			return nil, fmt.Errorf("docker: no engine within reach: %w; start one, or name it in DOCKER_HOST", a.err)
		}
		return a.engine, nil
	case err = <-nobody:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	return nil, fmt.Errorf("docker: no engine within reach: %w; start or restart one, or name it in DOCKER_HOST", err)
}

// reach connects to where DOCKER_HOST says that an engine is, or to the usual
// sockets. That nothing of it accepts proves nothing; that one does, that an
// engine is worth waiting for.
func reach(ctx context.Context) error {
	hosts := []string{os.Getenv("DOCKER_HOST")}
	if hosts[0] == "" {
		hosts = []string{client.DefaultDockerHost}
		if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" { // rootless
			hosts = append(hosts, "unix://"+filepath.Join(dir, "docker.sock"))
		}
		if home, err := os.UserHomeDir(); err == nil { // Docker Desktop
			hosts = append(hosts, "unix://"+filepath.Join(home, ".docker", "run", "docker.sock"))
		}
	}
	var errs []error
	for _, host := range hosts {
		u, err := client.ParseHostURL(host)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		c, err := new(net.Dialer).DialContext(ctx, u.Scheme, u.Host)
		if err == nil {
			return c.Close()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func dial(ctx context.Context) (*engine, error) {
	setUp()
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
