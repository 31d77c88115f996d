package harness_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/web"
)

// playAgent is an agent that this binary is. It returns its exit code. "replays" finds its task by
// the goal and makes the calls of the mock adapter; the others make one call.
func playAgent(name string) int {
	switch name {
	case "leaks": // its token and its key, wherever it can write
		key, token := os.Getenv("TEST_KEY"), os.Getenv("OPENCHROME_BENCH_MCP_TOKEN")
		askMCP("tools/list", struct{}{})
		for _, secret := range []string{key, token, encode("base64", "user:"+key), encode("base64url", key), encode("query", key), "x" + token + "y"} {
			tab := os.Getenv("OPENCHROME_BENCH_TAB_ID")
			askMCP("tools/call", map[string]any{"name": "read_page", "arguments": map[string]any{"tabId": tab, secret: secret}})
			askMCP("tools/call", map[string]any{"name": secret})
			askMCP("tools/call", map[string]any{"name": "navigate", "arguments": map[string]any{"url": "https://example.com/?" + encode("query", secret), "tabId": tab}})
			fmt.Println(secret)
		}
		said, _ := json.Marshal(map[string]string{"answer": "the key is " + key})
		os.WriteFile(os.Getenv("OPENCHROME_BENCH_AGENT_RESULT"), said, 0o600)
		fmt.Fprintln(os.Stderr, "panic:", key)
		return 3
	case "forks": // and is deaf to SIGINT, like its child in another session
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
		self, _ := os.Executable()
		child := exec.Command("sh", "-c", `setsid "$0" agent sleeps & exec "$0" agent sleeps`, self)
		child.Start()
		askMCP("tools/list", struct{}{})
		for {
			if text := askMCP("tools/call", map[string]any{"name": "nothing"}).Text(); strings.Contains(text, "is over") {
				break
			}
		}
		time.Sleep(time.Hour)
	case "sleeps":
		signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "reads":
		askMCP("tools/list", struct{}{})
		askMCP("tools/call", map[string]any{"name": "read_page", "arguments": map[string]any{"tabId": os.Getenv("OPENCHROME_BENCH_TAB_ID")}})
		return 0
	case "fails":
		askMCP("tools/list", struct{}{})
		askMCP("tools/call", map[string]any{"name": "nothing"})
		fmt.Println("wrong key")
		return 75
	}
	do := replay
	switch name {
	case "models":
		do = modelledTasks[os.Args[3]].perform
	case "calls":
		do = makeCalls
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func encode(how, s string) string {
	switch how {
	case "base64":
		return base64.StdEncoding.EncodeToString([]byte(s))
	case "base64url":
		return base64.RawURLEncoding.EncodeToString([]byte(s))
	}
	return url.QueryEscape(s)
}

// askMCP sends a request to the endpoint, and decodes its result or its error.
func askMCP(method string, params any) adapter.Result {
	body, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	r, _ := http.NewRequest(http.MethodPost, os.Getenv("OPENCHROME_BENCH_MCP_URL"), bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+os.Getenv("OPENCHROME_BENCH_MCP_TOKEN"))
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return adapter.Result{}
	}
	defer response.Body.Close()
	raw, _ := io.ReadAll(response.Body)
	var got struct {
		Result json.RawMessage
		Error  *adapter.RPCError
	}
	json.Unmarshal(raw, &got)
	if got.Error != nil {
		return adapter.Result{RPCError: got.Error}
	}
	return adapter.NewResult(got.Result)
}

// replay makes the calls of the transcript of the task with the goal.
func replay() error {
	set, err := web.Open()
	if err != nil {
		return err
	}
	kind, _ := transcript.Find(transcript.Mock)
	reader := transcript.Reader{Kind: kind, Options: task.Options{Hosts: set.Hosts(), Draws: set.Draws()}}
	folders, err := task.Open(task.Source{Name: "fixtures", FS: fixtures.FS})
	if err != nil {
		return err
	}
	goal, dir := os.Getenv("OPENCHROME_BENCH_GOAL"), regexp.MustCompile(`\S*/`+adapter.FilesDir+`/`)
	for _, f := range folders {
		p, err := reader.Read(f)
		if err != nil {
			return err
		}
		files := map[string]string{}
		for name := range p.Uploads {
			files[name] = dir.FindString(goal) + name
		}
		if task.FillUploads(p.Goal, files) == goal {
			return replayTask(p, files)
		}
	}
	return fmt.Errorf("no task has the goal %q", goal)
}

func replayTask(p transcript.Prepared, files map[string]string) error {
	a, err := p.Adapter()
	if err != nil {
		return err
	}
	askMCP("tools/list", struct{}{})
	state := adapter.State{Refs: server.OpenChrome().Answers.Refs, Files: files, TabID: os.Getenv("OPENCHROME_BENCH_TAB_ID"), Steps: make([]adapter.Step, 1)}
	for {
		d, err := a.Next(context.Background(), state)
		if err != nil || d.Done || d.Unsupported != "" {
			return err
		}
		args := d.Call.Args
		if args == nil {
			args = json.RawMessage("{}")
		}
		result := askMCP("tools/call", map[string]any{"name": d.Call.Tool, "arguments": args})
		state.Steps = append(state.Steps, adapter.Step{Call: d.Call, Result: result})
		state.TabID = episode.TabAfter(server.OpenChrome(), state.TabID, d.Call, result)
	}
}

// agentLine is the value of -adapter for an agent that this binary is, under another name: the
// agent must not see this one.
func agentLine(t testing.TB, name string) string {
	t.Helper()
	self := need.Self(t)
	program := filepath.Join(t.TempDir(), "replayer")
	if os.Link(self, program) != nil {
		raw := need.Read(t, self)
		need.OK(t, os.WriteFile(program, raw, 0o755))
	}
	return "agent:" + program + " agent " + name
}
