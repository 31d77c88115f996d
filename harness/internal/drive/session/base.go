package session

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"sync"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

// Base is a session whose parts were all started by this process: the web, and the server
// (in this process, as a child or in a container). Launchers make one with [NewBase] and
// connect it with [Base.Connect]. If that returns an error, they close it.
type Base struct {
	*Client
	About record.Server // what Identity returns
	log   AccessLog
	// Drawing and Putting implement Draw and PutFiles of [Session]. Without them, the session
	// cannot show values, and not upload files.
	Drawing func(context.Context, web.Draw) error
	Putting func(context.Context, map[string][]byte) (map[string]string, error)
	Process Process // nil: the server runs in this process
	Temp    string  // the folder of its programs' files; "" if that is not on this machine's disk
	ended   context.CancelCauseFunc
	Life    context.Context
	Cleanup []func() error // run by Close, last first
	close   func() error
}

// AccessLog reads the access log of the fixture web.
type AccessLog func(ctx context.Context, why bool) (web.Log, error)

// Process is the process of a session's server.
type Process interface {
	// Explain says what happened to the process, after err ended the connection.
	Explain(err error) error
	// LastLine returns its last line on stderr, as [Tail.LastLine] does.
	LastLine() string
}

// ErrClosed is the error of calls to a session after its Close.
var ErrClosed = errors.New("the session is closed")

// ErrLiveWeb is the error of [Session]'s Requests on the live web.
var ErrLiveWeb = errors.New("requests to the live web are not recorded")

// NewBase returns a session that runs the cleanups when it closes, the last one
// first. Without a log the session is on the live web, where nobody records requests.
func NewBase(server record.Server, log AccessLog, cleanup ...func() error) *Base {
	s := &Base{About: server, log: log, Cleanup: cleanup}
	s.Life, s.ended = context.WithCancelCause(context.Background())
	s.close = sync.OnceValue(func() error {
		s.ended(ErrClosed)
		var errs []error
		for i := len(s.Cleanup) - 1; i >= 0; i-- {
			errs = append(errs, s.Cleanup[i]())
		}
		return errors.Join(errs...)
	})
	return s
}

// Connect does the handshake over t with server, which is nil if the server is not a
// separate process. If ctx or the server ended, the error includes the server's last line.
func (s *Base) Connect(ctx context.Context, t transport.Interface, server Process) error {
	s.Process = server
	c, err := Connect(ctx, t)
	if err != nil {
		if ctx.Err() != nil && server != nil {
			return Saying(err, server.LastLine())
		}
		return s.because(ctx, err)
	}
	s.Client, s.About = c, c.Identify(s.About)
	// The transport's error says that the server was gone already.
	s.Cleanup = append(s.Cleanup, func() error { c.Close(); return nil })
	return nil
}

// because returns err. But if err means that the server closed its stream, because returns
// the server's fate instead, unless ctx ends first.
func (s *Base) because(ctx context.Context, err error) error {
	_, pipe := errors.AsType[*fs.PathError](err)
	_, socket := errors.AsType[*net.OpError](err)
	if s.Process == nil || !pipe && !socket && !errors.Is(err, transport.ErrTransportClosed) {
		return err
	}
	said := make(chan error, 1)
	go func() { said <- s.Process.Explain(err) }() // in a goroutine, because Explain waits a moment for the process to end
	select {
	case err = <-said:
	case <-ctx.Done():
	}
	return err
}

// Identity implements [Session].
func (s *Base) Identity() record.Server { return s.About }

// Call implements [Session].
func (s *Base) Call(ctx context.Context, c adapter.Call) (adapter.Result, error) {
	if s.Life.Err() != nil {
		return adapter.Result{}, &Error{c.Tool, ErrClosed}
	}
	r, err := s.Client.Call(ctx, c)
	if s.Life.Err() != nil && ctx.Err() == nil { // even after an answer, because a server may answer while it ends
		return adapter.Result{}, &Error{c.Tool, ErrClosed}
	}
	if e, ok := errors.AsType[*Error](err); ok {
		e.Err = s.because(ctx, e.Err)
	}
	return r, err
}

// Ping implements [Session]. If the server is gone, the error is an [*Error].
func (s *Base) Ping(ctx context.Context) error {
	err := s.Client.Ping(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &Error{"ping", s.because(ctx, err)}
}

// Draw implements [Session].
func (s *Base) Draw(ctx context.Context, d web.Draw) error {
	switch {
	case len(d.Hosts) == 0:
		return nil
	case s.Drawing == nil:
		return errors.New("the pages of this task show drawn values, and the harness does not serve the web of this server; choose another task or server")
	}
	return s.Drawing(ctx, d)
}

// PutFiles implements [Session].
func (s *Base) PutFiles(ctx context.Context, files map[string][]byte) (map[string]string, error) {
	if s.Putting == nil {
		return nil, errors.New("this task uploads files, and the harness has no folder that this server can read; choose another task, or -server=local or container")
	}
	return s.Putting(ctx, files)
}

// Requests implements [Session].
func (s *Base) Requests(ctx context.Context) (web.Log, error) { return s.readLog(ctx, false) }

// Why implements [Session].
func (s *Base) Why(ctx context.Context) (web.Log, error) { return s.readLog(ctx, true) }

func (s *Base) readLog(ctx context.Context, why bool) (web.Log, error) {
	switch {
	case s.log == nil:
		return web.Log{}, ErrLiveWeb
	case s.Life.Err() != nil:
		return web.Log{}, ErrClosed
	}
	return s.log(ctx, why)
}

// Outage implements [Session].
func (s *Base) Outage(ctx context.Context) error {
	if _, err := s.Requests(ctx); err != nil {
		if outage, ok := errors.AsType[*Outage](err); ok {
			return outage
		}
	}
	if s.Temp == "" {
		return nil
	}
	return fullDisk(s.Temp)
}

// Close implements [Session]. It returns after all cleanups; a second Close returns
// the same error.
func (s *Base) Close() error { return s.close() }
