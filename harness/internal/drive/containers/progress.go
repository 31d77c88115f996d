package containers

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/text/display"
)

func line(w io.Writer, format string, args ...any) {
	if w != nil {
		fmt.Fprintf(w, format+"\n", args...)
	}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// buildLog takes the output of a build. It writes a line of progress for each step
// and keeps the end of the output for an error. The zero value is ready.
type buildLog struct {
	name     string
	progress io.Writer

	began time.Time
	part  []byte // a line that has not ended
	last  []string
}

// tailLines and tailWidth bound the kept end of a build's output.
const (
	tailLines = 40
	tailWidth = 400
	maxPart   = 16 << 10 // bytes of a line; the rest is dropped
)

// step matches the first line of a step in the output of the classic builder and of podman.
var step = regexp.MustCompile(`(?i)^step (\d+/\d+) ?: (.*)`)

func (b *buildLog) Write(p []byte) (int, error) {
	if b.began.IsZero() {
		b.began = time.Now()
		line(b.progress, "%s: building (only once)", b.name)
	}
	for c := range strings.Lines(string(p)) {
		// A program that a package brings can write a line without an end.
		b.part = append(b.part, c[:min(len(c), max(0, maxPart-len(b.part)))]...)
		if strings.HasSuffix(c, "\n") {
			b.line(strings.TrimSpace(string(b.part)))
			b.part = b.part[:0]
		}
	}
	return len(p), nil
}

var (
	colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	// noise matches lines that the builder prints itself, between the output of its programs.
	noise = regexp.MustCompile(`^(--->|Removing intermediate container )`)
)

func (b *buildLog) line(s string) {
	s = strings.TrimSpace(colours.ReplaceAllString(s, ""))
	if s == "" || noise.MatchString(s) {
		return
	}
	s = display.Cut(s, tailWidth)
	if b.last = append(b.last, s); len(b.last) > tailLines {
		b.last = b.last[1:]
	}
	// Only these steps take time.
	if m := step.FindStringSubmatch(s); m != nil && strings.HasPrefix(m[2], "RUN ") {
		line(b.progress, "%s: step %s: %s", b.name, m[1], display.Cut(strings.Join(strings.Fields(m[2]), " "), 60))
	}
}

// end prints how the build ended. If the build never began, it prints nothing.
func (b *buildLog) end(err error) {
	switch {
	case b.began.IsZero():
	case err != nil:
		line(b.progress, "%s: failed", b.name)
	default:
		line(b.progress, "%s: built in %.0f s", b.name, time.Since(b.began).Seconds())
	}
}

func (b *buildLog) tail() string { return strings.Join(b.last, "\n") }
