package format_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

func TestComparisonEscapesEverything(t *testing.T) {
	for _, text := range hostile {
		run := func(status record.Status, answer string) *report.Report {
			e := report.Episode{
				Name: text, TaskID: text, Repetition: 1, Status: status, Reason: text,
				Calls: []report.Call{{Tool: text, Digest: answer, Answer: text + answer}},
			}
			second, third, other := e, e, e
			second.Repetition, third.Repetition = 2, 3
			other.TaskID, other.Status = text+"x", record.Failed // on both sides, so its answer is a reworded one
			return &report.Report{
				RunID: text, Server: &record.Server{Name: text, Version: text, Launcher: text},
				Tasks: []report.Task{
					{Task: record.Task{ID: text, Title: text}, Contract: json.RawMessage(`{}`)},
					{Task: record.Task{ID: text + "x", Title: text}, Contract: json.RawMessage(`{}`)},
				},
				Totals:   report.Totals{Planned: 4, Finished: 4},
				Episodes: report.ListOf(e, second, third, other),
			}
		}
		c, err := compare.Compare(run(record.Passed, "a"), run(record.Failed, "b"), compare.Options{})
		need.OK(t, err)
		gate, err := compare.ParseGate("regressions==0,duration.rise<=1%")
		need.OK(t, err)
		var b bytes.Buffer
		need.OK(t, format.Comparison(&b, c, gate.Judge(c)))
		for _, want := range []string{"worse: ", "> Gate breached: ", "> Gate not judged: ", "## Episodes whose outcome changed", "## Answers"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%q: no %s", text, want)
			}
		}
		if n := strings.Count("\n"+b.String(), "\n# "); n != 1 || strings.Contains(b.String(), "\n```") {
			t.Errorf("%q: the text became a block in\n%s", text, b.String())
		}
		columns := 0
		for line := range strings.Lines(b.String()) {
			line = strings.TrimSuffix(line, "\n")
			for _, c := range line {
				if c < ' ' || c == 0x7f || c == '\u202e' {
					t.Errorf("%q: the character %U in %s", text, c, line)
				}
			}
			if !strings.HasPrefix(line, "|") {
				columns = 0
			} else if n := pipes(line); columns != 0 && n != columns {
				t.Errorf("%q: %d cell borders, want %d, in %s", text, n, columns, line)
			} else {
				columns = n
			}
			if bare := outsideCode(line); strings.Contains(bare, "<") || strings.Contains(bare, "](") || strings.Contains(bare, "://") {
				t.Errorf("%q: markup outside of code: %s", text, bare)
			}
		}
	}
}
