package launch

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

func newStandin(t testing.TB, latency time.Duration) session.Launcher {
	t.Helper()
	set, ca := testWeb(t)
	l, err := NewStandin(StandinOptions{Sites: set, CA: ca, Latency: latency})
	need.OK(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func TestStandin(t *testing.T) {
	l := newStandin(t, 0)
	s := launch(t, l)
	got := s.Identity()
	got.Version = ""
	want := record.Server{Name: "openchrome-bench-standin", Protocol: session.Protocol, Isolation: "fresh"}
	need.Equal(t, "Server", want, got)
	for _, session := range []session.Session{s, launch(t, l)} { // each with a web of its own
		open(t, session, "https://example.com/")
		log, err := session.Requests(t.Context())
		if err != nil || len(log.Requests) != 1 || log.Requests[0].URL != "https://example.com/" {
			t.Errorf("Requests = %v, %v", log, err)
		}
	}
	r, err := s.Call(t.Context(), adapter.Call{Tool: "no_such_tool"})
	if err != nil || r.RPCError == nil {
		t.Errorf("an unknown tool: %+v, error %v", r, err)
	}
	need.OK(t, s.Close())
	if _, err := s.Call(t.Context(), adapter.Call{Tool: "navigate"}); err == nil || err.Error() != "navigate: the session is closed" {
		t.Errorf("a call after Close: %v", err)
	}
	need.OK(t, s.Close())
}

func TestStandinSlow(t *testing.T) {
	s := launch(t, newStandin(t, time.Hour))
	synctest.Test(t, func(t *testing.T) {
		ctx := need.Within(t, time.Minute)
		began := time.Now()
		if _, err := s.Call(ctx, adapter.Call{Tool: "tabs_context"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call at its deadline: %v", err)
		}
		pending := make(chan error, 1)
		go func() {
			_, err := s.Call(context.Background(), adapter.Call{Tool: "tabs_context"})
			pending <- err
		}()
		synctest.Wait() // until it waits for its latency
		s.Close()
		need.Is(t, "a pending call at Close", "tabs_context: the session is closed", fmt.Sprint(<-pending))
		if took := time.Since(began); took != time.Minute {
			t.Errorf("both together took %v, not the one deadline", took)
		}
	})
}

func TestStandinNeedsSites(t *testing.T) {
	need.Fails(t, need.Err(NewStandin(StandinOptions{})), "")
}
