package program

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"
	"golang.org/x/term"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/page"
)

// isTerminal reports whether w is a terminal that can redraw a line.
func isTerminal(w io.Writer) bool {
	f := fileOf(w)
	return f != nil && os.Getenv("TERM") != "dumb" && isatty.IsTerminal(f.Fd())
}

// colours reports whether w gets colour. NO_COLOR wins, then FORCE_COLOR; otherwise only a
// terminal gets colour. fatih/color v1.19.0 checks only stdout, which is wrong for every
// other writer. This can go when fatih/color decides for each writer.
func colours(w io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if v := os.Getenv("FORCE_COLOR"); v != "" {
		return v != "0" && v != "false"
	}
	return isTerminal(w)
}

// Paint writes text in one of a few colours, or without colour.
type Paint struct{ on bool }

// PaintFor colours text for w if it gets colour.
func PaintFor(w io.Writer) Paint { return Paint{colours(w)} }

// Print prints blocks of a document on w.
func Print(w io.Writer, blocks ...page.Block) { fmt.Fprintln(w, page.Terminal(PaintFor(w), blocks...)) }

func (p Paint) in(text string, attributes ...color.Attribute) string {
	c := color.New(attributes...)
	if p.on {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	return c.Sprint(text)
}

// Class colours text by how an episode counts.
func (p Paint) Class(c record.Class, text string) string {
	switch c {
	case record.Pass:
		return p.in(text, color.FgGreen, color.Bold)
	case record.Fail:
		return p.in(text, color.FgRed, color.Bold)
	}
	return p.in(text, color.FgYellow, color.Bold)
}

// Faint makes text faint.
func (p Paint) Faint(text string) string { return p.in(text, color.Faint) }

// Wrap breaks text into lines that begin with indent.
func Wrap(text string, width int, indent string) string {
	lines, line := []string(nil), indent
	for _, word := range strings.Fields(text) {
		if line != indent && len(line)+1+len(word) > width {
			lines, line = append(lines, line), indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}

// LineWidth returns how many characters a line on w may have: the terminal's width, or 80 if w
// is not a terminal.
func LineWidth(w io.Writer) int {
	if f := fileOf(w); f != nil {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width >= 40 {
			return width
		}
	}
	return 80
}
