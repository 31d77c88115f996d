package containers

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
)

// maxStderr bounds what is kept of a container's stderr, at either end.
const maxStderr = 8 << 10

// stderr keeps the first line that a container writes there, and the end. It
// never blocks the writer.
type stderr struct {
	mu    sync.Mutex
	end   []byte
	first string
	begun chan struct{} // closed with the first line, or the end
	once  sync.Once
}

func newStderr() *stderr { return &stderr{begun: make(chan struct{})} }

func (s *stderr) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = append(s.end, p...)
	if head, _, whole := strings.Cut(string(s.end[:min(len(s.end), maxStderr)]), "\n"); whole {
		s.once.Do(func() { s.first = head; close(s.begun) })
	}
	if over := len(s.end) - maxStderr; over > maxStderr {
		s.end = append(s.end[:0], s.end[over:]...)
	}
	return len(p), nil
}

func (s *stderr) close() {
	s.once.Do(func() { close(s.begun) })
}

// firstLine waits for the first line; "" if there was none.
func (s *stderr) firstLine() string {
	<-s.begun
	return s.first
}

// fault matches the line of a crash that says why. Under it programs print
// stacks and, as Node does, their version.
var fault = regexp.MustCompile(`(?i)^\S*(error|exception)\b.*:|^(panic|fatal)\b|\b(error|fatal):|^openchrome-bench:`)

// maxLine bounds what an error repeats of a line, in bytes.
const maxLine = 300

// lastLine returns the last line that names a fault, else the last that is not
// blank, as printable text.
func (s *stderr) lastLine() string {
	s.mu.Lock()
	text := strings.ToValidUTF8(string(s.end), "?")
	s.mu.Unlock()
	last := ""
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(strings.Map(printable, l))
		if l != "" && (fault.MatchString(l) || !fault.MatchString(last)) {
			last = l
		}
	}
	if len(last) > maxLine {
		last = strings.ToValidUTF8(last[:maxLine], "") + "…"
	}
	return last
}

func printable(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case !unicode.IsPrint(r):
		return -1
	}
	return r
}
