package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// changing is a log of two episodes with changed answer: a#1 failed, b#1 passes. The end of the
// answers, and the tab, differ between runs that did the same.
func changing(t *testing.T, tab, end string) *script {
	t.Helper()
	s := newScript("r", 2)
	start := s.events[0].Body.(*record.RunStart)
	start.Options.Drift = record.DriftCount
	for id, h1 := range map[string]string{"a": "Another Domain", "b": "Example Domain"} {
		name := s.begin(id, 1)
		s.call(name, 0, "navigate", `{}`, `{"tabId":"`+tab+`"}`, false)
		s.call(name, 1, "interact", `{}`, "✓ Clicked Send in "+tab+"\n["+end+"]", false)
		drift := s.events[len(s.events)-1].Body.(*record.ToolResult)
		drift.Drift = &adapter.Drift{Expected: `text with "Pressed"`, At: "transcript.jsonl:1"}
		s.judge(t, name, h1)
		if id == "b" {
			s.stop(name, record.Passed, 1)
			continue
		}
		s.stop(name, record.Failed, 1)
		stop := s.events[len(s.events)-1].Body.(*record.Stop)
		stop.Reason = record.ChangedReason(1, drift.ChangedWords())
	}
	s.end()
	return s
}

func TestFoldOfChangedAnswers(t *testing.T) {
	r := changing(t, tabA, "Page navigated").report(t)
	if r.Drift != record.DriftCount || r.Totals.ChangedAnswers != 2 || r.Totals.Passed != 1 || r.Totals.Failed != 1 {
		t.Errorf("drift %q, totals %+v", r.Drift, r.Totals)
	}
	want := []report.ChangedAnswer{{
		Step: 1, Tool: "interact", Drift: adapter.Drift{Expected: `text with "Pressed"`, At: "transcript.jsonl:1"}, Actual: `"✓ Clicked Send in TAB1"`,
	}}
	for _, e := range r.Episodes.All() {
		need.Equal(t, fmt.Sprintf("changed answers of %s", e.Name), want, e.ChangedAnswers)
	}
	const words = `transcript.jsonl:1: interact: expected text with "Pressed", got "✓ Clicked Send in TAB1"`
	if got, want := r.Episodes.At(0).Reason, "the answer of step 1 changed: "+words; got != want {
		t.Errorf("reason %s\nwant   %s", got, want)
	}
	raw, err := json.Marshal(r.Episodes.At(1).ChangedAnswers)
	if want := `[{"step":1,"tool":"interact","expected":"text with \"Pressed\"","at":"transcript.jsonl:1","actual":"\"✓ Clicked Send in TAB1\""}]`; err != nil || string(raw) != want {
		t.Errorf("JSON %s, %v\nwant %s", raw, err, want)
	}
	var b bytes.Buffer
	need.OK(t, format.Markdown(&b, r))
	const list = "  - **Changed answer:** expected ` text with \"Pressed\" `, got ` \"✓ Clicked Send in TAB1\" ` (transcript.jsonl:1)\n"
	for _, want := range []string{
		"- **Calls:** 2 steps, 4 tool calls, 0 errors, 2 changed answers\n",
		"- **1 failed:** whose is not known: the answer of step 1 changed: ", list,
		"- **2×** ` interact ` answered ` \"✓ Clicked Send in TAB1\" `, expected ` text with \"Pressed\" ` – ` a#1 `, ` b#1 `\n",
	} {
		need.Has(t, b.String(), want)
	}
}

// Runs in which the same answers changed are the same, however long a page took. Runs that treat
// them in different ways are not.
func TestCanonicalChangedAnswer(t *testing.T) {
	a, b := changing(t, tabA, "Page navigated"), changing(t, tabB, "Title: Sent")
	if x, y := a.report(t), b.report(t); x.Digest != y.Digest {
		t.Errorf("reports differ:\n%s", cmp.Diff(x, y))
	}
	a.events[0].Body.(*record.RunStart).Options.Drift = record.DriftStrict
	strict := a.report(t)
	if strict.Digest == b.report(t).Digest {
		t.Error("a strict run equals one that counts")
	}
	var md bytes.Buffer
	if err := format.Markdown(&md, strict); err != nil || !strings.Contains(md.String(), "**Strict:** a changed answer ends an episode\n") {
		t.Errorf("%v, not strict:\n%s", err, md.String())
	}
	// What is expected is compared, too.
	a, b = changing(t, tabA, "x"), changing(t, tabA, "x")
	for _, e := range a.events {
		if r, ok := e.Body.(*record.ToolResult); ok && r.Drift != nil {
			r.Drift.Expected = "an error"
		}
	}
	if a.report(t).Digest == b.report(t).Digest {
		t.Error("another expectation is not in the canonical report")
	}
}
