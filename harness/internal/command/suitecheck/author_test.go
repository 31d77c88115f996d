package suitecheck

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// good returns the output of these checks of the task "good", with another file in its folder.
func good(t *testing.T, checks, file, content string) string {
	t.Helper()
	o := planted(t, "tasks")
	o.Task, o.Check = "good", checks
	need.Write(t, filepath.Join(o.Tasks, "good", file), content)
	output, _, err := prove(t, o)
	if output == "" {
		t.Fatal(err)
	}
	return output
}

// What a line waits for is not typed: the goal need not say it, and there is no mistake in it.
func TestWaitedFor(t *testing.T) {
	for _, optional := range []string{"", `, "optional": true`} {
		output := good(t, "mutants,leak,goal", "transcript.jsonl", `{"tool": "wait_for", "args": {"tabId": "{{tabId}}", "type": "selector", "value": "#word"}`+optional+`}
{"tool": "fill_form", "args": {"tabId": "{{tabId}}", "fields": {"Word": "{{param.word}}"}, "submit": "Send"}}
`)
		if strings.Contains(output, "#word") || strings.Contains(output, "line 1 value") {
			t.Errorf("optional %q:\n%s", optional, output)
		}
	}
}

// Passing repetitions that were not alike are a note, and no failure.
func TestOtherDigests(t *testing.T) {
	// Each letter is a repetition that passed, with its answer; an x failed.
	for _, test := range []struct{ repetitions, detail, remark string }{
		{"aaaa", "4 of 4", ""},
		{"aaba", "4 of 4", "oracle: another digest in 1 of 4; mage bench:verify shows where"},
		{"bbac", "4 of 4", "oracle: another digest in 2 of 4; mage bench:verify shows where"},
		{"axaa", "3 of 4", ""},
	} {
		p := &proof{suite: &suite{}, played: make(map[string]func() played)}
		p.options.Repetitions = len(test.repetitions)
		for i, r := range test.repetitions {
			status := record.Passed
			if r == 'x' {
				status = record.Failed
			}
			raw, _ := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": string(r)}}})
			e := read([]record.Event{{Body: &record.ToolCall{}}, {Body: &record.ToolResult{Result: adapter.NewResult(raw)}},
				{Body: &record.Facts{Off: true}}, {Body: &record.Stop{Status: status, DurationMs: float64(i)}}}, false)
			p.played[fmt.Sprintf("oracle %d", i+1)] = func() played { return e }
		}
		var want []string
		if test.remark != "" {
			want = []string{test.remark}
		}
		if f := checks[0].find(t.Context(), p); f.detail != test.detail || !slices.Equal(f.remarks, want) || f.failed() != strings.Contains(test.repetitions, "x") {
			t.Errorf("%s: %+v", test.repetitions, f)
		}
	}
}
