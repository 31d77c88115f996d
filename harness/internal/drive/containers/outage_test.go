package containers

import (
	"errors"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/need"
)

// What ends because the engine, the connection with it or a limit of ours does is
// no failure of OpenChrome.
func TestOutage(t *testing.T) {
	needEngine(t)
	l := newLauncher(t, options(t))
	for _, test := range []struct {
		name string
		end  func(*boxSession)
		n    int // bytes that are asked for
		want string
	}{
		{"the connection with the server is lost", func(s *boxSession) { s.server.conn.Close() }, 1, "the engine's connection to OpenChrome was lost: "},
		{"the connection with the container is lost", func(s *boxSession) { s.box.conn.Close(); <-s.server.cut }, 1, "the engine's connection to its container was lost: "},
		{"the engine is lost", func(s *boxSession) { s.box.forget(); s.box.conn.Close(); <-s.server.cut }, 1, "its container is gone, and the engine does not say how it ended: context canceled"},
		{"its container is killed", func(s *boxSession) { s.box.engine.removeContainer(t.Context(), s.box.id) }, 1, "its container was killed from outside: exit status 137"},
		{"it is killed", func(s *boxSession) { runIn(t, s, nobody, "/server", "kill"); <-s.server.cut }, 1, "OpenChrome was killed, and nobody knows by whom: exit status 137"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := started(t, l)
			test.end(s.(*boxSession))
			_, err := s.Call(t.Context(), toolCall("fill", "", test.n))
			if _, ok := errors.AsType[*session.Outage](err); !ok || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v (%T), want an outage: %s", err, err, test.want)
			}
			need.OK(t, need.Err(s.Requests(t.Context())))
		})
	}
}

// A session that reaches its own limit of memory is to blame for its end.
func TestOwnLimit(t *testing.T) {
	needEngine(t)
	l := newLauncher(t, options(t))
	s := started(t, l)
	_, err := s.Call(t.Context(), toolCall("fill", "", 2<<30))
	const want = "OpenChrome was killed: its container needed more memory than our limit of 1536 MiB (OOMKilled)"
	if _, ok := errors.AsType[*session.Outage](err); ok || err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v (%T), want: %s", err, err, want)
	}
	need.OK(t, s.Outage(t.Context()))
}

func TestOutageOfTheWeb(t *testing.T) {
	needEngine(t)
	for _, live := range []bool{false, true} {
		o := options(t)
		o.LiveWeb = live
		s := started(t, newLauncher(t, o))
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("live web %v: Ping: %v", live, err)
		}
		s.(*boxSession).web.remove()
		const want = "its container was killed from outside: exit status 137"
		ping := s.Ping(t.Context())
		_, requests := s.Requests(t.Context())
		for what, err := range map[string]error{"Ping": ping, "Requests": requests} {
			if _, ok := errors.AsType[*session.Outage](err); !ok || !strings.Contains(err.Error(), want) {
				t.Errorf("live web %v: %s: %v (%T), want an outage: %s", live, what, err, err, want)
			}
		}
	}
}
