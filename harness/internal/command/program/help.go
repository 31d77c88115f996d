package program

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/term"

	"github.com/openchrome/bench/harness/internal/option"
)

// writeHelp writes what the target does and its options, the rare ones only if all is true, in
// lines of at most width characters.
func writeHelp(w io.Writer, t option.Target, all bool, width int) {
	fmt.Fprintln(w, Wrap(t.Name+" "+t.Doc, width, ""))
	rows := t.Rows()
	if len(rows) == 0 {
		fmt.Fprintf(w, "\nUsage: mage %s\n", t.Name)
		return
	}
	fmt.Fprintf(w, "\nUsage: mage %s [-name=value ...]\n\n", t.Name)
	const column = 24
	indent := strings.Repeat(" ", column)
	var rare []string
	for _, r := range rows {
		if r.Rare && !all {
			rare = append(rare, "-"+r.Name)
			continue
		}
		name := "  -" + r.Name
		if kind := r.Kind(); kind != "" {
			name += "=<" + kind + ">"
		}
		if len(name) < column-1 {
			fmt.Fprintln(w, name+Wrap(r.Doc, width, indent)[len(name):])
		} else {
			fmt.Fprintln(w, name+"\n"+Wrap(r.Doc, width, indent))
		}
	}
	if rare != nil {
		fmt.Fprintln(w, "\n"+Wrap("Rarely needed: "+strings.Join(rare, ", ")+"; -h -all explains them.", width, ""))
	}
}

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
