package page_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/page"
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
		d := page.Compared(c, gate.Judge(c), "")
		escaped(t, text, d)
		var b bytes.Buffer
		need.OK(t, page.Markdown(&b, d))
		for _, want := range []string{"worse: ", "- **Gate breached:** ", "- **Gate not judged:** ", "## 3 pairs with a different outcome", "## Answers"} {
			need.Has(t, b.String(), want)
		}
	}
}
