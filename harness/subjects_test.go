package harness_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/harness/openchrome/standin"
	"github.com/openchrome/bench/harness/report"
	"github.com/openchrome/bench/sites"
)

// serverEnv makes this test binary an MCP server over stdio: it passes calls on
// to a stand-in, and has an oc_assert whose verdict is the variable's value.
const serverEnv = "OPENCHROME_BENCH_TEST_SERVER"

func serve(verdict string) int {
	web, err := sites.TransportFromEnv(os.Getenv)
	if err != nil {
		return 1
	}
	behind, err := client.NewInProcessClient(standin.New(standin.Options{Transport: web}).MCP())
	if err != nil {
		return 1
	}
	ctx := context.Background()
	hello := mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: openchrome.Protocol}}
	if _, err := behind.Initialize(ctx, hello); err != nil {
		return 1
	}
	s := server.NewMCPServer("two-judges", "1")
	for _, tool := range []string{"navigate", "read_page", "javascript_tool"} {
		s.AddTool(mcp.NewTool(tool), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return behind.CallTool(ctx, r)
		})
	}
	s.AddTool(mcp.NewTool("oc_assert"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(`{"verdict":"` + verdict + `","evidence":{"passed":false,"assertion_kind":"dom_text","details":{}}}`), nil
	})
	if server.ServeStdio(s) != nil {
		return 1
	}
	return 0
}

// Two judges who disagree leave no verdict; both sides are in the log.
func TestCrossJudge(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		verdict string
		status  event.Status
	}{
		{"pass", event.Passed}, {"fail", event.Inconclusive}, {"inconclusive", event.Inconclusive},
	} {
		t.Run(test.verdict, func(t *testing.T) {
			t.Setenv(serverEnv, test.verdict)
			out := t.TempDir()
			o := onStandin(out)
			o.OpenChrome, o.Task = self+" serve", "example-h1"
			err := harness.Run(t.Context(), o)
			if e, ok := errors.AsType[*harness.ExitError](err); err != nil && (!ok || e.Code != harness.ExitVoid) {
				t.Fatal(err)
			}
			r, err := report.Read(filepath.Join(out, "reports", "r.json"))
			if err != nil {
				t.Fatal(err)
			}
			e := r.Episodes[0]
			if e.Status != test.status {
				t.Errorf("status %s (%s), want %s", e.Status, e.Reason, test.status)
			}
			if want := "here pass, OpenChrome's oc_assert " + test.verdict; test.status != event.Passed && !strings.Contains(e.Reason, want) {
				t.Errorf("the reason does not show both sides: %s", e.Reason)
			}
			log, err := os.ReadFile(filepath.Join(out, "events", "r.jsonl"))
			if err != nil || !bytes.Contains(log, []byte(`"upstream":{"verdict":"`+test.verdict+`"`)) {
				t.Errorf("the log does not hold OpenChrome's verdict (%v)", err)
			}
		})
	}
}

// The stand-in is the same in this process and as a program over stdio, at the
// step cap too; a server that is none is told apart.
func TestParity(t *testing.T) {
	program := filepath.Join(t.TempDir(), "standin")
	build := exec.Command("go", "build", "-o", program, "./harness/openchrome/standin/cmd/standin")
	build.Dir = root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	parity := func(o harness.Options, subjects string) (string, error) {
		var out bytes.Buffer
		o.Out, o.RunID, o.Stdout, o.Stderr = t.TempDir(), "p", &out, io.Discard
		err := harness.Parity(t.Context(), harness.ParityOptions{Options: o, Subjects: subjects})
		return out.String(), err
	}
	if out, err := parity(harness.Options{}, "standin,"+program); err != nil || !strings.Contains(out, "IDENTICAL: 3 episodes") {
		t.Errorf("got %v\n%s", err, out)
	}
	if out, err := parity(harness.Options{MaxSteps: new(2)}, "standin,"+program); err != nil || !strings.Contains(out, "max_steps") {
		t.Errorf("at the step cap: got %v\n%s", err, out)
	}
	_, err := parity(harness.Options{}, "standin,/bin/false")
	if e, ok := errors.AsType[*harness.ExitError](err); !ok || e.Code != harness.ExitVoid {
		t.Errorf("a server that is none: got %v", err)
	}

	// A server without fill_form does not get as far.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(serverEnv, "fail")
	tasks := t.TempDir()
	writeTask(t, filepath.Join(tasks, "status"), "https://recovery.test/status", `{"kind":"url","pattern":"/order"}`,
		`{"tool":"fill_form","args":{"tabId":"{{tabId}}","fields":{"Order number":"1042"},"submit":"Check status"}}`)
	out, err := parity(harness.Options{Selection: harness.Selection{Tasks: tasks}}, "standin,"+self+" serve")
	if e, ok := errors.AsType[*harness.ExitError](err); !ok || e.Code != harness.ExitDifference || strings.Count(out, "differs") != 1 {
		t.Errorf("got %v, want one row that differs\n%s", err, out)
	}
	_, err = parity(harness.Options{}, "standin,nosuch1,nosuch2")
	if err == nil || !strings.Contains(err.Error(), "nosuch1") || !strings.Contains(err.Error(), "nosuch2") {
		t.Errorf("two subjects that do not work here: got %v, want both", err)
	}
	_, err = parity(harness.Options{}, "standin")
	if e, ok := errors.AsType[*harness.ExitError](err); !ok || e.Code != harness.ExitUsage {
		t.Errorf("one subject: got %v", err)
	}
}

// A subject whose run ends early does not leave the others waiting for its turns.
func TestParityEndsEarly(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(serverEnv, "pass")
	for _, test := range []struct {
		name string
		out  io.Writer
		file string // exists before
		want string
	}{
		{"the log of its run exists", io.Discard, "events/p-2.jsonl", "run p-2 already exists"},
		{"its output breaks", &breaksOnce{mark: "example-h1#1"}, "", "NOT FINISHED"},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := t.TempDir()
			if test.file != "" {
				name := filepath.Join(out, filepath.FromSlash(test.file))
				if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, nil, 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			o := harness.Options{Out: out, RunID: "p", Repetitions: new(3)}
			o.Task, o.Stdout, o.Stderr = "example-h1", test.out, io.Discard
			err := harness.Parity(ctx, harness.ParityOptions{Options: o, Subjects: "standin," + self + " serve"})
			if ctx.Err() != nil {
				t.Fatal("it waited until the test gave up")
			}
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// breaksOnce is an output whose write with the mark fails, once.
type breaksOnce struct {
	mark   string
	broken atomic.Bool
}

func (b *breaksOnce) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(b.mark)) && b.broken.CompareAndSwap(false, true) {
		return 0, errors.New("broken")
	}
	return len(p), nil
}
