//go:build unix

package agent

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
)

// pipes is a listener of connections in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error { return nil }

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// An agent has a few connections, and each request comes within some seconds. So it takes no files
// from other episodes, and little memory.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := make(pipes)
		rv := newRendezvous(nil)
		rv.list()
		e := serve(l, 1, "t0ken", rv)
		const head = "POST /mcp HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer t0ken\r\nContent-Length: %d\r\n\r\n"
		var served, ended atomic.Int32
		for range 200 {
			theirs, ours := net.Pipe()
			go func() {
				l <- ours
				served.Add(1)
				fmt.Fprintf(theirs, head+"{", maxRequest)
				io.Copy(io.Discard, theirs)
				ended.Add(1)
			}()
		}
		synctest.Wait()
		if n := served.Load(); n != 16 {
			t.Errorf("%d connections are served at a time", n)
		}
		time.Sleep(readTimeout + time.Second)
		synctest.Wait()
		if n := served.Load(); n != 32 {
			t.Errorf("after the time of a request %d connections were served", n)
		}
		time.Sleep(200 / 16 * (readTimeout + time.Second))
		synctest.Wait()
		if n := ended.Load(); n != 200 {
			t.Errorf("%d unfinished requests ended", n)
		}

		// A call takes as long as it does.
		theirs, ours := net.Pipe()
		l <- ours
		body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
		go fmt.Fprintf(theirs, head+"%s", len(body), body)
		c := <-rv.calls
		rv.take(c, 0)
		time.Sleep(10 * readTimeout)
		rv.deliver(adapter.State{Steps: []adapter.Step{{Call: c.Call, Result: text("done")}}})
		r, err := http.ReadResponse(bufio.NewReader(theirs), nil)
		need.OK(t, err)
		if got, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(got), "done") {
			t.Errorf("got %s, %v", got, err)
		}
		theirs.Close()
		close(l)
		e.close()
	})
}
