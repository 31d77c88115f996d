package sites

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// The faults of a connection, instead of a whole answer.
const (
	faultReset = "reset" // the connection breaks before the first byte
	faultCut   = "cut"   // it ends after half of the body
	faultHang  = "hang"  // nothing comes until the client leaves or the web closes
)

var connectionFaults = []string{faultCut, faultHang, faultReset}

// maxDelay bounds "delayMs".
const maxDelay = time.Minute

type connKey struct{}

// withConn lets a handler reach its connection. A server without it cannot reset
// connections, only close them.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// wait waits for the answer's delay. If the client leaves or the web closes first,
// the answer has status 0 and is never sent.
func (a *reply) wait(r *http.Request) {
	if a.fault == faultReset || a.fault == faultHang {
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
		a.status, a.fault = 0, faultReset
	}
}

// breakOff ends the request without an answer, or without the rest of one.
func (a *reply) breakOff(rw http.ResponseWriter, r *http.Request) {
	switch a.fault {
	case faultHang:
		readBody(r)
		<-r.Context().Done()
	case faultReset:
		// Browsers and net/http send a request again by themselves if a used or
		// spare connection breaks before any byte. Chromium uses a spare one for each
		// page that it opens. An interim response keeps them from that.
		rw.WriteHeader(http.StatusProcessing)
		if c, ok := r.Context().Value(connKey{}).(net.Conn); ok {
			cut(c)
		}
	}
	panic(http.ErrAbortHandler)
}

// readBody reads the rest of a body. Only then does net/http see that a client
// leaves.
func readBody(r *http.Request) { io.CopyN(io.Discard, r.Body, maxBody) }
