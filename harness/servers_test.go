package harness_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/drive/standin"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// serveStdio serves the web of the environment with the tools that add makes of those of a stand-in. It
// returns the exit code.
func serveStdio(add func(s *server.MCPServer, tools map[string]*server.ServerTool)) int {
	web, err := serve.TransportFromEnv(os.Getenv)
	if err == nil {
		s := server.NewMCPServer(record.StandinName, "1")
		add(s, standin.New(standin.Options{Transport: web}).MCP().ListTools())
		err = server.ServeStdio(s)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// serveMCP makes this test binary an MCP server over stdio, without fill_form.
func serveMCP() int {
	return serveStdio(func(s *server.MCPServer, tools map[string]*server.ServerTool) {
		s.AddTools(*tools["navigate"], *tools["read_page"], *tools["javascript_tool"])
	})
}

// The stand-in is the same in this process and as a program over stdio, at the step cap
// too. A server that is none leaves void episodes, which do not hold up the other.
func TestParity(t *testing.T) {
	t.Parallel()
	self := need.Self(t)
	program := self + " broken none"
	tasks := t.TempDir()
	writeTask(t, filepath.Join(tasks, "status"), "https://recovery.test/status", `{"kind":"url","pattern":"/order"}`,
		`{"tool":"fill_form","args":{"tabId":"{{tabId}}","fields":{"Order number":"1042"},"submit":"Check status"}}`)

	for _, test := range []struct {
		name, servers, gate string
		options             harness.Options
		code                int
		says                []string // in the output or the error
	}{
		{
			name: "the same", servers: "standin," + program, gate: "regressions==0,changed-answers==0,success>=1,duration.rise<=1000000%",
			options: harness.Options{Task: "example-h1", Repetitions: 6},
			says: []string{
				"no outcome changed in 1 task × 6", "TIME OF A CALL",
				"KEPT: regressions==0, changed-answers==0, success>=1, duration.rise<=1000000%\n",
			},
		},
		{
			name: "step cap", servers: "standin," + program, options: harness.Options{Task: "local-recovery-stall", MaxSteps: 2},
			says: []string{"max_steps", "no outcome changed in 1 task × 1"},
		},
		{
			name: "no server", servers: "standin,/bin/false," + program, options: harness.Options{Task: "example-h1"},
			says: []string{
				"too few episodes to say: no pair of episodes counts\n",
				"left out void episodes, which say nothing about the server: 1 of 1 (", "no outcome changed in 1 task × 1",
			},
		},
		{
			name: "no server, and a gate", servers: "standin,/bin/false", gate: "success>=0.5", code: harness.ExitRefused,
			says: []string{"NOT JUDGED: success>=0.5: void episodes could change the answer"},
		},
		{
			name: "a server without a tool", servers: "standin," + self + " serve", gate: "regressions==0", code: harness.ExitGate,
			options: harness.Options{Tasks: tasks, Repetitions: 3},
			says:    []string{"3 of 3 to 0 of 3", "BREACHED: regressions==0: 1 regression: status, 3 of 3 to 0 of 3"},
		},
		{
			name: "a build that shows nothing of a page", servers: "standin," + self + " broken error read_page", gate: "regressions==0", code: harness.ExitGate,
			options: harness.Options{Task: "local-form-submit", Adapter: "policy:ref", Repetitions: 3},
			says:    []string{"the description of openchrome does not fit: ", "BREACHED: regressions==0: 1 regression: local-form-submit@ref, 3 of 3 to 0 of 3"},
		},
		{name: "servers that do not work here", servers: "standin,nosuch1,nosuch2", code: harness.ExitUsage, says: []string{"nosuch1", "nosuch2"}},
		{name: "one server", servers: "standin", code: harness.ExitUsage},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // it mostly waits
			var out bytes.Buffer
			o := test.options
			if o.Task == "" && o.Tasks == "" {
				o.Task = baselineTasks
			}
			o.Out, o.RunID, o.Stdout, o.Stderr = t.TempDir(), "p", &out, io.Discard
			o.Servers, o.Gate = test.servers, test.gate
			err := harness.Call(t.Context(), "bench:parity", o)
			need.Is(t, "exit code", test.code, harness.ExitCode(err))
			text := out.String()
			if err != nil {
				text += err.Error()
			}
			need.Has(t, text, test.says...)
		})
	}
}

// buildStandin builds the stand-in as a program.
func buildStandin(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "standin")
	build := exec.Command("go", "build", "-o", program, "./harness/internal/drive/standin/cmd/standin")
	build.Dir = root()
	need.Run(t, build)
	return program
}

// -format writes more formats for each server. The table of the servers is in the terminal, the
// Markdown and the HTML.
func TestParityFormats(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	o := harness.Options{Out: t.TempDir(), RunID: "p", Servers: "standin," + need.Self(t) + " broken none", Format: "junit,gobench"}
	o.Task, o.Stdout, o.Stderr = "example-h1", &out, io.Discard
	need.OK(t, harness.Call(t.Context(), "bench:parity", o))
	reports := filepath.Join(o.Out, "reports")
	for _, name := range []string{"p-1.junit.xml", "p-2.junit.xml", "p-1.bench.txt", "p-2.bench.txt"} {
		need.OK(t, need.Err(os.Stat(filepath.Join(reports, name))))
	}
	for _, suffix := range []string{"md", "html"} {
		text := need.Read(t, filepath.Join(reports, "p."+suffix))
		need.Has(t, string(text), "Servers", "tokens of answers", "words held", "tokens of tools", "memory", "1 of 1")
	}
	need.Has(t, out.String(), "TOKENS OF ANSWERS", "MEMORY")
}

// A server whose run ends early does not leave the others waiting for its turns.
func TestParityEndsEarly(t *testing.T) {
	self := need.Self(t)
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
				need.Write(t, name, "")
			}
			ctx := need.Within(t, 30*time.Second)
			o := harness.Options{Out: out, RunID: "p", Repetitions: 3}
			o.Task, o.Stdout, o.Stderr = "example-h1", test.out, io.Discard
			o.Servers = "standin," + self + " serve"
			err := harness.Call(ctx, "bench:parity", o)
			if ctx.Err() != nil {
				t.Fatal("it waited until the test gave up")
			}
			need.Fails(t, err, test.want)
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
