package format_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func written(t *testing.T, write func(io.Writer, *report.Report) error, r *report.Report) string {
	t.Helper()
	var b bytes.Buffer
	need.OK(t, write(&b, r))
	return b.String()
}

// JUnit XML is valid by the schema of Jenkins, and safe to show, whatever the texts are.
func TestJUnitSchema(t *testing.T) {
	reports := []*report.Report{sample(), defective(), {}, {Totals: report.Totals{Planned: 1}}}
	for _, text := range spiteful {
		reports = append(reports, spite(text))
	}
	xmllint := need.Program(t, "xmllint") // of Debian's libxml2-utils
	dir := t.TempDir()
	args := []string{"--noout", "--schema", filepath.Join("testdata", "junit-10.xsd")}
	for i, r := range reports {
		text := written(t, format.JUnit, r)
		need.Is(t, "a text is not safe", false, strings.ContainsAny(text, "\u202e\ufffd\ufffe"))
		args = append(args, filepath.Join(dir, fmt.Sprintf("%d.xml", i)))
		need.Write(t, args[len(args)-1], text)
	}
	need.Run(t, exec.Command(xmllint, args...))
}

func TestJUnit(t *testing.T) {
	cut := sample()
	cut.Totals.Planned = 9
	for _, tt := range []struct {
		r    *report.Report
		want []string
	}{
		{sample(), []string{
			`<testsuites name="openchrome-bench r" tests="6" failures="2" errors="1" time="6.000">`,
			`<testsuite name="fails" tests="4" failures="2" errors="0" skipped="0" time="4.010">`,
			`<property name="package" value="abc, ../openchrome">`,
			`<failure message="whose is not known: the heading is another" type="failed">&#xA;whose is not known: the heading is another&#xA;Whose    not known: it is the first error&#xA;&#xA;took     2 steps of at most 0, 3 calls`,
			`<testsuite name="void" tests="1" failures="0" errors="1" skipped="0" time="1.001">`,
			`<error message="the transcript no longer fits" type="adapter_error">`,
			`<testcase name="passes#1" classname="passes" time="1.001"></testcase>`,
		}},
		{defective(), []string{
			`tests="7" failures="2" errors="1" `, `<testsuite name="dlg-confirm" tests="1" failures="0" errors="0" skipped="1" `,
			`<skipped message="server: known defect: no tool says yes to a confirm"></skipped>`,
		}},
		{cut, []string{`tests="7" failures="2" errors="2"`, `<error message="NOT FINISHED: `}},
	} {
		need.Has(t, written(t, format.JUnit, tt.r), tt.want...)
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
		path := filepath.Join(dir, name)
		need.Write(t, path, written(t, format.GoBench, r))
		return path
	}
	base := write("base.txt", func(*report.Report) {})
	head := write("head.txt", func(r *report.Report) {
		r.Server.Launcher = "playwright-mcp" // another server
		r.Server.Version, r.Package.Path, r.Package.Commit = "1.8.0", "../branch", "def"
		for i, e := range r.Episodes.All() {
			e.DurationMs *= 2
			e.Steps = 3
			r.Episodes.Set(i, e)
		}
	})
	cmd := exec.Command("go", "tool", "benchstat", base, head)
	cmd.Dir = filepath.Join("..", "..", "..")
	text := regexp.MustCompile(`[ │]+`).ReplaceAllString(string(need.Run(t, cmd)), " ")
	need.Has(t, text, "harness: unknown\n", "goos: linux\n", "goarch: amd64\n", "chromium: Chromium/156.0\n", "steps/op", "toolcalls/op", "\nFails-2 ",
		"\nPasses-2 1.009 ± 0% 2.018 ± 0% +100.00% (p=0.000 n=9)", "\nPasses-2 2.000 ± 0% 3.000 ± 0% +50.00% (p=0.000 n=9)", "\nPasses-2 1.000 ± 0% 1.000 ± 0%")
	if n := strings.Count(text, "goos:"); n != 1 || strings.Contains(text, "Void-2") {
		t.Errorf("want one table without the void task:\n%s", text)
	}
	for _, text := range spiteful {
		got := written(t, format.GoBench, spite(text))
		lines := regexp.MustCompile(`(?m)^Benchmark[A-Z0-9_-][\w-]*-2 1 (\d+ ns/op 1 passed/op 2 steps/op 3 toolcalls/op|0 passed/op)$`).FindAllString(got, -1)
		if len(lines) != 5 || strings.Count(got, "\nUnit ") != 3 || strings.Count(got, "\nBenchmark") != 5 {
			t.Errorf("%q: want 5 lines of results and 3 of units:\n%s", text, got)
		}
	}
}

func TestGitHub(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GITHUB_WORKSPACE", dir)
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(dir, "summary"))
	file := filepath.Join(dir, "tasks", "fails", "task.json")
	need.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
	need.Write(t, file, "{}")
	r := defective()
	r.Tasks[0].File, r.Tasks[2].File = file, "fixtures/void/task.json"
	want := "::error file=tasks/fails/task.json,title=2 failed%3A fails#1%2C …::whose is not known: the heading is another\n" +
		"::notice title=1 failed%3A dlg-confirm#1::server: known defect: no tool says yes to a confirm\n" +
		"::warning title=1 void (adapter error)%3A void#1::the transcript no longer fits\n"
	need.Equal(t, "annotations", want, written(t, format.GitHub, r))
	summary := string(need.Read(t, filepath.Join(dir, "summary")))
	need.Is(t, "reports in the summary", 1, strings.Count(summary, "# Run r\n"))
	r.Totals.Planned = 20
	need.Begins(t, written(t, format.GitHub, r), "::error title=Run r did not finish::NOT FINISHED")
	t.Setenv("GITHUB_STEP_SUMMARY", dir)
	need.Has(t, written(t, format.GitHub, r), "\n::warning title=openchrome-bench::job summary: ")
}

// A summary of over a MiB is cut at a line, so that GitHub shows it. The notice comes before
// the report, because GitHub hides what follows an open <details>.
func TestGitHubSummaryIsCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "summary")
	t.Setenv("GITHUB_STEP_SUMMARY", name)
	r := sample()
	for n := range 2_000 {
		e := r.Episodes.At(0)
		e.Reason, e.Digest = fmt.Sprint("reason ", n), ""
		r.Episodes.Add(*e)
	}
	for range 3 {
		need.OK(t, format.GitHub(io.Discard, r))
	}
	text := string(need.Read(t, name))
	if len(text) > 1<<20 || len(text) < 1<<19 || !strings.HasSuffix(text, "\n") {
		t.Errorf("the summary has %d bytes, and ends with %.200s", len(text), text[max(0, len(text)-200):])
	}
	before, _, found := strings.Cut(text, "All of it is in ` reports/r.md `.\n\n# Run r\n")
	if !found || strings.Count(before, "<details") != strings.Count(before, "</details>") {
		t.Errorf("the notice is missing or hidden; before it stands %.200s", before[max(0, len(before)-200):])
	}
}

var command = regexp.MustCompile(`^::(?:error|warning|notice) (?:file=([^:,\r\n]*),)?title=[^:,\r\n]*::([^\r\n]*)$`)

// No text makes a command, a property or a second annotation.
func TestGitHubCommandsAreEscaped(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	decode := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
	for _, text := range spiteful {
		for line := range strings.Lines(written(t, format.GitHub, spite(text))) {
			m := command.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
			if m == nil || strings.Contains(decode.Replace(m[2]), "\n") || decode.Replace(m[1]) != display.Visible(text) {
				t.Errorf("%q: %q is no annotation", text, line)
			}
		}
	}
}

// While a run prints what pages say, GitHub reads no commands.
func TestHoldCommands(t *testing.T) {
	var b bytes.Buffer
	release := format.HoldCommands(&b, "github,junit")
	b.WriteString("page\n")
	release()
	m := regexp.MustCompile(`^::stop-commands::([0-9a-f-]{36})\npage\n::([0-9a-f-]{36})::\n$`).FindStringSubmatch(b.String())
	if m == nil || m[1] != m[2] {
		t.Errorf("got %s", &b)
	}
	b.Reset()
	format.HoldCommands(&b, "junit")()
	need.Is(t, "without github", "", b.String())
}
