package format_test

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/format"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// Arguments that nest deep do not make a report a thousand times as large as they are.
func TestNestedArguments(t *testing.T) {
	args := json.RawMessage(strings.Repeat(`{"a":`, 9990) + "1" + strings.Repeat("}", 9990))
	r := &report.Report{Episodes: report.ListOf(report.Episode{TaskID: "a", Repetition: 1, Status: record.Passed, LastToolCall: &adapter.Call{Tool: "t", Args: args}})}
	for name, write := range map[string]func(io.Writer, *report.Report) error{"report": format.JSON, "canonical report": report.Canonical} {
		var b bytes.Buffer
		need.OK(t, write(&b, r))
		if b.Len() > 3*len(args) {
			t.Errorf("the %s has %d bytes", name, b.Len())
		}
		var again report.Report
		if err := json.Unmarshal(b.Bytes(), &again); err != nil || again.Episodes.Len() != 1 {
			t.Errorf("the %s cannot be read: %v", name, err)
		}
	}
}
