package containers

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
)

// endOfBrowser is the byte that the entrypoint writes between Chromium's last message and
// the exit status. No message of DevTools holds this byte: JSON escapes control characters.
const endOfBrowser = "\x04"

// maxStatus bounds the line with the exit status, in bytes. The server in the container can
// write to our pipe too, and need not end the line.
const maxStatus = 16

// browser is the Chromium of a container, as its DevTools pipe shows it.
type browser struct {
	w      *io.PipeWriter // gets the messages
	ended  chan struct{}  // closed when Chromium has ended
	status []byte         // its exit status: a line of at most maxStatus bytes. Read after ended
	over   bool           // endOfBrowser was received
}

func newBrowser() *browser { return &browser{ended: make(chan struct{})} }

// pipe makes the browser write its messages to w.
func (b *browser) pipe(w *io.PipeWriter) io.Writer {
	b.w = w
	return b
}

// Write takes what the entrypoint writes. It never fails: the container must not end if
// nobody reads the messages any more.
func (b *browser) Write(p []byte) (int, error) {
	messages, rest := p, []byte(nil)
	if b.over {
		messages, rest = nil, p
	} else {
		messages, rest, b.over = bytes.Cut(p, []byte(endOfBrowser))
	}
	if len(messages) > 0 {
		b.w.Write(messages)
	}
	if !b.over || bytes.HasSuffix(b.status, []byte("\n")) {
		return len(p), nil
	}
	line, _, ended := bytes.Cut(rest, []byte("\n"))
	b.status = append(b.status, line[:min(len(line), maxStatus-len(b.status))]...)
	if ended || len(b.status) == maxStatus {
		b.status = append(b.status, '\n')
		close(b.ended)
		b.w.Close()
	}
	return len(p), nil
}

// devTools is the pipe to Chromium. Close does not end the container's input, because that
// would end the container, and OpenChrome may outlive the browser.
type devTools struct{ pipes }

func (d devTools) Close() error { return d.stdout.Close() }

// browserEnd returns how the Chromium in the container ended. It is nil while Chromium runs,
// an [*facts.NoPage] if Chromium ended or reached our memory limit, and an
// [*session.Outage] if another SIGKILL ended it, or if the container or the connection
// with it ended.
func (c *process) browserEnd() error {
	select {
	case <-c.browser.ended:
		status := string(bytes.TrimSpace(c.browser.status))
		text := "Chromium ended: exit status " + status
		if last := c.LastLine(); last != "" {
			text += ": " + last
		}
		switch {
		case status != strconv.Itoa(killed):
			return &facts.NoPage{Why: text}
		case c.overLimit():
			return &facts.NoPage{Why: fmt.Sprintf("Chromium was killed: its container needed more memory than our limit of %d MiB (OOMKilled)", c.memory>>20)}
		}
		return &session.Outage{Err: fmt.Errorf("the browser was killed, and nobody knows by whom: exit status %s", status)}
	case <-c.cut:
		text, _ := c.fate()
		return &session.Outage{Err: fmt.Errorf("the browser is gone: %s", text)}
	default:
		return nil
	}
}
