package openchrome

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// endless reads as the same byte for ever.
type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestLimitLines(t *testing.T) {
	var said bytes.Buffer
	whole := strings.Repeat(strings.Repeat("x", 1<<20)+"\n", 200) // longer in all, each line short
	n, err := io.Copy(io.Discard, LimitLines(strings.NewReader(whole), &said))
	if err != nil || n != int64(len(whole)) || said.Len() > 0 {
		t.Errorf("many lines: %d bytes, %v, %q", n, err, said.String())
	}
	n, err = io.Copy(io.Discard, LimitLines(endless('x'), &said))
	if err == nil || n > MaxLine+1<<20 || !strings.Contains(said.String(), "broke the protocol") {
		t.Errorf("a line without end: %d bytes, %v, %q", n, err, said.String())
	}
}
