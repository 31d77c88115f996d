// Package format writes a report as files: JSON and Markdown today. A format is one file
// and one row of a table in write.go.
package format

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/report"
)

// Write is [Rebuild], and then copies the JSON and the Markdown to latest.json and
// latest.md beside them.
func Write(out string, r *report.Report) error {
	if err := Rebuild(out, r); err != nil {
		return err
	}
	for _, ext := range []string{".json", ".md"} {
		name := filepath.Join(out, report.ReportsDir, r.RunID+ext)
		err := writeFile(filepath.Join(out, report.ReportsDir, "latest"+ext), func(w io.Writer) error {
			f, err := os.Open(name)
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

// written are the formats of every run. The name of a file is the run's id and ext.
var written = []struct {
	ext   string
	write func(io.Writer, *report.Report) error
}{
	{".json", JSON},
	{".canonical.json", report.Canonical},
	{".md", Markdown},
}

// Rebuild writes the report to out/reports in each format of written. Each file has a
// temporary name until it is complete, so that nobody reads a part of it.
func Rebuild(out string, r *report.Report) error {
	dir := filepath.Join(out, report.ReportsDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	for _, f := range written {
		if err := writeFile(filepath.Join(dir, r.RunID+f.ext), func(w io.Writer) error { return f.write(w, r) }); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

func writeFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriter(f)
	err = errors.Join(write(w), w.Flush(), f.Chmod(0o644), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// JSON writes the report as indented JSON.
func JSON(w io.Writer, r *report.Report) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(display.JSON(data), '\n'))
	return err
}
