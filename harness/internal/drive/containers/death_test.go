package containers

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
)

// killAll is a script that kills all programs of a name in its container.
const killAll = `for file in $(grep -lx "$0" /proc/[0-9]*/comm); do kill -9 "$(echo "$file" | tr -dc 0-9)"; done; true`

// opened launches an OpenChrome and opens a page in it.
func opened(t *testing.T) (s *boxSession, tabID string) {
	t.Helper()
	s = started(t, newLauncher(t, realOptions(t))).(*boxSession)
	r, err := s.Call(t.Context(), adapter.Call{Tool: "navigate", Args: json.RawMessage(`{"url":"https://example.com/more"}`)})
	var page struct{ TabID string }
	if err != nil || r.IsError() || !r.JSON(&page) {
		t.Fatalf("navigate: %v: %s", err, r.Text())
	}
	return s, page.TabID
}

// A page can be read after its server's death.
func TestServerDies(t *testing.T) {
	s, tab := opened(t)
	runIn(t, s, nobody, "sh", "-c", killAll, "node")
	_, err := s.Call(t.Context(), adapter.Call{Tool: "tabs_context"})
	const want = "OpenChrome was killed, and nobody knows by whom: exit status 137"
	if _, ok := errors.AsType[*session.Outage](err); !ok || !strings.Contains(err.Error(), want) {
		t.Errorf("a call: %v (%T), want an outage: %s", err, err, want)
	}
	r, err := s.Observer().Read(t.Context(), observer.Request{TabID: tab, Needs: judge.Needs{Text: []string{"h1"}}})
	if err != nil || *r.Facts.URL != "https://example.com/more" || r.Facts.DOMText == nil {
		t.Errorf("the page: %+v, %v", r.Facts, err)
	}
	if log, err := s.Requests(t.Context()); err != nil || len(log.Requests) != 1 {
		t.Errorf("requests %v, %v; want one", log, err)
	}
}

// A server outlives its browser: the end is in the answers and in Ping.
func TestBrowserDies(t *testing.T) {
	s, _ := opened(t)
	need.OK(t, s.Ping(t.Context()))
	runIn(t, s, nobody, "sh", "-c", killAll, "chromium") // not its user
	need.OK(t, s.Ping(t.Context()))
	runIn(t, s, chromiumUser, "sh", "-c", killAll, "chromium")
	select {
	case <-s.Observer().Done():
	case <-time.After(50 * time.Second):
		t.Fatal("the observer does not see the end of the browser")
	}
	err := s.Ping(t.Context())
	const want = "the browser was killed, and nobody knows by whom: exit status 137"
	if _, ok := errors.AsType[*session.Outage](err); !ok || err.Error() != want {
		t.Errorf("Ping: %v (%T), want an outage: %s", err, err, want)
	}
	r, err := s.Call(t.Context(), adapter.Call{Tool: "navigate", Args: json.RawMessage(`{"url":"https://example.com/"}`)})
	if err != nil || !r.IsError() {
		t.Errorf("a call: %v, %s; want an error answer", err, r.Text())
	}
}

// The end of the container is an outage, for the browser as well.
func TestContainerDies(t *testing.T) {
	for _, test := range []struct{ name, signal, want string }{
		{"killed", "KILL", "its container was killed from outside: exit status 137"},
		{"stopped", "TERM", "its container ended: exit status 143"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, _ := opened(t)
			sendSignal(t, s, test.signal)
			_, call := s.Call(t.Context(), adapter.Call{Tool: "tabs_context"})
			<-s.Observer().Done()
			for what, err := range map[string]error{"a call": call, "Ping": s.Ping(t.Context())} {
				if _, ok := errors.AsType[*session.Outage](err); !ok || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: %v (%T), want an outage: %s", what, err, err, test.want)
				}
			}
		})
	}
}

// The messages end at the entrypoint's mark, wherever the engine cuts them into pieces.
func TestBrowserOutput(t *testing.T) {
	for name, test := range map[string]struct {
		text, messages, status string
		ended                  bool
	}{
		"running":         {text: "{}\x00{}\x00", messages: "{}\x00{}\x00"},
		"about to end":    {text: "{}\x00\x0413", messages: "{}\x00"},
		"ended":           {text: "{}\x00\x04137\n", messages: "{}\x00", status: "137\n", ended: true},
		"cut off":         {text: "{}\x00{\"id\x040\n", messages: "{}\x00{\"id", status: "0\n", ended: true},
		"more afterwards": {text: "\x040\n{}\x00\x041\n", status: "0\n", ended: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser()
			r, w := io.Pipe()
			got := make(chan string)
			go func() {
				all, _ := io.ReadAll(r)
				got <- string(all)
			}()
			need.OK(t, need.Err(io.Copy(b.pipe(w), iotest.OneByteReader(strings.NewReader(test.text)))))
			ended := false
			select {
			case <-b.ended:
				ended = true
			default:
				w.Close()
			}
			if messages := <-got; messages != test.messages || ended != test.ended || ended && string(b.status) != test.status {
				t.Errorf("messages %q, ended %v, status %q; want %q, %v, %q", messages, ended, b.status, test.messages, test.ended, test.status)
			}
		})
	}
}

func sendSignal(t *testing.T, s *boxSession, signal string) {
	t.Helper()
	need.OK(t, need.Err(s.box.engine.api.ContainerKill(t.Context(), s.box.id, client.ContainerKillOptions{Signal: signal})))
}
