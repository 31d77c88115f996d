package harness_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/drive/policy"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/compare"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// serveBroken serves a stand-in with a fault, over stdio:
//
//	error TOOL    the tool always answers an error
//	rename TOOL   the tool has another name
//	cut           each form is filled without the last character of a text
//	skip FILE     fills every second form without submitting it; the file counts the forms
//	hang FILE N   the Nth program never answers; the file counts those that were called
//	large SIZE    read_page answers that many bytes, but for the page that shows whether its description
//	              fits; without a SIZE it never ends
//	none          no fault
func serveBroken(how []string) int {
	called := sync.OnceValue(func() string { return strconv.Itoa(calls(how[1])) })
	probed := false // the page that shows whether a description fits is open
	return serveStdio(func(s *server.MCPServer, tools map[string]*server.ServerTool) {
		for name, tool := range tools {
			if how[0] == "rename" && name == how[1] {
				tool.Tool.Name += "_new"
			}
			s.AddTool(tool.Tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				switch args := r.GetArguments(); {
				case how[0] == "error" && name == how[1]:
					return mcp.NewToolResultError("Error: it is broken"), nil
				case how[0] == "hang" && called() == how[2]:
					select {}
				case name == "navigate":
					probed = args["url"] == policy.EveryControl
				case how[0] == "large" && name == "read_page" && !probed:
					return large(how[1:]), nil
				case how[0] == "skip" && args["submit"] != nil && calls(how[1])%2 == 0:
					delete(args, "submit")
				case how[0] == "cut" && name == "fill_form":
					for field, value := range args["fields"].(map[string]any) {
						if text, ok := value.(string); ok && text != "" {
							args["fields"].(map[string]any)[field] = text[:len(text)-1]
						}
					}
				}
				return tool.Handler(ctx, r)
			})
		}
	})
}

func large(size []string) *mcp.CallToolResult {
	for size == nil {
		os.Stdout.WriteString(strings.Repeat("x", 64<<10))
	}
	n, err := strconv.Atoi(size[0])
	if err != nil {
		panic(err)
	}
	return mcp.NewToolResultText(strings.Repeat("word ", n/5))
}

// calls counts how often it was called, also in other processes.
func calls(file string) int {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprint(f, "x")
	n, err := f.Seek(0, io.SeekCurrent) // the end of this "x", also if another process has written meanwhile
	if err != nil {
		panic(err)
	}
	return int(n)
}

// broken is a run of the tasks on a server with a fault.
func broken(t *testing.T, out, run string, options func(*harness.Options), how ...string) (*report.Report, error) {
	t.Helper()
	self := need.Self(t)
	o := onStandin(out)
	o.RunID, o.Server = run, strings.Join(append([]string{self, "broken"}, how...), " ")
	o.Parallel = 4 // each episode waits for late acts
	options(&o)
	err := harness.Run(t.Context(), o)
	r, reading := report.FromFile(t.Context(), filepath.Join(out, "events", run+".jsonl"))
	if reading != nil {
		t.Fatal(err, reading)
	}
	return r, err
}

// A build that is broken fails. No answer of it makes its episodes void.
func TestBrokenServerFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, drift string
		how         []string
		failed      map[string]string // task and what its reason says; all others pass
	}{
		{"none", record.DriftCount, []string{"none"}, nil},
		{"fill", record.DriftCount, []string{"error", "fill_form"}, map[string]string{"auth-login": "the answer of step 3 changed: ", "local-form-submit": "the answer of step 2 changed: "}},
		{"strict", record.DriftStrict, []string{"error", "fill_form"}, map[string]string{"auth-login": "the answer of step 3 changed: ", "local-form-submit": "the answer of step 2 changed: "}},
		{"navigate", record.DriftCount, []string{"error", "navigate"}, map[string]string{"auth-login": "none was opened", "local-form-submit": "none was opened", "example-h1": "none was opened"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			r, err := broken(t, out, test.name, func(o *harness.Options) {
				o.Task, o.Drift = "auth-login,example-h1,local-form-submit", test.drift
			}, test.how...)
			want := 0
			if len(test.failed) > 0 {
				want = harness.ExitFailed
			}
			if got := harness.ExitCode(err); got != want || r.Totals.Void > 0 || r.Totals.Failed != len(test.failed) {
				t.Errorf("exit code %d, want %d; %s", got, want, r.Totals.Verdict())
			}
			for _, e := range r.Episodes.All() {
				if reason, ok := test.failed[e.TaskID]; ok != (e.Status == record.Failed) || !strings.Contains(e.Reason, reason) {
					t.Errorf("%s: %s: %s", e.Name, e.Status, e.Reason)
				}
			}
			stored := filepath.Join(out, "events", test.name+".jsonl")
			if err := harness.Call(t.Context(), "report:show", harness.Options{Out: out, RunID: test.name, Judge: true, Stdout: io.Discard, Stderr: io.Discard}); err != nil {
				t.Errorf("%s judged again: %v", stored, err)
			}
		})
	}
}

// A build that skips half of its submits fails half of the time, and the comparison says so.
func TestSkippedSubmitsFail(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	o := onStandin(out)
	o.Task, o.Repetitions = "auth-login", 4
	need.OK(t, harness.Run(t.Context(), o))
	same := func(head *harness.Options) { head.Task, head.Repetitions = o.Task, o.Repetitions }
	head, _ := broken(t, out, "head", same, "skip", filepath.Join(out, "sessions"))
	base, err := report.FromFile(t.Context(), filepath.Join(out, "events", "r.jsonl"))
	need.OK(t, err)
	c, err := compare.Compare(base, head, compare.Options{})
	need.OK(t, err)
	if h := c.Tasks[0].Head; h.Passed != 2 || h.Lost != 2 || h.Void != 0 || c.Changed != 2 {
		t.Errorf("passed %d, lost %d, void %d; %d changed; %s", h.Passed, h.Lost, h.Void, c.Changed, c.Sentence)
	}
}
