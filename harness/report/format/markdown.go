package format

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/report"
)

// Markdown writes the report for people. Texts of pages, answers and task files
// are escaped, so they cannot become markup.
func Markdown(w io.Writer, r *report.Report) error {
	m := markdown{bufio.NewWriter(w)}
	m.head(r)
	m.table(r)
	for i := range r.Episodes {
		if e := &r.Episodes[i]; e.Status != event.Passed || e.ServerEnded != "" || e.ServerFacts != "" || len(e.Drifts) > 0 {
			m.episode(e)
		}
	}
	return m.Flush()
}

type markdown struct{ *bufio.Writer }

func (m markdown) printf(format string, args ...any) { fmt.Fprintf(m, format, args...) }

func (m markdown) head(r *report.Report) {
	m.printf("# Run %s\n\n**%s**\n\n", plain(r.RunID), r.Totals.Verdict())
	m.printf("| | |\n| --- | --- |\n")
	m.printf("| subject | %s |\n", plain(report.DescribeSubject(r.Subject)))
	if r.Subject != nil {
		m.printf("| facts | %s |\n", report.DescribeFacts(r.Subject))
	}
	m.printf("| adapter | %s%s%s |\n", plain(r.Adapter), way(r.Path), strict(r.Drift))
	m.printf("| web | %s |\n", plain(r.Web.Mode))
	m.printf("| success rate | %s |\n", r.Totals.Rate())
	m.printf("| steps, tool calls, errors, drifts | %d, %d, %d, %d |\n", r.Totals.Steps, r.Totals.ToolCalls, r.Totals.Errors, r.Totals.Drifts)
	m.printf("| recovered | %d |\n", r.Totals.Recovered)
	m.printf("| digest | `%s` |\n", r.Digest)
	for _, note := range r.Notes {
		m.printf("\n> Note: %s\n", plain(note))
	}
}

// way says that a run took another path than the usual one.
func way(path string) string {
	if path == "" || path == "oracle" {
		return ""
	}
	return ", " + plain(path) + " path"
}

// strict says that drift ended episodes.
func strict(drift string) string {
	if drift == event.DriftStrict {
		return ", strict about drift"
	}
	return ""
}

func (m markdown) table(r *report.Report) {
	m.printf("\n## Episodes\n\n| episode | status | steps | tool calls | errors | drifts | no progress | duration | final URL |\n")
	m.printf("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for i := range r.Episodes {
		e := &r.Episodes[i]
		m.printf("| %s | %s | %d | %d | %d | %d | %d | %.0f ms | %s |\n", plain(e.Name), plain(string(e.Status)), e.Steps, e.ToolCalls,
			e.OpenchromeErrors, len(e.Drifts), e.NoProgressEpisodes, e.DurationMs, cell(e.FinalURL))
	}
}

func (m markdown) episode(e *report.Episode) {
	m.printf("\n## %s: %s\n\nTask: %s\n\n", plain(e.Name), plain(string(e.Status)), plain(e.Title))
	if e.Reason != "" && (e.FailedContract == nil || len(e.Drifts) > 0) {
		m.printf("- why: %s\n", code(e.Reason))
	}
	if c := e.LastToolCall; c != nil {
		m.printf("- last tool call: %s %s\n", code(c.Tool), code(string(c.Args)))
	}
	for _, d := range e.Drifts {
		m.printf("- drift at step %d, %s\n  - expected: %s\n  - actual: %s\n", d.Step, code(d.Tool), code(d.Expected), code(d.Actual))
		if d.At != "" {
			m.printf("  - see %s\n", code(d.At))
		}
	}
	if e.ServerEnded != "" {
		m.printf("- the server ended after its last answer: %s\n", code(e.ServerEnded))
	}
	if e.ServerFacts != "" {
		m.printf("- %s\n", plain(e.ServerFacts))
	}
	if e.Page != "" {
		m.printf("- the page at the end: %s\n", code(e.Page))
	}
	if e.PageMissing != "" {
		m.printf("- %s\n", code(e.PageMissing))
	}
	for _, h := range e.Hints {
		m.printf("- hint %s, count %d, last severity %s\n", code(h.Rule), h.Count, plain(h.Severity))
	}
	if f := e.FailedContract; f != nil {
		m.printf("- failed assertion: %s at %s\n  - expected: %s\n  - observed: %s\n", plain(f.Kind), code(f.Path), code(f.Expected), code(f.Observed))
		if f.TextPreview != nil {
			m.printf("  - text on the page: %s\n", code(*f.TextPreview))
		}
	}
	if e.Explanation != nil {
		m.printf("\nThe contract:\n\n")
		m.node(*e.Explanation, 0)
	}
}

func (m markdown) node(n contract.Node, depth int) {
	indent := strings.Repeat("  ", depth)
	verdict := cmp.Or(string(n.Verdict), "not reached")
	m.printf("%s- **%s** %s %s\n", indent, plain(verdict), plain(n.Kind), code(n.Path))
	for _, line := range [][2]string{{"expected", n.Expected}, {"observed", n.Observed}, {"note", n.Note}} {
		if line[1] != "" {
			m.printf("%s  - %s: %s\n", indent, line[0], code(line[1]))
		}
	}
	for _, child := range n.Children {
		m.node(child, depth+1)
	}
}
