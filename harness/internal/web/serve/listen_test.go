package serve

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
)

// dialTo leads connections to port 80 and 443 of any host to s.
func dialTo(s *Server) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		to := s.HTTPAddr()
		if strings.HasSuffix(addr, ":443") {
			to = s.HTTPSAddr()
		}
		var d net.Dialer
		return d.DialContext(ctx, network, to)
	}
}

func serve(t testing.TB, w *web.Web, ca *CA) *Server {
	t.Helper()
	s, err := Listen(w, ca, ListenOptions{})
	need.OK(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestListen(t *testing.T) {
	w := open(t).NewWeb()
	ca := newTestCA(t)
	c := client(t, ca, serve(t, w, ca))
	for _, scheme := range []string{"http", "https"} {
		r, err := c.Get(scheme + "://example.com/more?q")
		need.OK(t, err)
		io.Copy(io.Discard, r.Body)
		r.Body.Close()
		r.Header.Del("Content-Length")
		want := http.Header{
			"Cache-Control":          {"no-store"},
			"Content-Type":           {"text/html; charset=utf-8"},
			"X-Content-Type-Options": {"nosniff"},
		}
		if diff := cmp.Diff(want, r.Header); diff != "" || r.StatusCode != 200 {
			t.Errorf("%s: status %d, header (-want +got):\n%s", scheme, r.StatusCode, diff)
		}
	}
	var got []string
	for _, r := range w.Log().Requests {
		got = append(got, r.URL)
	}
	need.Equal(t, "log", []string{"http://example.com/more?q", "https://example.com/more?q"}, got)
	if status, _, err := get(t, c, "http://other.test/"); status != 421 || err != nil {
		t.Errorf("http://other.test/ = %d, %v, want 421", status, err)
	}
}

func TestListenFaults(t *testing.T) {
	s := open(t)
	ca := newTestCA(t)
	taken := serve(t, s.NewWeb(), ca)
	for _, o := range []ListenOptions{{HTTP: taken.HTTPAddr()}, {HTTPS: taken.HTTPAddr()}, {HTTP: "nonsense"}} {
		srv, err := Listen(s.NewWeb(), ca, o)
		if err == nil {
			srv.Close()
			t.Errorf("%+v: no error", o)
		} else if !strings.HasPrefix(err.Error(), "fixture web: ") {
			t.Errorf("%+v: %v, want an error that begins with fixture web", o, err)
		}
	}
}

// Close ends connections in every state, at once, and leaves nothing behind.
func TestClose(t *testing.T) {
	s := open(t)
	ca := newTestCA(t)
	before := runtime.NumGoroutine()
	for range 20 {
		srv := serve(t, s.NewWeb(), ca)
		var conns []net.Conn
		dial := func(addr, send string) net.Conn {
			c, err := net.Dial("tcp", addr)
			need.OK(t, err)
			fmt.Fprint(c, send)
			conns = append(conns, c)
			return c
		}
		dial(srv.HTTPAddr(), "")  // new
		dial(srv.HTTPSAddr(), "") // in the middle of a handshake
		dial(srv.HTTPAddr(), "POST /contact HTTP/1.1\r\nHost: forms.test\r\nContent-Length: 9\r\n\r\nname=")
		idle := dial(srv.HTTPAddr(), "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
		r, err := http.ReadResponse(bufio.NewReader(idle), nil)
		need.OK(t, err)
		r.Body.Close()
		secure := tls.Client(dial(srv.HTTPSAddr(), ""), &tls.Config{ServerName: "example.com", InsecureSkipVerify: true})
		need.OK(t, secure.Handshake())
		start := time.Now()
		need.OK(t, srv.Close())
		if took := time.Since(start); took > 50*time.Second {
			t.Errorf("Close took %v", took)
		}
		need.OK(t, srv.Close())
		for _, c := range conns {
			c.SetReadDeadline(time.Now().Add(5 * time.Second))
			if _, err := io.Copy(io.Discard, c); err != nil && strings.Contains(err.Error(), "timeout") {
				t.Error("a connection outlived Close")
			}
			c.Close()
		}
		if c, err := net.Dial("tcp", srv.HTTPAddr()); err == nil {
			c.Close()
			t.Error("still listening after Close")
		}
	}
	// Close waits for connections; what net/http does after saying that one is
	// closed is a few instructions.
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		runtime.Gosched()
	}
	if n := runtime.NumGoroutine(); n > before {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before\n%s", n, before, buf[:runtime.Stack(buf, true)])
	}
}

// Close while clients are connecting does not hang.
func TestCloseUnderLoad(t *testing.T) {
	s := open(t)
	ca := newTestCA(t)
	for range 30 {
		srv := serve(t, s.NewWeb(), ca)
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 5 {
					c, err := net.Dial("tcp", srv.HTTPAddr())
					if err != nil {
						return
					}
					fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
					c.Close()
				}
			})
		}
		srv.Close()
		wg.Wait()
	}
}
