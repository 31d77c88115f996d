// Package serve serves a fixture web, and reaches it.
//
//  1. [Listen] serves a [web.Web] over http and https on its own listeners. A [CA] made for
//     the run signs the certificates of the hosts.
//  2. [AsRemote] does the same in a container, in the static binary cmd/web; [Remote] is the
//     other end of its stdin and stdout.
//  3. [Local] shows all hosts to a person on one localhost address.
//  4. [Transport] is for a client of a fixture web that is written in Go.
//
// The package decides no answer; package web does.
package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/internal/web"
)

// ListenOptions says where to listen; "" is 127.0.0.1 on a free port.
type ListenOptions struct {
	HTTP  string // host:port
	HTTPS string
}

// A Server serves one Web over http and https on its own listeners.
type Server struct {
	http, https net.Listener
	srv         *http.Server
	end         context.CancelFunc // breaks off the answers that wait
	serving     sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	open  sync.WaitGroup // counts conns
}

// Listen serves w until the caller closes the Server.
func Listen(w *web.Web, ca *CA, o ListenOptions) (*Server, error) {
	http, err := listen(o.HTTP)
	if err != nil {
		return nil, fmt.Errorf("fixture web: %w", err)
	}
	https, err := listen(o.HTTPS)
	if err != nil {
		http.Close()
		return nil, fmt.Errorf("fixture web: %w", err)
	}
	return On(w, ca, http, https), nil
}

// On serves w on the listeners, which it owns, until the caller closes the Server.
func On(w *web.Web, ca *CA, http, https net.Listener) *Server {
	s := &Server{http: http, https: https, conns: make(map[net.Conn]struct{})}
	var ctx context.Context
	ctx, s.end = context.WithCancel(context.Background())
	s.srv = newHTTPServer(ctx, w)
	s.srv.ConnState = s.track
	s.serving.Go(func() { s.srv.Serve(s.http) })
	s.serving.Go(func() { s.srv.Serve(tls.NewListener(s.https, ca.TLSConfig(w.Set()))) })
	return s
}

func listen(addr string) (net.Listener, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	// Keep-alive probes and MPTCP cost system calls and have no use here.
	lc := net.ListenConfig{KeepAlive: -1}
	lc.SetMultipathTCP(false)
	return lc.Listen(context.Background(), "tcp", addr)
}

// newHTTPServer returns a server with bounds against hostile pages.
// It logs nothing, because the client reports errors of a connection. When ctx is done,
// it breaks off the answers that wait.
func newHTTPServer(ctx context.Context, h http.Handler) *http.Server {
	srv := &http.Server{
		Handler:                      h,
		ReadHeaderTimeout:            time.Minute,
		MaxHeaderBytes:               32 << 10,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0),
		Protocols:                    new(http.Protocols),
		BaseContext:                  func(net.Listener) context.Context { return ctx },
	}
	srv.Protocols.SetHTTP1(true)
	return srv
}

// HTTPAddr returns the address of the http listener as host:port.
func (s *Server) HTTPAddr() string { return s.http.Addr().String() }

// HTTPSAddr returns the address of the https listener as host:port.
func (s *Server) HTTPSAddr() string { return s.https.Addr().String() }

// Close stops listening, cuts every connection and waits until all goroutines have ended, but those of open
// WebSockets, which end at once. A second Close does nothing.
func (s *Server) Close() error {
	s.end()
	s.cutAll()
	err := s.srv.Close()
	s.serving.Wait()
	// srv.Close may have missed a connection that was accepted at the same moment.
	s.cutAll()
	s.open.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (s *Server) cutAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		web.Reset(c)
	}
}

func (s *Server) track(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.conns[c] = struct{}{}
		s.open.Add(1)
	case http.StateClosed, http.StateHijacked: // a web resets the connections that it hijacks, or ends them with ctx
		delete(s.conns, c)
		s.open.Done()
	}
}
