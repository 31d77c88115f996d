package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/adapter"
)

// MaxAnswer is the size in bytes of the largest answer that we accept from a server. It
// applies to every transport and to the whole message after decompression. A call with a
// larger answer gets a JSON-RPC error instead. A model could not read it anyway: it has two million
// tokens. Reading it takes up to 30 times as much memory.
const MaxAnswer = 8 << 20

var ErrTooLarge = fmt.Errorf("the answer is larger than %d MiB", MaxAnswer>>20)

// serverError is the first of JSON-RPC's codes for errors that a server defines.
const serverError = -32000

// tooLarge is the answer to the request with this id if the real answer is too large.
func tooLarge(id mcp.RequestId) *transport.JSONRPCResponse {
	return &transport.JSONRPCResponse{
		JSONRPC: mcp.JSONRPC_VERSION, ID: id,
		Error: &mcp.JSONRPCErrorDetails{Code: serverError, Message: ErrTooLarge.Error()},
	}
}

// IsTooLarge reports whether a call got the error of an answer that is too large.
func IsTooLarge(r adapter.Result) bool {
	return r.RPCError != nil && r.RPCError.Message == ErrTooLarge.Error()
}

// LimitLines returns a reader of the messages of r, one per line. An answer of more than
// [MaxAnswer] bytes is skipped and replaced by an error answer to the same request. Any
// other message of that size is dropped. An answer whose id is not near its beginning or
// end is dropped too. Its call then waits until its context ends.
func LimitLines(r io.Reader) io.Reader {
	return bufio.NewReaderSize(&limitLines{r: bufio.NewReaderSize(r, lineBuffer)}, lineBuffer)
}

const (
	lineBuffer = 64 << 10 // the capacity of a pipe
	headSize   = 4 << 10  // bytes that are kept of a line that is too large
	endSize    = 512
)

type limitLines struct {
	r     *bufio.Reader
	parts [][]byte // the parts of a complete line
}

func (l *limitLines) Read(p []byte) (int, error) {
	for len(l.parts) == 0 {
		if err := l.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, l.parts[0])
	if l.parts[0] = l.parts[0][n:]; len(l.parts[0]) == 0 {
		l.parts = l.parts[1:]
	}
	return n, nil
}

// next reads one line. Text after the last newline is not a message.
func (l *limitLines) next() error {
	var parts [][]byte
	var end []byte // the last endSize bytes or more of a line that is too large
	for size := 0; ; {
		part, err := l.r.ReadSlice('\n')
		if size += len(part); size <= MaxAnswer {
			parts = append(parts, bytes.Clone(part))
		} else {
			if end == nil {
				end = parts[len(parts)-1]
			}
			end = slices.Concat(end[max(0, len(end)-endSize):], part[max(0, len(part)-endSize):])
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil:
			return err
		case end == nil:
			l.parts = parts
		default:
			if id, ok := AnswerID(parts[0][:headSize], end); ok {
				line, err := json.Marshal(tooLarge(id))
				l.parts = [][]byte{append(line, '\n')}
				return err
			}
		}
		return nil
	}
}

// In a valid message, answerHead matches the text before the result, with the id if that
// comes first. answerEnd matches the id if it is the last member, or the last before the
// version, and then the closing brace of the message.
const (
	idMember      = `"id"\s*:\s*(-?[0-9]+|"[^"\\]*")\s*`
	versionMember = `"jsonrpc"\s*:\s*"2\.0"\s*`
)

var (
	answerHead = regexp.MustCompile(`^\s*\{\s*(?:` + versionMember + `,\s*)?(?:` + idMember + `,\s*)?(?:` + versionMember + `,\s*)?"(?:result|error)"\s*:`)
	answerEnd  = regexp.MustCompile(`[{,]\s*` + idMember + `(?:,\s*` + versionMember + `)?\}\s*$`)
)

// AnswerID returns the id of the request that a message with this head and this end
// answers, and whether there is one.
func AnswerID(head, end []byte) (id mcp.RequestId, ok bool) {
	m := answerHead.FindSubmatch(head)
	if m != nil && m[1] == nil {
		m = answerEnd.FindSubmatch(end)
	}
	return id, m != nil && json.Unmarshal(m[1], &id) == nil
}

// overKey is the key of an atomic.Bool in the context of an HTTP request. It is
// set when an answer to the request is too large.
type overKey struct{}

// A limitedBody is an HTTP body: one answer, or a stream of events with one. Reading ends with
// [ErrTooLarge] after [MaxAnswer] bytes.
type limitedBody struct {
	io.ReadCloser
	over *atomic.Bool // may be nil
	left int
}

// LimitBody bounds the body of the answer to a request with this context.
func LimitBody(ctx context.Context, r *http.Response) {
	over, _ := ctx.Value(overKey{}).(*atomic.Bool)
	r.Body = &limitedBody{r.Body, over, MaxAnswer}
}

func (b *limitedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.left -= n; b.left >= 0 {
		return n, err
	}
	if b.over != nil {
		b.over.Store(true)
	}
	return 0, ErrTooLarge
}
