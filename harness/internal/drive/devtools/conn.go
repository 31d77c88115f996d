// Package devtools is one connection to a Chromium, over a pipe: it sends commands, matches
// answers by id and session, and hands on events. It knows nothing of pages.
package devtools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/cdp"
	json "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
)

// maxMessage is the size in bytes of the largest message that we accept from the browser.
const maxMessage = 64 << 20

// What ends a call without an answer.
var (
	// ErrGone says that the connection with the browser has ended.
	ErrGone = errors.New("the browser has ended")
	// ErrTooLarge says that the answer is larger than 64 MiB. It was dropped.
	ErrTooLarge = fmt.Errorf("the browser's answer is larger than %d MiB", maxMessage>>20)
)

// Conn is our end of Chromium's DevTools pipe. One goroutine reads; it calls handle with
// each event, and handle must be quick. Another goroutine writes, so that a browser that
// does not read cannot delay callers for longer than their contexts allow.
type Conn struct {
	pipe   io.ReadWriter
	Close  func() error // may be called several times
	handle func(session target.SessionID, method string, params json.Value)
	out    chan []byte
	Done   chan struct{} // closed at the end of the pipe
	lastID atomic.Int64

	mu      sync.Mutex
	waiting map[int64]caller
}

type caller struct {
	session target.SessionID
	answer  chan message // has room for one
}

// message is an answer or an event. The error is not decoded, because Chromium may add
// fields to it.
type message struct {
	ID        int64            `json:"id"`
	SessionID target.SessionID `json:"sessionId"`
	Method    string           `json:"method"`
	Params    json.Value       `json:"params"`
	Result    json.Value       `json:"result"`
	Error     *ProtocolError   `json:"error"`

	tooLarge bool // the browser's answer was dropped
}

// A ProtocolError is an error answer of the browser.
type ProtocolError struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (e *ProtocolError) Error() string { return e.Message }

// NewConn returns a connection over pipe, which it owns. Call [Conn.Start] once.
func NewConn(pipe io.ReadWriteCloser, handle func(target.SessionID, string, json.Value)) *Conn {
	return &Conn{
		pipe: pipe, Close: sync.OnceValue(pipe.Close), handle: handle,
		out: make(chan []byte), Done: make(chan struct{}), waiting: map[int64]caller{},
	}
}

// Start begins to read and to write.
func (c *Conn) Start() {
	go c.read()
	go c.write()
}

func (c *Conn) write() {
	for {
		select {
		case raw := <-c.out:
			if _, err := c.pipe.Write(raw); err != nil {
				c.Close() // the reader ends too
				return
			}
		case <-c.Done:
			return
		}
	}
}

func (c *Conn) read() {
	defer close(c.Done)
	defer c.Close()
	r := bufio.NewReaderSize(c.pipe, 64<<10)
	for {
		m, err := readMessage(r)
		switch {
		case err != nil:
			return
		case m.ID != 0:
			c.answered(m)
		case m.Method != "":
			c.handle(m.SessionID, m.Method, m.Params)
		}
	}
}

// Waiting returns how many calls wait for an answer.
func (c *Conn) Waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// answered gives an answer to the caller who waits for it. An answer with the caller's id
// but for another session is not his.
func (c *Conn) answered(m message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, ok := c.waiting[m.ID]
	his := m.SessionID == w.session ||
		m.SessionID == "" && m.Error != nil || // there is no such session any more
		m.tooLarge // the session follows the result
	if ok && his {
		delete(c.waiting, m.ID)
		w.answer <- m
	}
}

// readMessage returns the next message. A message that is larger than [maxMessage] is
// skipped; if it is an answer, its id is returned with tooLarge set. Data that is not a
// message becomes an empty message, which is ignored.
func readMessage(r *bufio.Reader) (message, error) {
	var m message
	raw, large, err := readRaw(r, maxMessage)
	switch {
	case err != nil:
		return m, err
	case large:
		return message{ID: idOf(raw), tooLarge: true}, nil
	case Unmarshal(raw, &m) != nil:
		return message{}, nil
	}
	return m, nil
}

// readRaw reads up to the next zero byte. If the message is larger than max, it returns
// only the beginning.
func readRaw(r *bufio.Reader, max int) (raw []byte, large bool, err error) {
	for {
		part, err := r.ReadSlice(0)
		if err != nil && err != bufio.ErrBufferFull {
			return nil, false, err // without a zero byte the message is incomplete
		}
		part = bytes.TrimSuffix(part, []byte{0})
		if !large {
			raw = append(raw, part...)
		}
		if len(raw) > max {
			large = true
			raw = bytes.Clone(raw[:min(len(raw), maxHead)]) // free the memory of the rest
		}
		if err == nil {
			return raw, large, nil
		}
	}
}

// maxHead is how many bytes are kept of a message that is too large.
const maxHead = 64

// idOf reads the id of an answer from its first bytes. Chromium writes the id first.
func idOf(head []byte) int64 {
	m := leadingID.FindSubmatch(head)
	if m == nil {
		return 0
	}
	id, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return id
}

var leadingID = regexp.MustCompile(`^\{"id":([0-9]+)`)

// Unmarshal reads Chromium's JSON. A string from a page may hold half a surrogate pair,
// which becomes U+FFFD.
func Unmarshal(raw []byte, v any) error { return json.Unmarshal(raw, v, json.AllowInvalidUTF8(true)) }

// Session is one target's end of a connection; the zero id is the browser's.
type Session struct {
	*Conn
	ID target.SessionID
}

// Call runs a command and waits for its answer. The error is a [*ProtocolError] if the
// browser answered with an error. Otherwise it is [ErrTooLarge], [ErrGone] or the error of
// ctx.
func Call[P, R any](ctx context.Context, s Session, c cdp.Command[P, R], params P) (R, error) {
	var result R
	err := s.Call(ctx, c.Method, params, &result)
	return result, err
}

// Call is the function [Call] for a command by its name. It reads the answer into result.
func (s Session) Call(ctx context.Context, method string, params, result any) error {
	answer := make(chan message, 1)
	id := s.lastID.Add(1)
	s.mu.Lock()
	s.waiting[id] = caller{s.ID, answer}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
	}()
	if err := s.send(ctx, id, method, params); err != nil {
		return err
	}
	select {
	case m := <-answer:
		switch {
		case m.tooLarge:
			return ErrTooLarge
		case m.Error != nil:
			return m.Error
		}
		if err := Unmarshal(m.Result, result); err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		return nil
	case <-s.Done:
		return ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Tell sends a command and does not wait for its answer.
func Tell[P, R any](s Session, c cdp.Command[P, R], params P) {
	s.send(context.Background(), s.lastID.Add(1), c.Method, params)
}

func (s Session) send(ctx context.Context, id int64, method string, params any) error {
	raw, err := json.Marshal(struct {
		ID        int64            `json:"id"`
		SessionID target.SessionID `json:"sessionId,omitzero"`
		Method    string           `json:"method"`
		Params    any              `json:"params"`
	}{id, s.ID, method, params})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case s.out <- append(raw, 0):
		return nil
	case <-s.Done:
		return ErrGone
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
