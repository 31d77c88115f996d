package format

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// GoBench writes the report in Go's benchmark format, for benchstat: a line for each
// episode that passed or failed, without known defects. One that failed says only that: how long it
// took is no time of the task. The lines of a task have one name,
// which ends with the number of processors, as in the output of go test.
//
// The server stands in a comment, not in a configuration line: benchstat puts results
// with different configurations into different tables, and the server is what people
// compare, with its launcher.
func GoBench(w io.Writer, r *report.Report) error {
	b := bufio.NewWriter(w)
	line := func(begin, text string) {
		if text != "" {
			fmt.Fprintf(b, "%s %s\n", begin, display.Visible(text))
		}
	}
	line("# run", r.RunID+": "+r.Totals.Verdict())
	for _, tool := range r.NoTools {
		line("# the server has no tool", tool)
	}
	line("# server", r.Server.Words())
	if p := r.Package; p != nil {
		line("# package", strings.TrimSpace(p.Path+" "+p.Commit))
	}
	line("harness:", r.Harness.String())
	line("goos:", r.Host.OS)
	line("goarch:", r.Host.Arch)
	line("adapter:", r.Adapter)
	line("values:", fmt.Sprintf("seed %d", r.Seed))
	line("web:", r.Web.Mode)
	if r.Server != nil {
		line("chromium:", r.Server.Chromium)
	}
	b.WriteString("Unit passed/op better=higher\nUnit steps/op better=lower\nUnit toolcalls/op better=lower\n")
	for _, e := range r.Episodes.All() {
		if e.Status.Class() == record.Void || e.KnownDefect { // a known defect makes no call
			continue
		}
		fmt.Fprintf(b, "Benchmark%s-%d 1 ", benchName(e.TaskID), max(r.Host.CPUs, 1))
		if e.Status.Class() == record.Pass {
			fmt.Fprintf(b, "%.0f ns/op 1 passed/op %d steps/op %d toolcalls/op\n", e.DurationMs*1e6, e.Steps, e.ToolCalls)
		} else {
			b.WriteString("0 passed/op\n")
		}
	}
	return b.Flush()
}

var notBench = regexp.MustCompile(`[^\w-]`)

// benchName makes a benchmark's name of a task's id: a letter after "Benchmark" is a
// capital, and a slash would begin the name of a part.
func benchName(id string) string {
	if id == "" {
		return "_"
	}
	name := notBench.ReplaceAllString(id, "_")
	return strings.ToUpper(name[:1]) + name[1:]
}
