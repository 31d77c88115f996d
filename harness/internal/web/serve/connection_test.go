package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
)

// statuses returns "path status" of a log.
func statuses(log []web.Request) []string {
	var out []string
	for _, r := range log {
		out = append(out, fmt.Sprintf("%s %d", r.Path, r.Status))
	}
	return out
}

const faultRoutes = `[
	{"path": "/reset", "when": {"first": 1}, "fault": "reset", "add": {"n": 1}},
	{"method": "POST", "path": "/reset", "when": {"first": 1}, "fault": "reset"},
	{"method": "POST", "path": "/reset", "status": 201},
	{"path": "/cut", "when": {"first": 1}, "status": 404, "file": "cut.html", "fault": "cut"},
	{"path": "/hang", "fault": "hang", "add": {"waiting": 1}},
	{"path": "/late", "delayMs": 60000, "status": 404, "add": {"waiting": 1}}]`

func faultFiles() map[string]string {
	return map[string]string{"a.test/reset.tmpl.html": "again {{.State.n}}", "a.test/cut.html": strings.Repeat("0123456789", 10_000), "a.test/ok.html": "ok",
		"a.test/waiting.tmpl.html": "{{.State.waiting}}", "a.test/routes.json": faultRoutes}
}

// ways calls use once for each way to serve a Web. log is nil if there is no log.
func ways(t *testing.T, use func(t *testing.T, c *http.Client, base string, log func() []string, end func())) {
	ca := newTestCA(t, "a.test")
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			w := open(t, folder(t, faultFiles())).NewWeb()
			s := serve(t, w, ca)
			use(t, client(t, ca, s), scheme+"://a.test", func() []string { return statuses(w.Log().Requests) }, func() { s.Close() })
		})
	}
	t.Run("remote", func(t *testing.T) {
		r, ended := far(t)
		need.OK(t, r.Start(t.Context(), remoteConfig(t, open(t, folder(t, faultFiles())), ca)))
		c := &http.Client{Transport: Transport(r.HTTP, r.HTTPS, nil, func(string) bool { return true })}
		t.Cleanup(c.CloseIdleConnections)
		log := func() []string {
			log, err := r.Log(t.Context())
			need.OK(t, err)
			return statuses(log.Requests)
		}
		use(t, c, "http://a.test", log, func() {
			r.rw.Close()
			<-ended
		})
	})
	t.Run("local", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		out, in := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- Local(ctx, open(t, folder(t, faultFiles())), in, nil)
		}()
		line := make([]byte, 100)
		n, err := out.Read(line)
		go io.Copy(io.Discard, out)
		need.OK(t, err)
		port, _, _ := strings.Cut(strings.TrimPrefix(string(line[:n]), "http://localhost:"), "/")
		c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
		}}}
		use(t, c, "http://a.test.localhost:"+port, nil, func() {
			cancel()
			<-done
		})
		cancel()
	})
}

func TestConnectionFaults(t *testing.T) {
	ways(t, func(t *testing.T, c *http.Client, base string, log func() []string, end func()) {
		send := func(method, path string) string {
			t.Helper()
			r, err := http.NewRequest(method, base+path, nil)
			need.OK(t, err)
			a, err := c.Do(r)
			if err != nil {
				if !errors.Is(err, syscall.ECONNRESET) {
					return err.Error()
				}
				return "reset"
			}
			defer a.Body.Close()
			b, err := io.ReadAll(a.Body)
			if len(b) > 20 {
				b = fmt.Appendf(nil, "%d bytes", len(b))
			}
			out := fmt.Sprintf("%d %s", a.StatusCode, bytes.TrimSpace(b))
			if err != nil {
				out += ", " + err.Error()
			}
			return out
		}
		// The client reuses its connection. If that breaks, net/http may send the request again.
		for _, step := range [][3]string{
			{"GET", "/ok", "200 ok"},
			{"GET", "/reset", "reset"},
			{"GET", "/reset", "200 again 1"},
			{"POST", "/reset", "reset"},
			{"POST", "/reset", "201 again 1"},
			{"GET", "/cut", "404 50000 bytes, unexpected EOF"},
			{"GET", "/cut", "200 100000 bytes"},
		} {
			need.Is(t, fmt.Sprintf("%s %s", step[0], step[1]), step[2], send(step[0], step[1]))
		}
		if log != nil {
			want := []string{"/ok 200", "/reset 0", "/reset 200", "/reset 0", "/reset 201", "/cut 404", "/cut 200"}
			need.Equal(t, "log", want, log())
		}

		// Four requests get no answer: for two, the client leaves; for two, the web
		// closes. Meanwhile the web answers other requests.
		ctx, leave := context.WithCancel(t.Context())
		gone := make(chan error, 4)
		for i, path := range []string{"/hang", "/late", "/hang", "/late"} {
			at := t.Context()
			if i < 2 {
				at = ctx
			}
			go func() {
				r, _ := http.NewRequestWithContext(at, "POST", base+path, strings.NewReader("not read"))
				r.Method = "GET"
				_, err := c.Do(r)
				gone <- err
			}()
		}
		need.Until(t, "what is waited for", func() bool { return send("GET", "/waiting") == "200 4" })
		leave()
		for range 2 {
			if err := <-gone; !errors.Is(err, context.Canceled) {
				t.Errorf("client left: %v", err)
			}
		}
		if log != nil { // the server detects that the client left
			need.Until(t, "what is waited for", func() bool { return slices.Contains(log(), "/late 0") && slices.Contains(log(), "/hang 0") })
		}
		start := time.Now()
		end()
		for range 2 {
			if err := <-gone; err == nil {
				t.Error("an answer came")
			}
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("the web took %v to close", took)
		}
	})
}

// Once the client has sent the next request on a connection, net/http does not detect that
// the client leaves. Close breaks off the answer nevertheless.
func TestCloseEndsHang(t *testing.T) {
	w := open(t, folder(t, faultFiles())).NewWeb()
	ca := newTestCA(t, "a.test")
	s := serve(t, w, ca)
	c, err := net.Dial("tcp", s.HTTPAddr())
	need.OK(t, err)
	defer c.Close()
	const request = "GET /hang HTTP/1.1\r\nHost: a.test\r\n\r\n"
	fmt.Fprint(c, request)
	need.Until(t, "what is waited for", func() bool { return len(w.Log().Requests) == 1 })
	fmt.Fprint(c, request)
	// When another connection gets its answer, net/http has seen the second request.
	if _, _, err := get(t, client(t, ca, s), "http://a.test/ok"); err != nil {
		t.Fatal(err)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		need.OK(t, err)
	case <-time.After(10 * time.Second):
		t.Fatal("Close waits for an answer that hangs")
	}
}
