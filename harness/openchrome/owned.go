package openchrome

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/event"
)

// owned is a session of which everything was started by this process: the
// server, in it or as a child, and the web.
type owned struct {
	*Client
	*web
	subject event.Subject
	server  *process // nil: in this process
	ended   context.CancelCauseFunc
	life    context.Context
	cleanup []func() error // run by Close, last first
	close   func() error
}

var errClosed = errors.New("the session is closed")

// newOwned takes over what the cleanups end.
func newOwned(subject event.Subject, w *web, cleanup ...func() error) *owned {
	s := &owned{web: w, subject: subject, cleanup: append([]func() error{w.Close}, cleanup...)}
	s.life, s.ended = context.WithCancelCause(context.Background())
	s.close = sync.OnceValue(func() error {
		s.ended(errClosed)
		var errs []error
		for i := len(s.cleanup) - 1; i >= 0; i-- {
			errs = append(errs, s.cleanup[i]())
		}
		return errors.Join(errs...)
	})
	return s
}

// connect does the handshake over t. After an error the session is to be
// closed.
func (s *owned) connect(ctx context.Context, t transport.Interface) error {
	c, err := Connect(ctx, t)
	if err != nil {
		if ctx.Err() != nil && s.server != nil && s.server.stderr.lastLine() != "" {
			return fmt.Errorf("%w; the last it said: %s", err, s.server.stderr.lastLine())
		}
		return s.because(err)
	}
	s.Client, s.subject = c, c.Identify(s.subject)
	// The transport's error says that the server was gone already.
	s.cleanup = append(s.cleanup, func() error { c.Close(); return nil })
	return nil
}

// because says what became of the server, if err is that of a stream that it
// closed.
func (s *owned) because(err error) error {
	_, broken := errors.AsType[*fs.PathError](err)
	if s.server == nil || !broken && !errors.Is(err, transport.ErrTransportClosed) {
		return err
	}
	return s.server.explain(err)
}

// Subject implements [Session].
func (s *owned) Subject() event.Subject { return s.subject }

// Call implements [Session].
func (s *owned) Call(ctx context.Context, c event.Call) (event.Result, error) {
	if s.life.Err() != nil {
		return event.Result{}, &Error{c.Tool, errClosed}
	}
	r, err := s.Client.Call(ctx, c)
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
	case s.life.Err() != nil:
		e.Err = errClosed
	default:
		e.Err = s.because(e.Err)
	}
	return r, err
}

// Close implements [Session]. It takes at most 2 s; closing again does nothing.
func (s *owned) Close() error { return s.close() }
