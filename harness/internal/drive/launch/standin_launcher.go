package launch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/standin"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// StandinOptions configure [NewStandin]. Sites and CA are required, because the stand-in
// cannot use the live web.
type StandinOptions struct {
	Sites   *web.Set
	CA      *serve.CA
	Latency time.Duration // added to each tool call
}

// NewStandin returns a launcher of stand-ins in this process, each with its own browser and
// fixture web.
func NewStandin(o StandinOptions) (session.Launcher, error) {
	if o.Sites == nil || o.CA == nil {
		return nil, errors.New("the stand-in cannot use the live web; use -web=hermetic")
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(o.CA.PEM())
	return &standinLauncher{StandinOptions: o, roots: roots, tickets: tls.NewLRUClientSessionCache(0)}, nil
}

type standinLauncher struct {
	plain
	StandinOptions
	roots *x509.CertPool
	// Shared by all sessions, because a full TLS handshake would be a sixth of the work of
	// a short episode. No page can see the difference.
	tickets tls.ClientSessionCache
}

// Launch implements [session.Launcher].
func (l *standinLauncher) Launch(ctx context.Context) (session.Session, error) {
	w, err := newWeb(l.Sites, l.CA, false, nil)
	if err != nil {
		return nil, err
	}
	rt := serve.Transport(w.server.HTTPAddr(), w.server.HTTPSAddr(), l.roots, l.Sites.Has)
	rt.TLSClientConfig.ClientSessionCache = l.tickets
	server := standin.New(standin.Options{Transport: rt, Latency: l.Latency})
	s := session.NewBase(record.Server{Isolation: "fresh"}, w.log(), w.Close, func() error {
		rt.CloseIdleConnections()
		return nil
	})
	s.Drawing = w.draw()
	if err := s.Connect(ctx, inProcess{transport.NewInProcessTransport(server.MCP()), s.Life}, nil); err != nil {
		return nil, fmt.Errorf("stand-in: %w", errors.Join(err, s.Close()))
	}
	return s, nil
}

// inProcess ends running calls when the session ends. If a call's context ends, it returns
// the context's error. mcp-go v1.2.1 returns an answer instead, which looks like an answer
// from the server. This can go when SendRequest returns the context's error.
type inProcess struct {
	*transport.InProcessTransport
	life context.Context
}

// SendRequest implements [transport.Interface].
func (t inProcess) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(t.life, func() { cancel(session.ErrClosed) })()
	response, err := t.InProcessTransport.SendRequest(ctx, r)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return response, err
}
