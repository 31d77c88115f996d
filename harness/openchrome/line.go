package openchrome

import (
	"bytes"
	"fmt"
	"io"
)

// MaxLine is the longest line that a server may write, in bytes. Replies of many
// megabytes are in order; a line that never ends would fill the memory.
const MaxLine = 128 << 20

// LimitLines returns a reader that ends with an error within a line of more than
// [MaxLine] bytes. say is told why in one line; the error itself is lost in the
// transport.
func LimitLines(r io.Reader, say io.Writer) io.Reader { return &limitLines{r: r, say: say} }

type limitLines struct {
	r    io.Reader
	say  io.Writer
	line int // bytes since the last newline
}

func (l *limitLines) Read(p []byte) (int, error) {
	if l.line > MaxLine {
		return 0, fmt.Errorf("a line of more than %d bytes", MaxLine)
	}
	n, err := l.r.Read(p)
	if i := bytes.LastIndexByte(p[:n], '\n'); i >= 0 {
		l.line = n - i - 1
	} else {
		l.line += n
	}
	if l.line > MaxLine {
		fmt.Fprintf(l.say, "\nbroke the protocol: a line of more than %d bytes\n", MaxLine)
	}
	return n, err
}
