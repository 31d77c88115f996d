package format_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/tell/why"
	"github.com/openchrome/bench/harness/internal/text/display"
)

func TestGitHub(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GITHUB_WORKSPACE", dir)
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(dir, "summary"))
	file := filepath.Join(dir, "tasks", "fails", "task.json")
	need.OK(t, os.MkdirAll(filepath.Dir(file), 0o755))
	task := "{\n  \"id\": \"fails\",\n  \"success\": {\"kind\": \"and\", \"children\": [\n    {\"kind\": \"no_dialog\"},\n    {\"kind\": \"not\",\n" +
		"     \"child\": {\"kind\": \"dom_text\", \"contains\": \"x\"}}\n  ]}\n}\n"
	need.Write(t, file, task)
	r := sample()
	r.Tasks[0].File, r.Tasks[2].File = file, "fixtures/void/task.json"
	annotations := func(r *report.Report) string {
		t.Helper()
		var b bytes.Buffer
		need.OK(t, format.GitHub(&b, r))
		return b.String()
	}
	want := "::error file=tasks/fails/task.json,line=6,title=fails%3A 2 of 4 failed::" + why.Line(r.Episodes.At(0)) + "\n" +
		"::warning title=void%3A 1 of 1 void::" + why.Line(r.Episodes.At(5)) + "\n"
	need.Equal(t, "annotations", want, annotations(r))
	// A task file that changed after the run says nothing of the line.
	need.Write(t, file, strings.Replace(task, `"x"`, `"y"`, 1))
	if got := annotations(r); !strings.Contains(got, "task.json,line=1,title=fails") {
		t.Errorf("another contract, and the annotation is %s", got)
	}
	summary, err := os.ReadFile(filepath.Join(dir, "summary"))
	if err != nil || strings.Count(string(summary), "# Run r\n") != 2 {
		t.Errorf("want both reports in the summary: %v\n%s", err, summary)
	}
	// At most ten of a level, and a run that was cut off says so.
	r.Totals.Planned = 20
	for n := range 12 {
		e := r.Episodes.At(0)
		e.Status, e.Reason, e.FailedContract = record.ToolError, "the server died: "+strings.Repeat("x", n), nil
		r.Episodes.Add(*e)
	}
	got := annotations(r)
	if !strings.HasPrefix(got, "::error title=Run r did not finish::NOT FINISHED") || strings.Count(got, "\n::error ") != 10 || !strings.Contains(got, "::notice title=openchrome-bench::3 more annotations not shown here") {
		t.Errorf("annotations:\n%s", got)
	}
}

// A summary of over a MiB is cut at a line, so that GitHub shows it. The notice comes before
// the report, because GitHub hides what follows an open <details>.
func TestGitHubSummaryIsCut(t *testing.T) {
	name := filepath.Join(t.TempDir(), "summary")
	t.Setenv("GITHUB_STEP_SUMMARY", name)
	r := sample()
	for n := range 20_000 {
		e := r.Episodes.At(0)
		e.Reason = fmt.Sprint("reason ", n)
		r.Episodes.Add(*e)
	}
	for range 3 {
		need.OK(t, format.GitHub(io.Discard, r))
	}
	text, err := os.ReadFile(name)
	if err != nil || len(text) > 1<<20 || len(text) < 1<<19 || text[len(text)-1] != '\n' {
		t.Errorf("the summary has %d bytes, %v, and ends with %.200s", len(text), err, text[max(0, len(text)-200):])
	}
	before, _, found := strings.Cut(string(text), "All of it is in ` reports/r.md `.\n\n# Run r\n")
	if !found || strings.Count(before, "<details") != strings.Count(before, "</details>") {
		t.Errorf("the notice is missing or hidden; before it stands %.200s", before[max(0, len(before)-200):])
	}
}

// A summary that cannot be written is a warning.
func TestGitHubWithoutSummary(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", t.TempDir()) // a folder
	var b bytes.Buffer
	if err := format.GitHub(&b, sample()); err != nil || !strings.Contains(b.String(), "\n::warning title=openchrome-bench::job summary: ") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

var command = regexp.MustCompile(`^::(error|warning|notice) (?:file=([^:,\r\n]*),line=(\d+),)?title=([^:,\r\n]*)::([^\r\n]*)$`)

// No text makes a command, a property or a second annotation.
func TestGitHubCommandsAreEscaped(t *testing.T) {
	t.Setenv("GITHUB_STEP_SUMMARY", "")
	decode := strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")
	for _, text := range spiteful {
		var b bytes.Buffer
		need.OK(t, format.GitHub(&b, spite(text)))
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) != 2 { // one for the failures, one for the void episode
			t.Errorf("%q: %d annotations:\n%s", text, len(lines), &b)
		}
		for _, line := range lines {
			m := command.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%q: %q is no annotation", text, line)
				continue
			}
			if got := decode.Replace(m[5]); strings.Contains(got, "\n") {
				t.Errorf("%q: the message is %q", text, got)
			}
			need.Is(t, fmt.Sprintf("%q: the file", text), display.Visible(text), decode.Replace(m[2]))
		}
	}
}

// While a run prints what pages say, GitHub reads no commands.
func TestHoldCommands(t *testing.T) {
	var b bytes.Buffer
	release := format.HoldCommands(&b, "github,junit")
	b.WriteString("page\n")
	release()
	if !regexp.MustCompile(`^::stop-commands::([0-9a-f-]{36})\npage\n::[0-9a-f-]{36}::\n$`).MatchString(b.String()) {
		t.Errorf("got %s", &b)
	}
	lines := strings.Split(b.String(), "\n")
	if strings.TrimPrefix(lines[0], "::stop-commands::")+"::" != strings.TrimPrefix(lines[2], "::") {
		t.Errorf("the tokens differ: %s", &b)
	}
	b.Reset()
	format.HoldCommands(&b, "junit")()
	if b.Len() > 0 {
		t.Errorf("without github it prints %s", &b)
	}
}
