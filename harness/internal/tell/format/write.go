// Package format writes the files of a report. A format is a row of a table: every run writes JSON and the
// document of package page as Markdown and HTML; -format asks for JUnit, Go benchmarks and GitHub.
package format

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

type format struct {
	name  string // as -format has it; empty: every run writes it
	ext   string // the name of a file is the run's id and ext; empty: it goes to standard output
	write func(io.Writer, *report.Report) error
}

const (
	github    = "github"
	canonical = ".canonical.json"
)

// formats are all formats. The pages that a run kept are below out.
func formats(out string) []format {
	return []format{
		{"", ".json", JSON},
		{"", canonical, report.Canonical},
		{"", RecordExt, Record},
		{"", ".md", Markdown},
		{"", ".html", func(w io.Writer, r *report.Report) error { return page.RunHTML(w, r, out) }},
		{"junit", ".junit.xml", JUnit},
		{"gobench", ".bench.txt", GoBench},
		{github, "", GitHub},
	}
}

// Markdown writes the report for people.
func Markdown(w io.Writer, r *report.Report) error { return page.Markdown(w, page.Run(r)) }

// file writes the report to out/reports. The file has a temporary name until it is complete, so that nobody
// reads a part of it.
func (f format) file(out, name string, r *report.Report) error {
	write := func(w io.Writer) error { return f.write(w, r) }
	return regular.Write(out, filepath.Join(report.ReportsDir, name+f.ext), write)
}

// Rebuild writes the report to out/reports in each format of every run.
func Rebuild(out string, r *report.Report) error { return writeAll(formats(out), out, r) }

// Write is [Rebuild]. It also writes the JSON, the Markdown and the page as latest.json, latest.md and
// latest.html.
func Write(out string, r *report.Report) error {
	all := formats(out)
	for i, f := range all {
		if f.ext != canonical && f.ext != RecordExt {
			all[i].write = func(w io.Writer, r *report.Report) error {
				write := func(also io.Writer, r *report.Report) error { return f.write(io.MultiWriter(w, also), r) }
				return format{ext: f.ext, write: write}.file(out, "latest", r)
			}
		}
	}
	return writeAll(all, out, r)
}

func writeAll(all []format, out string, r *report.Report) error {
	written := *r
	written.Out = out
	for _, f := range all {
		if f.name != "" {
			continue
		}
		if err := f.file(out, r.RunID, &written); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

// Parse checks the value of -format: names, separated by commas. It returns them, each
// once. In GitHub Actions it adds github.
func Parse(list string) (string, error) {
	var known, names []string
	for _, f := range formats("") {
		if f.name != "" {
			known = append(known, f.name)
		}
	}
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		if name != "" && !slices.Contains(known, name) {
			return "", fmt.Errorf("-format: is %s, want %s, or several separated by commas%s",
				display.Quote(name), strings.Join(known, ", "), display.DidYouMean(name, known))
		}
		names = append(names, name)
	}
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		names = append(names, github)
	}
	slices.Sort(names)
	return strings.Trim(strings.Join(slices.Compact(names), ","), ","), nil
}

// WriteAsked writes the report in each format of list, which is from [Parse]: to a file in
// out/reports, or to stdout. A format that cannot be written does not keep back the others;
// the errors are joined.
func WriteAsked(stdout io.Writer, out, list string, r *report.Report) error {
	var errs []error
	for _, f := range formats(out) {
		if f.name == "" || !slices.Contains(strings.Split(list, ","), f.name) {
			continue
		}
		var err error
		if f.ext == "" {
			err = f.write(stdout, r)
		} else {
			err = f.file(out, r.RunID, r)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("write report as %s: %w", f.name, err))
		}
	}
	return errors.Join(errs...)
}

// IsTemporary reports whether a file of this name is what was written of a report of the run,
// under the name that [regular.Temporary] gave it.
func IsTemporary(runID, name string) bool {
	return slices.ContainsFunc(formats(""), func(f format) bool {
		n, ok := strings.CutPrefix(name, "."+runID+f.ext+".")
		return ok && f.ext != "" && n != "" && strings.Trim(n, "0123456789") == ""
	})
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

// ComparisonName is the name of the files of a comparison.
func ComparisonName(c *compare.Comparison) string {
	return fmt.Sprintf("compare-%s-%s", fileName(c.Base), fileName(c.Head))
}

// WriteDocument writes a document as Markdown and as a page to the reports of out, and returns the names of the
// files. In GitHub Actions it also appends it to the job summary.
func WriteDocument(out, name string, d page.Document) ([]string, error) {
	name = filepath.Join(report.ReportsDir, name)
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

var notName = regexp.MustCompile(`[^\w.]`)

// fileName makes the name of a run a part of a file's name.
func fileName(side compare.Side) string {
	clean := notName.ReplaceAllString(cmp.Or(side.Report.RunID, side.Name), "-")
	return strings.Trim(clean[:min(len(clean), 80)], ".-")
}
