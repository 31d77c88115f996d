package harness

import (
	"io"
	"os"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"

	"github.com/openchrome/bench/harness/event"
)

// isTerminal reports whether w is a terminal that a line can be redrawn on.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && isatty.IsTerminal(f.Fd())
}

// colours reports whether w gets colour. NO_COLOR wins, then FORCE_COLOR; else
// only a terminal gets it. fatih/color itself looks at stdout alone, which is
// wrong for every other writer.
func colours(w io.Writer) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if v := os.Getenv("FORCE_COLOR"); v != "" {
		return v != "0" && v != "false"
	}
	return isTerminal(w)
}

// paint writes text in one of a few colours, or plainly.
type paint struct{ on bool }

func (p paint) in(text string, attributes ...color.Attribute) string {
	c := color.New(attributes...)
	if p.on {
		c.EnableColor()
	} else {
		c.DisableColor()
	}
	return c.Sprint(text)
}

func (p paint) class(c event.Class, text string) string {
	switch c {
	case event.Pass:
		return p.in(text, color.FgGreen, color.Bold)
	case event.Fail:
		return p.in(text, color.FgRed, color.Bold)
	}
	return p.in(text, color.FgYellow, color.Bold)
}

func (p paint) faint(text string) string { return p.in(text, color.Faint) }
