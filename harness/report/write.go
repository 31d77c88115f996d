package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
)

// The folders below -out that runs are written to.
const (
	ReportsDir = "reports"
	EventsDir  = "events"
)

func artifacts(runID string) Artifacts {
	return Artifacts{
		EventsJSONL: path.Join(EventsDir, runID+".jsonl"),
		ReportJSON:  path.Join(ReportsDir, runID+".json"),
		ReportMD:    path.Join(ReportsDir, runID+".md"),
	}
}

// Write leaves the report in out/reports as <run-id>.json, .canonical.json and
// .md, and copies of the first and last as latest.json and latest.md. Each
// file is written under a temporary name and renamed, so that no reader sees a
// part of one; latest.* come last.
func Write(out string, r *Report) error {
	return write(out, r, true)
}

// Rebuild is [Write] for a run of the past: latest.* stay.
func Rebuild(out string, r *Report) error {
	return write(out, r, false)
}

func write(out string, r *Report, latest bool) error {
	dir := filepath.Join(out, ReportsDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	type file struct {
		ext   string
		write func(io.Writer, *Report) error
	}
	files := []file{{".json", JSON}, {".canonical.json", Canonical}, {".md", Markdown}}
	for _, f := range files {
		if err := writeFile(filepath.Join(dir, r.RunID+f.ext), func(w io.Writer) error { return f.write(w, r) }); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	for _, ext := range []string{".json", ".md"} {
		if !latest {
			break
		}
		if err := writeFile(filepath.Join(dir, "latest"+ext), copyOf(filepath.Join(dir, r.RunID+ext))); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
	}
	return nil
}

func copyOf(name string) func(io.Writer) error {
	return func(w io.Writer) error {
		f, err := os.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(w, f)
		return err
	}
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

// JSON writes the report as indented JSON, an episode at a time.
func JSON(w io.Writer, r *Report) error {
	head := *r
	head.Episodes = nil
	raw, err := json.MarshalIndent(head, "", "  ")
	if err != nil {
		return err
	}
	// episodes is the last field: what follows its null is the closing brace.
	const tail = "null\n}"
	if _, err := w.Write(raw[:len(raw)-len(tail)]); err != nil {
		return err
	}
	if len(r.Episodes) == 0 {
		_, err := io.WriteString(w, "[]\n}\n")
		return err
	}
	for i := range r.Episodes {
		one, err := json.MarshalIndent(&r.Episodes[i], "    ", "  ")
		if err != nil {
			return err
		}
		before := ",\n    "
		if i == 0 {
			before = "[\n    "
		}
		if _, err := fmt.Fprintf(w, "%s%s", before, one); err != nil {
			return err
		}
	}
	_, err = io.WriteString(w, "\n  ]\n}\n")
	return err
}

// Read reads a report's JSON back.
func Read(name string) (*Report, error) {
	raw, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read report: %w", err)
	}
	r := new(Report)
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
