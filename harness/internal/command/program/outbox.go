package program

import (
	"context"
	"io"
	"sync"
	"time"
)

// An outbox writes texts in the background, in order. A reader that pauses (less,
// Ctrl-S, a slow log) must not delay an episode, whose clock is running.
type outbox struct {
	mu     sync.Mutex
	more   *sync.Cond // there is a text, or the outbox was closed
	todo   []letter
	closed bool
	done   chan struct{}
}

type letter struct {
	to     io.Writer
	text   string
	failed func() // called after a failed write; may be nil
}

func newOutbox() *outbox {
	b := &outbox{done: make(chan struct{})}
	b.more = sync.NewCond(&b.mu)
	go b.deliver()
	return b
}

// post never waits. After close it does nothing.
func (b *outbox) post(l letter) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.todo = append(b.todo, l)
		b.more.Signal()
	}
}

// behind reports whether texts are still to be written.
func (b *outbox) behind() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.todo) > 0
}

// patience is how long a stopped run waits until the rest is written.
const patience = 500 * time.Millisecond

// close returns when everything is written, or some time after ctx has ended. It
// reports whether everything is written.
func (b *outbox) close(ctx context.Context) bool {
	b.mu.Lock()
	b.closed = true
	b.more.Signal()
	b.mu.Unlock()
	select {
	case <-b.done:
		return true
	case <-ctx.Done():
	}
	select {
	case <-b.done:
		return true
	case <-time.After(patience):
		return false
	}
}

func (b *outbox) deliver() {
	defer close(b.done)
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for len(b.todo) == 0 {
			if b.closed {
				return
			}
			b.more.Wait()
		}
		next := b.todo[0]
		b.mu.Unlock()
		if _, err := io.WriteString(next.to, next.text); err != nil && next.failed != nil {
			next.failed()
		}
		b.mu.Lock()
		b.todo = b.todo[1:] // removed only after the write, because behind must count it
	}
}
