package suitecheck

import (
	"encoding/json"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/standin"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// An episode is judged without a page only if the tab is closed or shows no fixture page. Only
// the stand-in's own words in the metadata of its answer say that it cannot play an episode.
func TestRead(t *testing.T) {
	doubts := func(why string, broken bool) *record.ToolResult {
		raw, err := json.Marshal(map[string]any{"content": []any{}, "_meta": map[string]any{standin.InconclusiveKey: why, standin.BrokenKey: broken}})
		need.OK(t, err)
		return &record.ToolResult{Result: adapter.NewResult(raw)}
	}
	closed := &record.Facts{NoPage: "the tab is closed", Off: true}
	for _, test := range []struct {
		name    string
		answer  *record.ToolResult
		facts   *record.Facts
		standin bool
		fault   string
		refused bool
	}{
		{name: "closed", facts: closed},
		{name: "blank", facts: &record.Facts{NoPage: "the tab shows a blank page, about:blank", Off: true}},
		{name: "no Chromium", facts: &record.Facts{NoPage: "Chromium ended: the tab is closed"}, fault: "Chromium ended: the tab is closed"},
		{name: "crashed", facts: &record.Facts{NoPage: "the tab crashed"}, fault: "the tab crashed"},
		{name: "hangs", facts: &record.Facts{NoPage: "it did not answer in time"}, fault: "it did not answer in time"},
		{name: "the stand-in", answer: doubts("page needs scripts: https://a.test/", false), facts: &record.Facts{Missing: "page needs scripts"}, standin: true, fault: "page needs scripts", refused: true},
		{name: "a fault of the stand-in", answer: doubts("a fault of the stand-in: needs scripts", true), facts: &record.Facts{Missing: "needs scripts"}, standin: true, fault: "needs scripts"},
		{name: "the text of a page", answer: doubts("", false), facts: &record.Facts{Missing: "page needs scripts"}, standin: true, fault: "page needs scripts"},
		{name: "a real browser", answer: doubts("page needs scripts: https://a.test/", false), facts: &record.Facts{Missing: "page needs scripts"}, fault: "page needs scripts"},
	} {
		events := []record.Event{{Body: &record.ToolCall{}}}
		if test.answer != nil {
			events = append(events, record.Event{Body: test.answer})
		}
		got := read(append(events, record.Event{Body: test.facts}), test.standin)
		if got.fault != test.fault || got.refused != test.refused {
			t.Errorf("%s: fault %q, refused %t", test.name, got.fault, got.refused)
		}
	}
}
