package program

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Console prints lines and, on a terminal, one status line that it redraws in place.
// It never waits for a reader. Several goroutines may call its methods.
type Console struct {
	Paint

	mu     sync.Mutex
	out    *outbox
	stdout io.Writer
	stderr io.Writer
	stop   func() // ends the run when nobody reads the output any more

	tty   bool
	drawn bool      // the status line is on the screen
	last  time.Time // when it was drawn
}

// redrawEvery limits how often the status line is redrawn.
const redrawEvery = 100 * time.Millisecond

// NewConsole returns a console. It calls stop if its standard output is a closed pipe.
func NewConsole(stdout, stderr io.Writer, stop func()) *Console {
	return &Console{Paint: PaintFor(stdout), out: newOutbox(), stdout: stdout, stderr: stderr, stop: stop, tty: isTerminal(stdout)}
}

// print writes text to standard output. A closed pipe stops the run.
func (c *Console) print(text string) { c.out.post(letter{c.stdout, text, c.stop}) }

// Line prints one line above the status line.
func (c *Console) Line(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	c.print(fmt.Sprintf(format+"\n", args...))
}

// Show prints blocks of a document above the status line.
func (c *Console) Show(blocks ...page.Block) { c.Line("%s", page.Terminal(c.Paint, blocks...)) }

func (c *Console) erase() {
	if c.drawn {
		c.print("\r\x1b[2K")
		c.drawn = false
	}
}

// Terminal reports whether there is a status line.
func (c *Console) Terminal() bool { return c.tty }

// Status redraws the status line, but not too often.
func (c *Console) Status(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.tty || time.Since(c.last) < redrawEvery || c.out.behind() {
		return
	}
	c.erase()
	line := []rune(text) // a line that wraps could not be erased
	c.print(c.Faint(string(line[:min(len(line), LineWidth(c.stdout)-1)])))
	c.drawn, c.last = true, time.Now()
}

// Say prints a line about the run.
func (c *Console) Say(text string) { c.Line("%s", c.Faint(text)) }

// Warn prints an error that does not change the verdict; nil prints nothing.
func (c *Console) Warn(err error) {
	if err == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	c.out.post(letter{to: c.stderr, text: fmt.Sprintln("warning:", display.Visible(err.Error()))})
}

// Verdict prints the last line of a successful run. A failed run returns an error instead.
func (c *Console) Verdict(class record.Class, word, rest string) {
	c.Line("%s: %s", c.Class(class, word), rest)
}

// Close erases the status line and returns when everything is printed. If nobody reads the
// output, it returns some time after ctx has ended. The last lines of main may then block
// too, so the process ends without them.
func (c *Console) Close(ctx context.Context) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
	if !c.out.close(ctx) {
		time.AfterFunc(patience, func() { os.Exit(ExitInterrupted) })
	}
}

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
