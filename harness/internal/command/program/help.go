package program

import (
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// writeHelp writes what the target does and its options, in lines of at most width
// characters.
func (t *target) writeHelp(w io.Writer, width int) {
	fmt.Fprintln(w, wrap(t.Name+" "+t.Summary, width, ""))
	if len(t.Options) == 0 {
		fmt.Fprintf(w, "\nUsage: mage %s\n", t.Name)
		return
	}
	fmt.Fprintf(w, "\nUsage: mage %s [-name=value ...]\n\n", t.Name)
	const column = 26
	indent := strings.Repeat(" ", column)
	for _, o := range t.Options {
		name := "  -" + o.Name
		if o.Type != "bool" {
			name += "=<" + o.kind() + ">"
		}
		if len(name) < column-1 {
			fmt.Fprintln(w, name+wrap(o.Doc, width, indent)[len(name):])
		} else {
			fmt.Fprintln(w, name+"\n"+wrap(o.Doc, width, indent))
		}
	}
}

// kind returns the option's type as a word for people.
func (o *option) kind() string {
	switch o.Type {
	case "int":
		return "number"
	case "time.Duration":
		return "duration"
	}
	return "text"
}

// wrap breaks text into lines that begin with indent.
func wrap(text string, width int, indent string) string {
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

// lineWidth returns how many characters a line on f may have: the terminal's width, or 80 if f
// is not a terminal.
func lineWidth(f *os.File) int {
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width < 40 {
		return 80
	}
	return width
}
