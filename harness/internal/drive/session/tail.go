package session

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// tailSize is how much of a process's stderr is kept, in bytes.
const tailSize = 64 << 10

// A Tail keeps the last 64 KiB of what a program prints, or the last Max bytes. Its zero value is
// empty. Several goroutines may use it.
type Tail struct {
	Max int // 0: 64 KiB

	mu  sync.Mutex
	buf []byte
	all int // bytes that were written
}

// Write never fails.
func (t *Tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	t.all += len(b)
	if size := t.size(); len(t.buf) > 2*size {
		t.buf = append(t.buf[:0], t.buf[len(t.buf)-size:]...)
	}
	return len(b), nil
}

func (t *Tail) size() int { return cmp.Or(t.Max, tailSize) }

// Whole reports whether it has all that was written.
func (t *Tail) Whole() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all <= t.size()
}

func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf[max(0, len(t.buf)-t.size()):])
}

// fault matches the line that gives the reason of a crash. After it, programs print stacks
// and, like Node, their version.
var fault = regexp.MustCompile(`(?i)^\S*(error|exception)\b.*:|^(panic|fatal)\b|\b(error|fatal):`)

// stamp matches what Chromium and Node print before a message: with the process's number and the
// time in it, equal causes would not look equal.
var stamp = regexp.MustCompile(`^(\[\d+:\d+:[^]]*\]|\(node:\d+\)) *`)

// LastLine returns the last line that gives the reason of a crash, or else the last line
// that is not empty, without the number of a process. The result fits into one line of an error
// message.
func (t *Tail) LastLine() string {
	last := ""
	for line := range strings.Lines(t.String()) {
		if line = display.Line(line, tailSize); line != "" && (!fault.MatchString(last) || fault.MatchString(line)) {
			last = line
		}
	}
	return display.Cut(stamp.ReplaceAllString(last, ""), maxLine)
}

// Saying adds the last line of a program to err, if there is one.
func Saying(err error, line string) error {
	if line == "" {
		return err
	}
	return fmt.Errorf("%w; its last output: %s", err, line)
}

const maxLine = 300 // characters
