package line

import (
	"fmt"
	"io"
	"strings"

	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/option"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// writeHelp writes what the target does, an example and its options, the rare ones only if all is true, in
// lines of at most width characters.
func writeHelp(w io.Writer, t Target, all bool, width int) {
	call := display.Program + " " + t.Name
	fmt.Fprintln(w, program.Wrap(t.Name+" "+t.Doc, width, ""))
	rows, options := option.Target(t.Name).Rows(), ""
	if len(rows) > 0 {
		options = "[-name=value ...]"
	}
	fmt.Fprintf(w, "\n%s\n%s\n\n", strings.TrimSpace("Usage: "+call+" "+options), strings.TrimSpace("Example: "+call+" "+t.Example))
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
			fmt.Fprintln(w, name+program.Wrap(r.Doc, width, indent)[len(name):])
		} else {
			fmt.Fprintln(w, name+"\n"+program.Wrap(r.Doc, width, indent))
		}
	}
	if rare != nil {
		fmt.Fprintln(w, "\n"+program.Wrap("Rarely needed: "+strings.Join(rare, ", ")+"; "+call+" -h -all explains them.", width, ""))
	}
}

// writeList writes all targets, and others without an explanation.
func writeList(w io.Writer, others []string, width int) {
	fmt.Fprintln(w, program.Wrap("Benchmark whole browser tasks on OpenChrome: task file -> fresh browser -> bounded steps -> verdict -> report.", width, ""))
	fmt.Fprintf(w, "\nUsage: %s TARGET [-name=value ...]\nExample: %[1]s bench:mock %s\nHelp: %[1]s TARGET -h\n\n", display.Program, Targets[1].Example)
	for _, t := range Targets {
		first, _, _ := strings.Cut(t.Doc, ". ")
		text := program.Wrap(strings.TrimSuffix(first, "."), width, strings.Repeat(" ", 17))
		fmt.Fprintf(w, "  %-15s%s\n", t.Name, text[17:])
	}
	for _, name := range others {
		fmt.Fprintln(w, "  "+name)
	}
}
