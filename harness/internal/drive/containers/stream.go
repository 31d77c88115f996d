package containers

import (
	"io"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/client"

	"github.com/openchrome/bench/harness/internal/drive/session"
)

// stream is the connection with a program in a container.
type stream struct {
	conn   client.HijackedResponse
	stdout *io.PipeReader
	stderr session.Tail

	cut    chan struct{} // closed when the stream from the program has ended
	broken error         // the stream's error; nil after a normal end. Read it only after cut is closed
}

// open begins to read from conn. The program's output goes to s.stdout, through filter
// unless that is nil.
func (s *stream) open(conn client.HijackedResponse, filter func(*io.PipeWriter) io.Writer) {
	s.conn, s.cut = conn, make(chan struct{})
	stdout, w := io.Pipe()
	s.stdout = stdout
	var out io.Writer = w
	if filter != nil {
		out = filter(w)
	}
	go func() {
		_, s.broken = stdcopy.StdCopy(out, &s.stderr, s.conn.Reader)
		close(s.cut)
		w.Close() // a normal end, even if the stream broke: Explain has the error
		s.conn.Close()
	}()
}

func (s *stream) close() {
	if s.stdout != nil {
		s.stdout.CloseWithError(session.ErrClosed)
		s.conn.Close()
	}
}

func (s *stream) isCut() bool {
	select {
	case <-s.cut:
		return true
	default:
		return false
	}
}

func (s *stream) isBroken() bool { return s.isCut() && s.broken != nil }

// LastLine implements [session.Process].
func (s *stream) LastLine() string { return s.stderr.LastLine() }

// stdin writes to the program; Close ends the program's input.
type stdin struct{ *stream }

func (s stdin) Write(p []byte) (int, error) { return s.conn.Conn.Write(p) }
func (s stdin) Close() error                { return s.conn.CloseWrite() }

// pipes are both ends of the program, for a protocol that closes them as one.
type pipes struct{ *stream }

func (p pipes) Read(b []byte) (int, error)  { return p.stdout.Read(b) }
func (p pipes) Write(b []byte) (int, error) { return p.conn.Conn.Write(b) }
func (p pipes) Close() error {
	p.stdout.Close()
	return p.conn.CloseWrite()
}
