package format_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/page"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// sample is a run of three tasks: one passes, one fails in two of four episodes, one is
// void.
func sample() *report.Report {
	r := &report.Report{
		RunID: "r", Adapter: "mock", Web: record.Web{Mode: "hermetic"}, Host: record.Host{OS: "linux", Arch: "amd64", CPUs: 2},
		Server:  &record.Server{Name: "openchrome", Version: "1.7.15", Launcher: "local", Chromium: "Chromium/156.0", Protocol: "p", Isolation: "fresh"},
		Package: &record.Package{Path: "../openchrome", Commit: "abc"},
		Tasks:   []report.Task{{Task: record.Task{ID: "fails"}, Contract: json.RawMessage(taskContract)}, {Task: record.Task{ID: "passes"}}, {Task: record.Task{ID: "void"}}},
		Totals:  report.Totals{Planned: 6, Finished: 6, Counts: report.Counts{Passed: 3, Failed: 2, Void: 1}, DurationMs: 6000},
	}
	add := func(task string, n int, status record.Status, reason string, failed *judge.FailedContract) {
		r.Episodes.Add(report.Episode{
			Name: fmt.Sprintf("%s#%d", task, n), TaskID: task, Repetition: n, Status: status, Reason: reason, FailedContract: failed,
			DurationMs: 1000 + float64(n), Steps: 2, ToolCalls: 3, Calls: []report.Call{{Tool: "navigate"}, {Step: 1, Tool: "find", Error: true}},
		})
	}
	for n := 1; n <= 4; n++ {
		if n > 2 {
			add("fails", n, record.Passed, "", nil)
			continue
		}
		add("fails", n, record.Failed, "the heading is another", &judge.FailedContract{
			Kind: "dom_text", Path: "$.children.1.child", Expected: "text", Observed: "no, text",
		})
	}
	add("passes", 1, record.Passed, "", nil)
	add("void", 1, record.AdapterError, "the transcript no longer fits", nil)
	return r
}

const taskContract = `{"kind":"and","children":[{"kind":"no_dialog"},{"kind":"not","child":{"kind":"dom_text","contains":"x"}}]}`

// defective is the sample with a known defect.
func defective() *report.Report {
	r := sample()
	r.Totals.Failed, r.Totals.KnownDefects = 3, 1
	e := report.Episode{Name: "dlg-confirm#1", TaskID: "dlg-confirm", Repetition: 1, Status: record.Failed, KnownDefect: true}
	e.Unsupported = "no tool says yes to a confirm"
	r.Episodes.Add(e)
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
	"", "<script>alert(1)</script>", "`x` | [link](javascript:alert(1))", "\x1b[31mred\x1b[0m\a", "\u202egnp.exe", "ada@evil.test", "%0A::error::x", "\n::error file=a,line=1::x", "\r::set-output name=a::b", "##[error]x", "a,title=b::c", "]]>", "<!--", "&amp;", "\"'", "\x00\x01\ufffe",
	"\ud7ff", "\xff\xfe", "\nBenchmarkX 1 1 ns/op", "\nUnit ns/op better=higher", "a/b c",
}

func TestParse(t *testing.T) {
	tests := []struct{ list, actions, want, err string }{
		{"", "", "", ""},
		{"junit", "", "junit", ""},
		{" junit, gobench,junit", "", "gobench,junit", ""},
		{"", "true", "github", ""},
		{"junit,github", "true", "github,junit", ""},
		{"", "false", "", ""},
		{"junit,junitt", "", "", `-format: is "junitt", want junit, gobench, github, or several separated by commas; did you mean "junit"?`},
		{"tap", "true", "", `-format: is "tap", want junit, gobench, github, or several separated by commas`},
	}
	for _, tt := range tests {
		t.Setenv("GITHUB_ACTIONS", tt.actions)
		got, err := format.Parse(tt.list)
		if got != tt.want || fmt.Sprint(err) != tt.err && (err != nil || tt.err != "") {
			t.Errorf("%q with GITHUB_ACTIONS=%s: %q, %v, want %q, %s", tt.list, tt.actions, got, err, tt.want, tt.err)
		}
	}
}

func TestWriteAsked(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	out := t.TempDir()
	var b bytes.Buffer
	need.OK(t, format.WriteAsked(&b, out, "github,gobench", sample()))
	names, err := filepath.Glob(filepath.Join(out, "reports", "*"))
	if err != nil || len(names) != 1 || filepath.Base(names[0]) != "r.bench.txt" || !strings.HasPrefix(b.String(), "::error ") {
		t.Errorf("files %v, %v, output %s", names, err, &b)
	}
}

// A folder stands where the JUnit file belongs: the other formats are written all the same.
func TestWriteAskedTheOthers(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	out := t.TempDir()
	reports := filepath.Join(out, "reports")
	need.OK(t, os.MkdirAll(filepath.Join(reports, "r.junit.xml", "full"), 0o755))
	var b bytes.Buffer
	err := format.WriteAsked(&b, out, "github,gobench,junit", sample())
	if err == nil || !strings.HasPrefix(err.Error(), "write report as junit: ") {
		t.Errorf("got error %v", err)
	}
	if _, err := os.Stat(filepath.Join(reports, "r.bench.txt")); err != nil || !strings.HasPrefix(b.String(), "::error ") {
		t.Errorf("%v, output %s", err, &b)
	}
}

// JUnit XML is valid by the schema of Jenkins, whatever the texts are.
func TestJUnitSchema(t *testing.T) {
	xmllint := need.Program(t, "xmllint") // of Debian's libxml2-utils
	dir := t.TempDir()
	args := []string{"--noout", "--schema", filepath.Join("testdata", "junit-10.xsd")}
	for i, r := range append(all(spite, spiteful), sample(), defective(), &report.Report{}, &report.Report{Totals: report.Totals{Planned: 1}}) {
		name := filepath.Join(dir, fmt.Sprintf("%d.xml", i))
		args = append(args, name)
		need.Write(t, name, junit(t, r))
	}
	if out, err := exec.Command(xmllint, args...).CombinedOutput(); err != nil {
		t.Errorf("xmllint: %v\n%s", err, out)
	}
}

func all(f func(string) *report.Report, texts []string) (reports []*report.Report) {
	for _, text := range texts {
		reports = append(reports, f(text))
	}
	return reports
}

func junit(t *testing.T, r *report.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, format.JUnit(&b, r))
	return b.Bytes()
}

func TestJUnit(t *testing.T) {
	want := `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="openchrome-bench r" tests="6" failures="2" errors="1" time="6.000">
  <testsuite name="fails" tests="4" failures="2" errors="0" time="4.010">
    <properties>
PROPERTIES    </properties>
    <testcase name="fails#1" classname="fails" time="1.001">
      <failure message="WHY" type="failed">&#xA;WHY&#xA;&#xA;took     2 steps of at most 0, 3 calls, 0 errors, `
	properties := ""
	for _, f := range page.Header(sample()) {
		if !f.Whole {
			properties += fmt.Sprintf("      <property name=%q value=%q></property>\n", f.Name, strings.ReplaceAll(f.Text.String(), "'", "&#39;"))
		}
	}
	want = strings.Replace(want, "PROPERTIES", properties, 1)
	want = strings.ReplaceAll(want, "WHY", why.Line(sample().Episodes.At(0)))
	got := string(junit(t, sample()))
	need.Equal(t, "the beginning", want, got[:min(len(want), len(got))])
	for _, part := range []string{
		`<testsuite name="void" tests="1" failures="0" errors="1" time="1.001">`,
		fmt.Sprintf(`<error message="%s" type="adapter_error">`, why.Line(sample().Episodes.At(5))),
		`<testcase name="passes#1" classname="passes" time="1.001"></testcase>`,
	} {
		need.Has(t, got, part)
	}
	known := string(junit(t, defective()))
	for _, part := range []string{
		`<testsuites name="openchrome-bench r" tests="7" failures="2" errors="1" `,
		`<testsuite name="dlg-confirm" tests="1" failures="0" errors="0" skipped="1" `,
		`<skipped message="known defect: no tool says yes to a confirm"></skipped>`,
	} {
		need.Has(t, known, part)
	}
	r := sample()
	r.Totals.Planned = 9
	cut := string(junit(t, r))
	if !strings.Contains(cut, `tests="7" failures="2" errors="2"`) || !strings.Contains(cut, `<error message="NOT FINISHED: `) {
		t.Errorf("a run that was cut off has no error of its own:\n%s", cut)
	}
	// What a reader gets is what display shows.
	for _, text := range spiteful {
		var read struct {
			Suites []struct {
				Cases []struct {
					Failure struct {
						Message string `xml:"message,attr"`
					} `xml:"failure"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(junit(t, spite(text)), &read); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if got := read.Suites[0].Cases[0].Failure.Message; got != display.Visible(why.Line(spite(text).Episodes.At(0))) {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

// benchstat reads two files as they are, and compares what is comparable.
func TestGoBench(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, change func(*report.Report)) string {
		r := sample()
		for n := 5; n <= 12; n++ {
			e := r.Episodes.At(4)
			e.DurationMs += float64(n)
			r.Episodes.Add(*e)
		}
		change(r)
		var b bytes.Buffer
		need.OK(t, format.GoBench(&b, r))
		path := filepath.Join(dir, name)
		need.Write(t, path, b.Bytes())
		return path
	}
	base := write("base.txt", func(*report.Report) {})
	head := write("head.txt", func(r *report.Report) {
		r.Server.Version, r.Package.Path, r.Package.Commit = "1.8.0", "../branch", "def"
		for i, e := range r.Episodes.All() {
			e.DurationMs *= 2
			e.Steps = 3
			r.Episodes.Set(i, e)
		}
	})
	cmd := exec.Command("go", "tool", "benchstat", base, head)
	cmd.Dir = filepath.Join("..", "..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("benchstat: %v\n%s", err, out)
	}
	text := regexp.MustCompile(`[ │]+`).ReplaceAllString(string(out), " ")
	for _, want := range []string{
		"harness: unknown\n", "goos: linux\n", "goarch: amd64\n", "chromium: Chromium/156.0\n",
		"\nPasses-2 1.009 ± 0% 2.018 ± 0% +100.00% (p=0.000 n=9)", "steps/op", "\nPasses-2 2.000 ± 0% 3.000 ± 0% +50.00% (p=0.000 n=9)", "toolcalls/op", "\nFails-2 ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("benchstat's table has no %q:\n%s", want, out)
		}
	}
	if n := strings.Count(string(out), "goos:"); n != 1 || strings.Contains(text, "Void-2") {
		t.Errorf("want one table without the void task:\n%s", out)
	}
	for _, text := range spiteful {
		var b bytes.Buffer
		need.OK(t, format.GoBench(&b, spite(text)))
		lines := regexp.MustCompile(`(?m)^Benchmark[A-Z0-9_-][\w-]*-2 1 \d+ ns/op 2 steps/op 3 toolcalls/op$`).FindAllString(b.String(), -1)
		if units := strings.Count(b.String(), "\nUnit "); len(lines) != 5 || units != 2 || strings.Count(b.String(), "\nBenchmark") != 5 {
			t.Errorf("%q: want 5 lines of results and 2 of units:\n%s", text, &b)
		}
	}
}
