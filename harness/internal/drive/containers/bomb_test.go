package containers

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// A server in the container can write to the pipe of Chromium's exit status. What it writes
// there is not kept.
func TestEndlessStatus(t *testing.T) {
	for name, written := range map[string]string{
		"no line":      strings.Repeat("x", 64<<10),
		"long line":    strings.Repeat("x", 64<<10) + "\n",
		"many lines":   "1\n" + strings.Repeat("x", 64<<10) + "\n",
		"byte by byte": strings.Repeat("x", 100),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrowser()
			r, w := io.Pipe()
			go io.Copy(io.Discard, r)
			out := b.pipe(w)
			io.WriteString(out, endOfBrowser)
			step := 4 << 10
			if name == "byte by byte" {
				step = 1
			}
			for part := []byte(written); len(part) > 0; part = part[min(step, len(part)):] {
				out.Write(part[:min(step, len(part))])
			}
			select {
			case <-b.ended:
			default:
				t.Error("the browser has not ended")
			}
			if kept := cap(b.status); kept > 1<<10 {
				t.Errorf("%d bytes are kept", kept)
			}
			if !bytes.HasSuffix(b.status, []byte("\n")) {
				t.Errorf("the status is %q", b.status)
			}
		})
	}
}

// A build can print a line that does not end.
func TestEndlessBuildLine(t *testing.T) {
	var b buildLog
	for range 1000 {
		b.Write(bytes.Repeat([]byte("x"), 4<<10))
	}
	if kept := cap(b.part); kept > 64<<10 {
		t.Errorf("%d bytes are kept", kept)
	}
	b.Write([]byte("\nStep 2/3 : RUN y\n"))
	if got := b.tail(); !strings.HasPrefix(got, "xxx") || !strings.HasSuffix(got, "Step 2/3 : RUN y") {
		t.Errorf("the tail is %q", got)
	}
}
