package harness_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// The mock adapter behind the endpoint has the mock's results. That is what says that the endpoint
// adds nothing and loses nothing.
func TestMockAsAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs all tasks of the stand-in twice")
	}
	o := onStandin(t.TempDir())
	o.Suite, o.Parallel = "all", 2
	sameAsMock(t, o)
}

// So it is on a real OpenChrome, here and in containers.
func TestMockAsAgentOnOpenChrome(t *testing.T) {
	dist := need.OpenChrome(t)
	for _, kind := range []string{"local", "container"} {
		t.Run(kind, func(t *testing.T) {
			if kind == "container" {
				if err := exec.Command(need.Program(t, "docker"), "info").Run(); err != nil {
					need.Missing(t, fmt.Sprint("docker info: ", err))
				}
			}
			o := onStandin(t.TempDir())
			o.Server, o.Package = kind, filepath.Dir(filepath.Dir(dist))
			sameAsMock(t, o)
		})
	}
}

func sameAsMock(t *testing.T, o harness.Options) {
	t.Helper()
	o.MaxSteps, o.MaxDuration = 100, 10*time.Minute // those of an agent
	canonical := func(o harness.Options) map[string]any {
		err := harness.Run(t.Context(), o)
		if code := harness.ExitCode(err); code != harness.ExitPassed && code != harness.ExitFailed {
			t.Fatal(err)
		}
		raw := need.Read(t, filepath.Join(o.Out, "reports", o.RunID+".canonical.json"))
		var fields map[string]any
		need.OK(t, json.Unmarshal(raw, &fields))
		for _, name := range []string{"adapter", "agent", "path"} {
			delete(fields, name)
		}
		for _, list := range []string{"tasks", "episodes"} {
			for _, one := range fields[list].([]any) {
				delete(one.(map[string]any), "transcript")
				delete(one.(map[string]any), "events")
			}
		}
		return fields
	}
	o.RunID = "mock"
	mock := canonical(o)
	if n := len(mock["episodes"].([]any)); n < 6 {
		t.Fatalf("%d episodes", n)
	}
	t.Logf("%d elements of the mock's canonical report", len(mock["episodes"].([]any)))
	o.RunID, o.Adapter = "agent", agentLine(t, "replays")
	if diff := cmp.Diff(mock, canonical(o)); diff != "" {
		t.Errorf("mismatch (-mock +agent):\n%.5000s", diff)
	}
}

// A key that the agent writes into calls, answers and output is in no file of the run.
func TestSecretsOfAgents(t *testing.T) {
	const key = `k3y/with+"odd" \chars>12`
	t.Setenv("TEST_KEY", key)
	o := onStandin(t.TempDir())
	o.Task, o.Adapter, o.AgentEnv = "example-h1", agentLine(t, "leaks"), "TEST_KEY"
	if err := harness.Run(t.Context(), o); harness.ExitCode(err) != harness.ExitVoid {
		t.Fatalf("got %v, want a void episode", err)
	}
	read := 0
	err := filepath.WalkDir(o.Out, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		read++
		raw, err := os.ReadFile(path)
		quoted, _ := json.Marshal(key)
		for _, secret := range []string{key, string(bytes.Trim(quoted, `"`)), encode("query", key), strings.ToLower(encode("query", key)), encode("base64", key), encode("base64url", key), encode("base64", "user:"+key)[8:40]} {
			if bytes.Contains(raw, []byte(secret)) {
				t.Errorf("%s holds %s", path, secret)
			}
		}
		if filepath.Base(filepath.Dir(path)) == "events" && !bytes.Contains(raw, []byte("[hidden]")) {
			t.Errorf("%s hides nothing: did the agent leak?", path)
		}
		return err
	})
	if err != nil || read < 5 {
		t.Errorf("read %d files: %v", read, err)
	}
	r := reportOf(t, o.Out)
	if e := r.Episodes.At(0); len(e.Calls) != 19 || e.AgentSaid.Answer != "the key is [hidden]" || !strings.HasSuffix(e.Reason, "panic: [hidden]") {
		t.Errorf("%d calls, answer %q, reason %q", len(e.Calls), e.AgentSaid.Answer, e.Reason)
	}
}

// Three void episodes in a row end a run of an agent. -retries repeats only outages.
func TestVoidEpisodesInARow(t *testing.T) {
	var printed bytes.Buffer
	o := onStandin(t.TempDir())
	o.Task, o.Repetitions, o.Retries, o.Adapter, o.Stdout = "example-h1", 10, 1, agentLine(t, "fails"), &printed
	err := harness.Run(t.Context(), o)
	if harness.ExitCode(err) != harness.ExitVoid || !strings.Contains(err.Error(), "3 void episodes in a row") || !strings.Contains(err.Error(), "its last lines: wrong key") {
		t.Fatalf("got %v\n%s", err, printed.String())
	}
	r := reportOf(t, o.Out)
	if n := r.Episodes.Len(); n < 3 || n > 5 || r.Totals.Planned != 10 || r.Episodes.At(0).Status != record.Inconclusive || r.Episodes.At(0).Retries != 1 {
		t.Errorf("%d episodes of %d, %+v", n, r.Totals.Planned, r.Episodes.At(0))
	}
	o.RunID, o.Adapter = "s", agentLine(t, "leaks")
	t.Setenv("TEST_KEY", "abcdefgh")
	harness.Run(t.Context(), o)
	if r, err = report.FromFile(t.Context(), filepath.Join(o.Out, "events", "s.jsonl")); err != nil {
		t.Fatal(err)
	}
	if e := r.Episodes.At(0); e.Status != record.AdapterError || e.Retries != 0 {
		t.Errorf("an agent that failed: %s, %d retries", e.Status, e.Retries)
	}
}

// Commands that cannot use an agent refuse it, and options of agents need one.
func TestAgentsAreRefused(t *testing.T) {
	o := onStandin(t.TempDir())
	o.Task, o.Adapter = "example-h1", "agent:true"
	check := o
	check.RunID, check.Out, check.Server = "", "", ""
	alone := onStandin(o.Out)
	alone.AgentPorts = "443"
	for want, err := range map[string]error{
		"-adapter: is an agent; two runs of an agent": harness.Call(t.Context(), "bench:verify", o),
		"-adapter: is an agent; task:check runs":      harness.Call(t.Context(), "task:check", check),
		"-agentPorts: is for agents only":             harness.Run(t.Context(), alone),
	} {
		if harness.ExitCode(err) != harness.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A run of another agent, or of one that may use more, is not resumed.
func TestAgentIsPartOfThePlan(t *testing.T) {
	o := onStandin(t.TempDir())
	o.Task, o.Adapter = "example-h1", agentLine(t, "reads")
	need.OK(t, harness.Run(t.Context(), o))
	o.Resume = o.RunID
	for want, change := range map[string]func(*harness.Options){
		"the agent's command line: sha256:": func(o *harness.Options) { o.Adapter += " more" },
		"-agentPorts: none and 443":         func(o *harness.Options) { o.AgentPorts = "443" },
		"-adapter: agent:replayer and mock": func(o *harness.Options) { o.Adapter = "mock" },
	} {
		other := o
		change(&other)
		if err := harness.Run(t.Context(), other); harness.ExitCode(err) != harness.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	need.OK(t, harness.Run(t.Context(), o))
}

// An episode that passed becomes a transcript that passes on other seeds. One that failed becomes a
// forbidden one, and an episode whose calls cannot be repeated becomes none.
func TestRecord(t *testing.T) {
	o := onStandin(t.TempDir())
	o.Task, o.Seed = "local-form-submit", 5
	need.OK(t, harness.Run(t.Context(), o))
	tasks := t.TempDir()
	file := filepath.Join(tasks, "local-form-submit", "transcript.jsonl")
	need.OK(t, os.CopyFS(filepath.Dir(file), os.DirFS(filepath.Join(root(), "fixtures", "local-form-submit"))))
	need.Write(t, file, "{\"tool\": \"read_page\", \"args\": {}}\n")
	var printed bytes.Buffer
	into := onStandin(o.Out)
	into.Episode, into.Tasks, into.Stdout = "local-form-submit#1", tasks, &printed
	if err := harness.Call(t.Context(), "task:record", into); err != nil || strings.Count(printed.String(), "passed 3 of 3 on seed") != 3 {
		t.Fatalf("%v\n%s", err, printed.String())
	}
	raw, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(raw), `"Name":"{{param.name}}"`) || !strings.Contains(string(raw), `"By {{param.reply}}":"true"`) {
		t.Errorf("%v, the transcript is\n%s", err, raw)
	}
	o.RunID, o.Adapter = "failed", agentLine(t, "reads")
	if err := harness.Run(t.Context(), o); harness.ExitCode(err) != harness.ExitFailed {
		t.Fatal(err)
	}
	into.RunID = "failed"
	need.OK(t, harness.Call(t.Context(), "task:record", into))
	need.OK(t, need.Err(os.Stat(filepath.Join(filepath.Dir(file), "forbidden.failed.jsonl"))))
	o.RunID, o.Adapter = "long", agentLine(t, "models wanders")
	if err := harness.Run(t.Context(), o); harness.ExitCode(err) != harness.ExitFailed {
		t.Fatal(err)
	}
	into.RunID = "long"
	printed.Reset()
	into.Stderr = &printed
	if err := harness.Call(t.Context(), "task:record", into); harness.ExitCode(err) != harness.ExitUsage || !strings.Contains(printed.String(), "the episode has 11 calls, and its task allows 10; raise maxSteps in task.json") {
		t.Errorf("an episode of more calls than its task allows: %v\n%s", err, printed.String())
	}
	into.Episode = "local-form-submit#2"
	if err := harness.Call(t.Context(), "task:record", into); harness.ExitCode(err) != harness.ExitUsage {
		t.Errorf("an episode that is not there: %v", err)
	}
}
