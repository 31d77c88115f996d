package containers

import "bytes"

// maxHead bounds the first line of a container, in bytes.
const maxHead = 1 << 10

// head passes on the first line that is written to it. It is for one writer.
type head struct {
	line chan string // gets the line; closed after it, or by close without one
	part []byte
	done bool
}

func newHead() *head { return &head{line: make(chan string, 1)} }

func (h *head) Write(p []byte) (int, error) {
	if h.done {
		return len(p), nil
	}
	h.part = append(h.part, p...)
	line, _, whole := bytes.Cut(h.part, []byte("\n"))
	if whole && len(line) <= maxHead {
		h.line <- string(line)
	}
	if whole || len(h.part) > maxHead {
		h.close()
	}
	return len(p), nil
}

func (h *head) close() {
	if !h.done {
		close(h.line)
	}
	h.done, h.part = true, nil
}
