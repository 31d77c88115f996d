package web

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/openchrome/bench/harness/internal/web/route"
)

// wait waits for the answer's delay. If the client leaves or the web closes first, the
// answer is never sent. An answer that is never sent has status 0.
func (a *reply) wait(r *http.Request) {
	if a.fault == route.Reset || a.fault == route.Hang {
		a.status = 0
	}
	if a.delay == 0 {
		return
	}
	readBody(r)
	timer := time.NewTimer(a.delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		a.status, a.fault = 0, route.Reset
	}
}

// breakOff ends the request without an answer, or without the rest of the answer.
func (a *reply) breakOff(rw http.ResponseWriter, r *http.Request) {
	switch a.fault {
	case route.Hang:
		readBody(r)
		<-r.Context().Done()
	case route.Reset:
		// If a connection breaks before the first byte, browsers and net/http repeat the
		// request, provided that they reuse the connection or opened it in advance, as
		// Chromium does for each page. An interim response prevents the repetition.
		rw.WriteHeader(http.StatusProcessing)
		if c, _, err := http.NewResponseController(rw).Hijack(); err == nil {
			Reset(c)
		}
	}
	panic(http.ErrAbortHandler)
}

// Reset resets a connection below TLS. A reset leaves no TIME_WAIT entry. Hundreds of them
// per second would use up the ports. Unlike closing a TLS connection, a reset never waits
// for the other side.
func Reset(c net.Conn) {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if t, ok := c.(*net.TCPConn); ok {
		t.SetLinger(0)
	}
	c.Close()
}

// readBody reads the rest of the body. Until this is done, net/http does not detect that
// the client leaves.
func readBody(r *http.Request) { io.CopyN(io.Discard, r.Body, maxBody) }
