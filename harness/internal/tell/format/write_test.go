package format_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// sample is a run of three tasks: one passes, one fails in two of four episodes, one is
// void.
func sample() *report.Report {
	r := &report.Report{
		RunID: "r", Adapter: "mock", Web: record.Web{Mode: "hermetic"}, Host: record.Host{OS: "linux", Arch: "amd64", CPUs: 2},
		Server:  &record.Server{Name: "openchrome", Version: "1.7.15", Launcher: "local", Chromium: "Chromium/156.0"},
		Package: &record.Package{Path: "../openchrome", Commit: "abc"},
		Tasks:   []report.Task{{Task: record.Task{ID: "fails"}}, {Task: record.Task{ID: "passes"}}, {Task: record.Task{ID: "void"}}},
		Totals:  report.Totals{Planned: 6, Finished: 6, Counts: report.Counts{Passed: 3, Failed: 2, Void: 1}, DurationMs: 6000},
	}
	for _, e := range []report.Episode{
		{TaskID: "fails", Repetition: 1, Status: record.Failed, Reason: "the heading is another"},
		{TaskID: "fails", Repetition: 2, Status: record.Failed, Reason: "the heading is another"},
		{TaskID: "fails", Repetition: 3, Status: record.Passed},
		{TaskID: "fails", Repetition: 4, Status: record.Passed},
		{TaskID: "passes", Repetition: 1, Status: record.Passed},
		{TaskID: "void", Repetition: 1, Status: record.AdapterError, Reason: "the transcript no longer fits"},
	} {
		e.Name, e.DurationMs, e.Steps, e.ToolCalls = fmt.Sprintf("%s#%d", e.TaskID, e.Repetition), 1000+float64(e.Repetition), 2, 3
		e.Calls = []report.Call{{Tool: "navigate"}, {Step: 1, Tool: "find", Error: true}}
		if e.Status == record.Failed {
			e.FailedContract = &judge.FailedContract{Kind: "dom_text", Path: "$", Expected: "text", Observed: "no, text"}
		}
		r.Episodes.Add(e)
	}
	return r
}

// defective is the sample with a known defect.
func defective() *report.Report {
	r := sample()
	r.Totals.Failed, r.Totals.KnownDefects = 3, 1
	r.Episodes.Add(report.Episode{
		Name: "dlg-confirm#1", TaskID: "dlg-confirm", Repetition: 1, Status: record.Failed, KnownDefect: true, Unsupported: "no tool says yes to a confirm",
	})
	return r
}

// spite is a report that has a text in every place.
func spite(text string) *report.Report {
	r := sample()
	r.RunID, r.Adapter, r.Web.Mode, r.Host.OS, r.Package.Path, r.Server.Name, r.Server.Chromium = text, text, text, text, text, text, text
	for i := range r.Tasks {
		r.Tasks[i].ID, r.Tasks[i].File = text, text
	}
	for i, e := range r.Episodes.All() {
		e.Name, e.TaskID, e.Reason, e.FinalURL, e.ServerEnded, e.Page, e.Calls[0].Tool = text, text, text, text, text, text, text
		r.Episodes.Set(i, e)
	}
	return r
}

var spiteful = []string{
	"", "<script>alert(1)</script>", "`x` | [link](javascript:alert(1))", "\x1b[31mred\x1b[0m\a", "\u202egnp.exe", "ada@evil.test", "%0A::error::x",
	"\n::error file=a,line=1::x", "\r::set-output name=a::b", "##[error]x", "a,title=b::c", "]]>", "<!--", "&amp;", "\"'", "\x00\x01\ufffe",
	"\ud7ff", "\xff\xfe", "\nBenchmarkX 1 1 ns/op", "\nUnit ns/op better=higher", "a/b c",
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ list, actions, want, err string }{
		{"", "", "", ""},
		{" junit, gobench,junit", "", "gobench,junit", ""},
		{"", "true", "github", ""},
		{"junit,github", "true", "github,junit", ""},
		{"junit,junitt", "false", "", `-format: is "junitt", want junit, gobench, github, or several separated by commas; did you mean "junit"?`},
	} {
		t.Setenv("GITHUB_ACTIONS", tt.actions)
		got, err := format.Parse(tt.list)
		if got != tt.want || fmt.Sprint(err) != tt.err && (err != nil || tt.err != "") {
			t.Errorf("%q with GITHUB_ACTIONS=%s: %q, %v, want %q, %s", tt.list, tt.actions, got, err, tt.want, tt.err)
		}
	}
}

// A folder stands where the JUnit file belongs: the other formats are written all the same.
func TestWriteAsked(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	out := t.TempDir()
	need.OK(t, os.MkdirAll(filepath.Join(out, "reports", "r.junit.xml", "full"), 0o755))
	var b bytes.Buffer
	need.Fails(t, format.WriteAsked(&b, out, "github,gobench,junit", sample()), "write report as junit: ")
	names, err := filepath.Glob(filepath.Join(out, "reports", "*"))
	if err != nil || len(names) != 2 || filepath.Base(names[0]) != "r.bench.txt" || !strings.HasPrefix(b.String(), "::error ") {
		t.Errorf("files %v, %v, output %s", names, err, &b)
	}
}

// The report of a run is there twice: under its name, and as the latest. A part of either is nobody's report.
func TestWrite(t *testing.T) {
	out := t.TempDir()
	r := sample()
	need.OK(t, format.Write(out, r))
	need.Is(t, "folder of the caller's report", "", r.Out)
	for _, ext := range []string{".json", ".md", ".html"} {
		name := filepath.Join(out, "reports", "r"+ext)
		need.Is(t, name, string(need.Read(t, name)), string(need.Read(t, filepath.Join(out, "reports", "latest"+ext))))
	}
	for name, want := range map[string]bool{".r.json.12": true, ".r.junit.xml.1": true, ".r.12": false, "r.json": false, ".r.x.json.1": false, ".r.json.": false} {
		need.Is(t, name, want, format.IsTemporary("r", name))
	}
}

// No report is written through a link that somebody else put there.
func TestPlantedLink(t *testing.T) {
	r := &report.Report{RunID: "r"}
	for name, write := range map[string]func(out string) error{
		"reports":  func(out string) error { return format.Write(out, r) },
		"as asked": func(out string) error { return format.WriteAsked(nil, out, "junit", r) },
		"of comparison": func(out string) error {
			return need.Err(format.WriteDocument(out, "compare-r-r", page.Document{}))
		},
	} {
		out, other := t.TempDir(), t.TempDir()
		if err := os.Symlink(other, filepath.Join(out, report.ReportsDir)); err != nil {
			t.Skip(err)
		}
		err := write(out)
		if entries, _ := os.ReadDir(other); err == nil || len(entries) > 0 {
			t.Errorf("%s: %v, written: %v", name, err, entries)
		}
	}
}

// Arguments that nest deep do not make a report a thousand times as large as they are.
func TestNestedArguments(t *testing.T) {
	args := json.RawMessage(strings.Repeat(`{"a":`, 9990) + "1" + strings.Repeat("}", 9990))
	e := report.Episode{TaskID: "a", Repetition: 1, Status: record.Passed, LastToolCall: &adapter.Call{Tool: "t", Args: args}}
	r := &report.Report{Episodes: report.ListOf(e)}
	for name, write := range map[string]func(io.Writer, *report.Report) error{"report": format.JSON, "canonical report": report.Canonical} {
		var b bytes.Buffer
		need.OK(t, write(&b, r))
		if b.Len() > 3*len(args) {
			t.Errorf("the %s has %d bytes", name, b.Len())
		}
		if !json.Valid(b.Bytes()) {
			t.Errorf("the %s is not JSON", name)
		}
	}
}
