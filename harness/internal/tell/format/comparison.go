package format

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/format/html"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// WriteComparison writes a comparison as Markdown and as a page to the reports of out, and
// returns the names of the files. In GitHub Actions it also appends it to the job summary.
func WriteComparison(out string, c *compare.Comparison, gate compare.Result) ([]string, error) {
	name := filepath.Join(report.ReportsDir, fmt.Sprintf("compare-%s-%s", fileName(c.Base), fileName(c.Head)))
	markdown, page := filepath.Join(out, name+".md"), filepath.Join(out, name+".html")
	err := regular.Write(out, name+".md", func(w io.Writer) error { return Comparison(w, c, gate) })
	if err == nil {
		err = regular.Write(out, name+".html", func(w io.Writer) error { return html.Comparison(w, c, gate, out) })
	}
	if err == nil && os.Getenv("GITHUB_ACTIONS") == "true" {
		err = summarise(markdown, func(w io.Writer) error { return Comparison(w, c, gate) })
	}
	if err != nil {
		return nil, fmt.Errorf("write comparison: %w", err)
	}
	return []string{markdown, page}, nil
}

// fileName makes the name of a run a part of a file's name.
func fileName(side compare.Side) string {
	clean := slug(cmp.Or(side.Report.RunID, side.Name))
	return strings.Trim(clean[:min(len(clean), 80)], ".-")
}

// What a Markdown comparison has at most.
const (
	maxOutcomes = 20
	maxTexts    = 400 // characters of an answer
)

// Comparison writes a comparison for people. All texts are escaped.
func Comparison(w io.Writer, c *compare.Comparison, gate compare.Result) error {
	m := markdown{bufio.NewWriter(w)}
	m.printf("# %s and %s\n\n", plain(c.Base.Name), plain(c.Head.Name))
	if c.Unfinished != "" {
		m.printf("**NOT FINISHED: %s**\n\n", plain(c.Unfinished))
	}
	m.printf("**%s**\n", plain(c.Sentence))
	for _, b := range gate.Breached {
		m.printf("\n> Gate breached: %s\n", plain(b.String()))
	}
	for _, b := range gate.Unknown {
		m.printf("\n> Gate not judged: %s\n", plain(b.String()))
	}
	m.printf("\n| | run | server | episodes |\n| --- | --- | --- | --- |\n")
	for _, side := range []struct {
		what string
		*compare.Side
	}{{"base", &c.Base}, {"head", &c.Head}} {
		m.printf("| %s | %s | %s | %s |\n", side.what, plainCell(side.Name), plainCell(side.Report.Server.Words()), plainCell(side.Summary()))
	}
	if c.Policies != nil {
		m.policies(c.Policies.Lines(), c.Policies.Tables())
	}
	header, rows, note := c.Table()
	var cells [][]string
	for _, row := range rows {
		cells = append(cells, row.Cells)
	}
	if c.Policies == nil {
		m.table("Tasks", header, cells)
		if note != "" {
			m.printf("\n%s\n", note)
		}
		m.printf("\n%s\n", plain(compare.Legend))
	}
	if header, rows := c.ToolTable(); rows != nil {
		m.table("Tools", header, rows)
	}
	if header, rows := c.UntrueTable(); rows != nil {
		m.table("False successes and unreported side effects", header, rows)
	}
	if len(c.Servers.Rows) > 0 {
		m.table("Servers", c.Servers.Header, c.Servers.Rows)
	}
	for _, note := range c.Remarks() {
		m.printf("\n> %s\n", plain(note))
	}
	m.outcomes(c)
	m.answers(c)
	return m.Flush()
}

func (m markdown) table(title string, header []string, rows [][]string) {
	m.printf("\n## %s\n", title)
	if len(rows) > 0 {
		m.printf("\n")
		m.row(header)
		m.printf("|%s\n", strings.Repeat(" --- |", len(header)))
	}
	for _, row := range rows {
		m.row(row)
	}
}

func (m markdown) row(cells []string) {
	for _, c := range cells {
		m.printf("| %s ", plainCell(c))
	}
	m.printf("|\n")
}

func (m markdown) outcomes(c *compare.Comparison) {
	list := c.Outcomes()
	if len(list) == 0 {
		return
	}
	m.printf("\n## Episodes whose outcome changed\n\n| episode | what | base | head |\n| --- | --- | --- | --- |\n")
	for _, p := range list[:min(len(list), maxOutcomes)] {
		for _, change := range p.Changes {
			m.printf("| %s | %s | %s | %s |\n", plainCell(p.Name), plainCell(change.What), cell(display.Cut(change.Base, maxTexts)), cell(display.Cut(change.Head, maxTexts)))
		}
	}
	if more := len(list) - maxOutcomes; more > 0 {
		m.printf("\nand %s more\n", display.Count(more, "episode"))
	}
}

func (m markdown) answers(c *compare.Comparison) {
	if c.Reworded == 0 {
		return
	}
	m.printf("\n## Answers\n")
	for _, t := range c.Tools {
		if t.Reworded == 0 {
			continue
		}
		m.printf("\nAnswers of %s: %d of %d reworded.\n\n", code(t.Name), t.Reworded, t.Compared)
		for _, e := range t.Examples {
			m.printf("- %s, such as %s at step %d\n", display.Times(e.Count), plain(e.Episode), e.Base.Step)
			base, head := compare.Excerpts(e.Base.Answer, e.Head.Answer, maxTexts)
			if base == head {
				m.printf("  - %s\n", compare.NoTexts)
				continue
			}
			m.printf("  - base: %s\n  - head: %s\n", code(base), code(head))
		}
	}
}
