// Package format writes the files of a report. A format is one row of a table: in write.go for the files that
// every run writes (JSON, and the document of package page as Markdown and HTML), in asked.go for the formats
// that -format names (JUnit, Go benchmarks and GitHub).
package format

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// Write is [Rebuild], and then copies the JSON, the Markdown and the page to latest.json,
// latest.md and latest.html beside them.
func Write(out string, r *report.Report) error {
	if err := Rebuild(out, r); err != nil {
		return err
	}
	for _, ext := range []string{".json", ".md", ".html"} {
		err := regular.Write(out, filepath.Join(report.ReportsDir, "latest"+ext), func(w io.Writer) error {
			f, err := regular.OpenBelow(out, filepath.Join(report.ReportsDir, r.RunID+ext), os.O_RDONLY)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(w, f)
			return err
		})
		if err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

type format struct {
	ext   string // the name of a file is the run's id and ext
	write func(io.Writer, *report.Report) error
}

// written returns the formats of every run. The pages that a run kept are below out.
func written(out string) []format {
	return []format{
		{".json", JSON},
		{".canonical.json", report.Canonical},
		{".md", Markdown},
		{".html", func(w io.Writer, r *report.Report) error { return page.RunHTML(w, r, out) }},
	}
}

// Markdown writes the report for people.
func Markdown(w io.Writer, r *report.Report) error { return page.Markdown(w, page.Run(r)) }

// Rebuild writes the report to out/reports in each format of written. Each file has a
// temporary name until it is complete, so that nobody reads a part of it.
func Rebuild(out string, r *report.Report) error {
	for _, f := range written(out) {
		if err := regular.Write(out, filepath.Join(report.ReportsDir, r.RunID+f.ext), func(w io.Writer) error { return f.write(w, r) }); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

// IsTemporary reports whether a file of this name is what was written of a report of the run,
// under the name that [regular.Temporary] gave it.
func IsTemporary(runID, name string) bool {
	of := func(ext string) bool {
		n, ok := strings.CutPrefix(name, "."+runID+ext+".")
		return ok && n != "" && strings.Trim(n, "0123456789") == ""
	}
	for _, f := range written("") {
		if of(f.ext) {
			return true
		}
	}
	for _, f := range asked {
		if f.ext != "" && of(f.ext) {
			return true
		}
	}
	return false
}

// JSON writes the report as indented JSON, one episode at a time: all of them together can be
// very large. Episodes are the last field of a report.
func JSON(w io.Writer, r *report.Report) error {
	head := *r
	head.Episodes = report.Episodes{}
	data, err := json.Marshal(head)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	b.Write(display.JSON(bytes.TrimSuffix(display.Indent(data, ""), []byte("]\n}"))))
	for i, e := range r.Episodes.All() {
		if data, err = json.Marshal(e); err != nil {
			return err
		}
		b.WriteString(map[bool]string{true: "\n    ", false: ",\n    "}[i == 0])
		b.Write(display.JSON(display.Indent(data, "    ")))
	}
	if r.Episodes.Len() > 0 {
		b.WriteString("\n  ")
	}
	b.WriteString("]\n}\n")
	return b.Flush()
}

// WriteComparison writes a comparison as Markdown and as a page to the reports of out, and
// returns the names of the files. In GitHub Actions it also appends it to the job summary.
func WriteComparison(out string, c *compare.Comparison, gate compare.Result) ([]string, error) {
	d := page.Compared(c, gate, out)
	name := filepath.Join(report.ReportsDir, fmt.Sprintf("compare-%s-%s", fileName(c.Base), fileName(c.Head)))
	markdown := func(w io.Writer) error { return page.Markdown(w, d) }
	err := regular.Write(out, name+".md", markdown)
	if err == nil {
		err = regular.Write(out, name+".html", func(w io.Writer) error { return page.HTML(w, d) })
	}
	if err == nil && os.Getenv("GITHUB_ACTIONS") == "true" {
		err = summarise(filepath.Join(out, name+".md"), markdown)
	}
	if err != nil {
		return nil, fmt.Errorf("write comparison: %w", err)
	}
	return []string{filepath.Join(out, name+".md"), filepath.Join(out, name+".html")}, nil
}

// fileName makes the name of a run a part of a file's name.
func fileName(side compare.Side) string {
	clean := page.Slug(cmp.Or(side.Report.RunID, side.Name))
	return strings.Trim(clean[:min(len(clean), 80)], ".-")
}
