package containers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// A slow engine is waited for, and one that is stuck only for a time.
func TestConnectWaits(t *testing.T) {
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
		patient  = none + "no answer within 10s" + restart
		soon     = 50 * time.Millisecond
		never    = time.Minute
		noSocket = none + "no Docker socket was found; start Docker, or set DOCKER_HOST"
	)
	for _, test := range []struct {
		name string
		dial func(context.Context) (*engine, error)
		took time.Duration
		err  string
	}{
		{"it is slow", answers(5*time.Second, nil), 5 * time.Second, ""},
		{"it is stuck", answers(never, nil), workTimeout, patient},
		{"there is a reason", answers(soon, errors.New("no Docker socket was found")), soon, noSocket},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				_, err := search(t.Context(), test.dial)
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
