package suitecheck

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
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
