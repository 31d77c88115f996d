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

// Page is the folder for the page of an episode, relative to the folder that the run
// writes to.
func Page(runID, taskID string, repetition int) string {
	return path.Join(EventsDir, runID, fmt.Sprintf("%s-%d", taskID, repetition))
}

// Write is [Rebuild], and then copies the JSON and the Markdown to latest.json and
// latest.md beside them.
func Write(out string, r *Report) error {
	if err := Rebuild(out, r); err != nil {
		return err
	}
	for _, ext := range []string{".json", ".md"} {
		name := filepath.Join(out, ReportsDir, r.RunID+ext)
		err := writeFile(filepath.Join(out, ReportsDir, "latest"+ext), func(w io.Writer) error {
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

// Rebuild writes the report to out/reports as <run-id>.json, .canonical.json and
// .md. Each file has a temporary name until it is complete, so that nobody reads
// a part of it.
func Rebuild(out string, r *Report) error {
	dir := filepath.Join(out, ReportsDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	for ext, write := range map[string]func(io.Writer, *Report) error{".json": JSON, ".canonical.json": Canonical, ".md": Markdown} {
		if err := writeFile(filepath.Join(dir, r.RunID+ext), func(w io.Writer) error { return write(w, r) }); err != nil {
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
func JSON(w io.Writer, r *Report) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
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
