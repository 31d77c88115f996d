package containers

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// An engine that accepts the connection is waited for, and where there is no other
// way so is one that does not.
func TestConnectWaits(t *testing.T) {
	accepts := func(context.Context) bool { return true }
	refuses := func(context.Context) bool { return false }
	silent := func(ctx context.Context) bool { <-ctx.Done(); return false }
	answers := func(after time.Duration, err error) func(context.Context) (*engine, error) {
		return func(context.Context) (*engine, error) {
			<-time.After(after) // as looking for the engine does, which heeds no context
			if err != nil {
				return nil, err
			}
			return new(engine), nil
		}
	}
	const (
		none     = "docker: no engine found: "
		restart  = "; start or restart Docker, or set DOCKER_HOST"
		hasty    = none + "no connection within 900ms" + restart
		patient  = none + "no answer within 10s" + restart
		soon     = 50 * time.Millisecond
		never    = time.Minute
		noSocket = none + "no Docker socket was found; start Docker, or set DOCKER_HOST"
	)
	for _, test := range []struct {
		name string
		s    search
		took time.Duration
		err  string
	}{
		{"it is slow, and must be there", search{answers(5*time.Second, nil), nil}, 5 * time.Second, ""},
		{"it is slow, and accepts", search{answers(5*time.Second, nil), accepts}, 5 * time.Second, ""},
		{"it is stuck, and must be there", search{answers(never, nil), nil}, workTimeout, patient},
		{"it is stuck, and accepts", search{answers(never, nil), accepts}, workTimeout, patient},
		{"nothing accepts", search{answers(never, nil), silent}, checkTimeout, hasty},
		{"a connection is refused", search{answers(never, nil), refuses}, checkTimeout, hasty},
		{"a connection is refused, and there is a reason", search{answers(soon, errors.New("no Docker socket was found")), refuses}, soon, noSocket},
		{"another engine answers", search{answers(soon, nil), refuses}, soon, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, err := test.s.run(t.Context())
				if took := time.Since(began); took != test.took {
					t.Errorf("it took %v, want %v", took, test.took)
				}
				if got := ""; err != nil || test.err != "" {
					if err != nil {
						got = err.Error()
					}
					need.Is(t, "error", test.err, got)
				}
				<-time.After(never) // until dial has ended too
			})
		})
	}
}

func TestReach(t *testing.T) {
	open, err := net.Listen("tcp", "127.0.0.1:0")
	need.OK(t, err)
	defer open.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	need.OK(t, err)
	closed.Close()
	socket := filepath.Join(t.TempDir(), "docker.sock")
	bound, err := net.Listen("unix", socket)
	need.OK(t, err)
	defer bound.Close()
	for host, want := range map[string]bool{
		"unix://" + socket:                      true,
		"unix:///no/such/socket":                false,
		"tcp://" + open.Addr().String():         true,
		"tcp://" + open.Addr().String() + "/v1": true,
		"tcp://" + closed.Addr().String():       false,
		"nonsense":                              false,
	} {
		t.Setenv("DOCKER_HOST", host)
		need.Is(t, fmt.Sprintf("DOCKER_HOST=%s", host), want, reach(t.Context()))
	}
	t.Setenv("DOCKER_HOST", "")
	t.Setenv("XDG_RUNTIME_DIR", filepath.Dir(socket))
	if !reach(t.Context()) {
		t.Error("the socket of a rootless engine is not reached")
	}
}
