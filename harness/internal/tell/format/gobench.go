package format

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// GoBench writes the report in Go's benchmark format, for benchstat: a line for each
// episode that passed or failed, without known defects. The lines of a task have one name,
// which ends with the number of processors, as in the output of go test.
//
// The server stands in a comment, not in a configuration line: benchstat puts results
// with different configurations into different tables, and the server is what people
// compare.
func GoBench(w io.Writer, r *report.Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# run %s: %s\n", display.Visible(r.RunID), r.Totals.Verdict())
	for _, tool := range r.NoTools {
		fmt.Fprintf(b, "# the server has no tool %s\n", display.Visible(tool))
	}
	fmt.Fprintf(b, "# server %s\n", display.Visible(r.Server.Words()))
	if p := r.Package; p != nil {
		fmt.Fprintf(b, "# package %s\n", display.Visible(strings.TrimSpace(p.Path+" "+p.Commit)))
	}
	config := func(key, value string) {
		if value != "" {
			fmt.Fprintf(b, "%s: %s\n", key, display.Visible(value))
		}
	}
	config("harness", r.Harness.String())
	config("goos", r.Host.OS)
	config("goarch", r.Host.Arch)
	config("adapter", r.Adapter)
	config("values", fmt.Sprintf("seed %d", r.Seed))
	config("web", r.Web.Mode)
	if r.Server != nil {
		config("launcher", r.Server.Launcher)
		config("chromium", r.Server.Chromium)
	}
	b.WriteString("Unit steps/op better=lower\nUnit toolcalls/op better=lower\n")
	for _, e := range r.Episodes.All() {
		if e.Status.Class() == record.Void || e.KnownDefect { // a known defect makes no call
			continue
		}
		fmt.Fprintf(b, "Benchmark%s-%d 1 %.0f ns/op %d steps/op %d toolcalls/op\n",
			benchName(e.TaskID), max(r.Host.CPUs, 1), e.DurationMs*1e6, e.Steps, e.ToolCalls)
	}
	return b.Flush()
}

// benchName makes a benchmark's name of a task's id: a letter after "Benchmark" is a
// capital, and a slash would begin the name of a part.
func benchName(id string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, id)
	if name == "" {
		return "_"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}
