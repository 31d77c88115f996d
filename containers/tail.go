package containers

import (
	"strings"
	"sync"
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

// tail returns the last n lines that are not blank.
func (s *stderr) tail(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []string
	for l := range strings.Lines(string(s.end)) {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines[max(len(lines)-n, 0):], "\n")
}
