//go:build unix

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/confine"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
)

// scripted returns an agent that plays a script: this binary under another name, because the agent
// must not see this one.
func scripted(t *testing.T, script string, o Options) *Agent {
	t.Helper()
	self := need.Self(t)
	program := filepath.Join(t.TempDir(), "scripted")
	if os.Link(self, program) != nil {
		raw := need.Read(t, self)
		need.OK(t, os.WriteFile(program, raw, 0o755))
	}
	t.Setenv(scriptEnv, script)
	o.Line = program + " agent"
	o.Env = strings.Trim(o.Env+","+scriptEnv, ",")
	a, err := New(t.Context(), o)
	need.OK(t, err)
	return a
}

// each runs a test with the agent confined as well as it can be here, and without.
func each(t *testing.T, test func(t *testing.T, change func(*Agent))) {
	t.Run("confined", func(t *testing.T) { test(t, func(*Agent) {}) })
	t.Run("unconfined", func(t *testing.T) { test(t, func(a *Agent) { a.means = confine.Means{} }) })
}

// played is how an episode with an agent went.
type played struct {
	calls    int
	startErr error
	err      error // of Next
	said     adapter.Agent
	left     []int // processes
	folder   string
}

// episode plays an episode whose server answers each call by the name of its tool. It ends at a cap of
// steps, or when ctx ends.
func episode(ctx context.Context, t *testing.T, a *Agent, steps int) (p played) {
	t.Helper()
	made, _ := a.Adapter()
	prog := made.(*program)
	state := adapter.State{
		Goal: "G", StartURL: "https://example.com/", TabID: "TAB", MaxSteps: steps, MaxDuration: time.Minute,
		Tools: []adapter.Tool{{Name: "read", InputSchema: json.RawMessage(`{"properties":{"tabId":{}}}`), Raw: json.RawMessage(`{"name":"read"}`)}},
		Steps: make([]adapter.Step, 1),
	}
	p.startErr = prog.Start(ctx, state)
	for p.startErr == nil && p.calls < steps {
		d, err := prog.Next(ctx, state)
		if p.err = err; err != nil || d.Done {
			break
		}
		p.calls++
		state.Steps = append(state.Steps, adapter.Step{Call: d.Call, Result: text(d.Call.Tool)})
	}
	p.folder = prog.dir
	var tree []int
	if prog.process != nil {
		tree = descendants(prog.process.Cmd.Process.Pid)
	}
	p.said = prog.End(ctx, state)
	alive := func(pid int) bool { left, ok := watchdog.FindProcess(pid); return ok && left.Alive() }
	tick, end := time.Tick(10*time.Millisecond), time.Now().Add(3*time.Second)
	for slices.ContainsFunc(tree, alive) && time.Now().Before(end) { // a killed process needs a moment to end
		<-tick
	}
	for _, pid := range tree {
		if alive(pid) {
			p.left = append(p.left, pid)
		}
	}
	return p
}

// descendants returns a process and all processes below it.
func descendants(pid int) []int {
	all := []int{pid}
	stats, _ := filepath.Glob("/proc/[0-9]*")
	for i := 0; i < len(all); i++ {
		for _, dir := range stats {
			var n int
			json.Unmarshal([]byte(filepath.Base(dir)), &n)
			if p, ok := watchdog.FindProcess(n); ok && p.Parent == all[i] {
				all = append(all, n)
			}
		}
	}
	return all
}

// Blame: how an agent ends says what its episode counts as.
func TestBlame(t *testing.T) {
	tests := []struct {
		name, script string
		err          string // of Start or Next
		failure      string
		outage       string
		exit         string
		steps        int
	}{
		{name: "exit 0 is judged", script: "exits 0", exit: "exit status 0"},
		{name: "an outage", script: "exits 75", err: "what the agent needs failed, as it says: exit status 75; its last lines: one | two | three[31m",
			outage: "what the agent needs failed, as it says: exit status 75; its last lines: one | two | three[31m", exit: "exit status 75"},
		{name: "another exit", script: "exits 3", err: "the agent ended: exit status 3; its last lines: one | two | three[31m",
			failure: "the agent ended: exit status 3; its last lines: one | two | three[31m", exit: "exit status 3"},
		{name: "it does not know MCP", script: "prints usage: me", err: "the agent ended before it listed the tools: exit status 3; its last lines: usage: me",
			failure: "the agent ended before it listed the tools: exit status 3; its last lines: usage: me", exit: "exit status 3"},
		{name: "it never lists the tools", script: "sleeps", err: "the agent did not list the tools within 300ms", failure: "the agent did not list the tools within 300ms", exit: " "},
		{name: "it calls before it lists", script: "unlisted", err: "list the tools first, with tools/list", failure: "list the tools first, with tools/list", exit: "exit status 0"},
		{name: "no call, exit 0", script: "lists", err: "the agent ended without a call; it printed nothing", failure: "the agent ended without a call", exit: "exit status 0"},
		{name: "no call for long", script: "thinks", err: "the agent made no call within 300ms", failure: "the agent made no call", exit: " "},
		{name: "a cap, and it ends by itself", script: "exits 3", steps: 1, exit: "exit status 3"},
		{name: "a cap, and it says that there was an outage", script: "exits 75", steps: 1, outage: "what the agent needs failed", exit: "exit status 75"},
		{name: "a cap, and it must be asked", script: "polite", steps: 1, exit: "exit status 1"},
	}
	each(t, func(t *testing.T, change func(*Agent)) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				a := scripted(t, tt.script, Options{})
				change(a)
				a.limits = limits{10 * time.Second, 10 * time.Second, 200 * time.Millisecond, 5 * time.Second}
				if strings.Contains(tt.err, "within") {
					a.limits = limits{300 * time.Millisecond, 300 * time.Millisecond, 0, 50 * time.Millisecond}
				}
				if tt.script == "thinks" {
					a.limits.list = 10 * time.Second
				}
				if tt.steps == 0 {
					tt.steps = 5
				}
				p := episode(t.Context(), t, a, tt.steps)
				err := errors.Join(p.startErr, p.err)
				if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
					t.Errorf("error: got %v, want %s", err, tt.err)
				}
				same := func(what, got, want string) {
					if (got == "") != (want == "") || !strings.Contains(got, want) {
						t.Errorf("%s: got %q, want %q", what, got, want)
					}
				}
				same("failure", p.said.Error, tt.failure)
				same("outage", p.said.Outage, tt.outage)
				same("exit", p.said.Exit, tt.exit)
				if p.left != nil {
					t.Errorf("processes %v are left", p.left)
				}
				need.Gone(t, p.folder)
			})
		}
	})
}

// An agent that ignores SIGINT, and its child in another session, are killed.
func TestDeafAgent(t *testing.T) {
	each(t, func(t *testing.T, change func(*Agent)) {
		a := scripted(t, "deaf", Options{})
		change(a)
		a.limits.grace, a.limits.interrupt = 100*time.Millisecond, 100*time.Millisecond
		began := time.Now()
		p := episode(t.Context(), t, a, 1)
		if p.said.Exit != "signal: killed" || p.said.Error != "" || p.left != nil {
			t.Errorf("it ended by %q, with the error %q; left: %v", p.said.Exit, p.said.Error, p.left)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// If the run was stopped, nobody waits for the agent.
func TestStoppedRun(t *testing.T) {
	a := scripted(t, "deaf", Options{})
	ctx, stop := context.WithCancel(t.Context())
	made := 0
	prog := newProgram(a)
	state := adapter.State{Steps: make([]adapter.Step, 1), Tools: rawTools(`{"name":"read"}`)}
	need.OK(t, prog.Start(ctx, state))
	if _, err := prog.Next(ctx, state); err == nil {
		made++
	}
	stop()
	began := time.Now()
	said := prog.End(ctx, state)
	if took := time.Since(began); took > 5*time.Second || made != 1 || said.Exit != "signal: killed" {
		t.Errorf("it took %v, %d calls, exit %s", took, made, said.Exit)
	}
}

// An agent that fills its folder is killed, and is to blame for its end.
func TestAgentsQuota(t *testing.T) {
	each(t, func(t *testing.T, change func(*Agent)) {
		for _, then := range []string{"and waits", "and ends"} {
			a := scripted(t, "fills "+then, Options{})
			change(a)
			a.quota = 64 << 20
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			p := episode(ctx, t, a, 5)
			cancel()
			const want = "the agent and its programs were stopped: they wrote more than our limit of 64 MiB into their folder"
			if p.said.Error != want || p.err == nil || p.err.Error() != want || p.said.Outage != "" {
				t.Errorf("%s: %v, %+v", then, p.err, p.said)
			}
		}
	})
}

// Calls after the end get an error, and are counted.
func TestLateCalls(t *testing.T) {
	p := episode(t.Context(), t, scripted(t, "late", Options{}), 3)
	if p.calls != 3 || p.said.Late != 100 || p.said.Exit != "exit status 0" || p.said.Error != "" {
		t.Errorf("%d calls, %+v", p.calls, p.said)
	}
}

// The agent finds its server and its task where the wire contract says.
func TestWhatTheAgentGets(t *testing.T) {
	t.Setenv("TEST_KEY", "k3y-k3y-k3y")
	t.Setenv("TEST_OTHER", "not passed")
	a := scripted(t, "looks", Options{Env: "TEST_KEY"})
	p := episode(t.Context(), t, a, 5)
	got := string(p.said.Output)
	need.Has(t, got,
		`"browser": {`, `"type": "http"`, `"Authorization": "Bearer `, "/mcp\"", "The page https://example.com/ is open in the tab with the id TAB.", "The task: G",
		"in "+p.folder+"/work home "+p.folder+"/home secret k3y-k3y-k3y other \n")
	prog := newProgram(a)
	need.Equal(t, "secrets", []string{prog.token, "k3y-k3y-k3y", "looks"}, prog.Secrets())
}

// What an agent writes of itself is taken if it can be true.
func TestResult(t *testing.T) {
	number := func(n int) *int { return &n }
	cost := 0.25
	tests := []struct {
		name, file string
		want       adapter.Agent
	}{
		{"all", `{"answer":"a","model":"m","usage":{"requests":2,"inputTokens":3,"cachedInputTokens":4,"cacheWriteTokens":0,"outputTokens":5,"reasoningTokens":6},"costUsd":0.25}`,
			adapter.Agent{Answer: "a", Model: "m", CostUSD: &cost, Usage: &adapter.Usage{Requests: number(2), InputTokens: number(3), CachedInput: number(4), CacheWriteTokens: number(0), OutputTokens: number(5), ReasoningTokens: number(6)}}},
		{"some", `{"usage":{"outputTokens":0}}`, adapter.Agent{Usage: &adapter.Usage{OutputTokens: number(0)}}},
		{"nothing", `{}`, adapter.Agent{}},
		{"no JSON", `answer`, adapter.Agent{}},
		{"less than nothing", `{"answer":"a","usage":{"outputTokens":-1}}`, adapter.Agent{}},
		{"more than is possible", `{"usage":{"inputTokens":9000000000000}}`, adapter.Agent{}},
		{"a negative cost", `{"answer":"a","costUsd":-1}`, adapter.Agent{}},
		{"an infinite cost", `{"costUsd":1e999}`, adapter.Agent{}},
		{"a cost of a million", `{"costUsd":1e6}`, adapter.Agent{CostUSD: new(1e6)}},
		{"a cost above a million", `{"answer":"a","costUsd":1000000.01}`, adapter.Agent{}},
		{"an error", `{"error":"no money"}`, adapter.Agent{Answer: "no money"}},
		{"too large", `{"answer":"` + strings.Repeat("x", maxResult) + `"}`, adapter.Agent{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newProgram(new(Agent))
			p.dir = t.TempDir()
			need.Write(t, filepath.Join(p.dir, resultFile), tt.file)
			var got adapter.Agent
			p.readResult(&got)
			need.Equal(t, "", tt.want, got)
		})
	}
	p := episode(t.Context(), t, scripted(t, `tells {"answer":"done"}`, Options{}), 5)
	need.Is(t, fmt.Sprintf("a real agent: %+v", p.said), "done", p.said.Answer)
}

// A wrong option stops the run before anything starts, and the error names it.
func TestOptions(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"no command", Options{}, "-adapter: agent: it has no program; write the command line"},
		{"an open quote", Options{Line: `a "b`}, "-adapter: "},
		{"no such program", Options{Line: "no-such-program-here -x"}, "-adapter: agent: "},
		{"a variable that is not set", Options{Line: "true", Env: "NO_SUCH_KEY,NOR_THIS"}, "-agentEnv: NO_SUCH_KEY, NOR_THIS: not set"},
		{"no port", Options{Line: "true", Ports: "https"}, "-agentPorts: is \"https\""},
		{"port 0", Options{Line: "true", Ports: "443,0"}, "-agentPorts: is"},
		{"no such file", Options{Line: "true", Read: "/no/such/file"}, "-agentRead: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			need.Fails(t, need.Err(New(t.Context(), tt.o)), tt.want)
		})
	}
}

// Words of a command line that name files get whole paths, because the agent runs elsewhere.
func TestCommandLine(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"agent.py", "run"} {
		need.OK(t, os.WriteFile(name, nil, 0o755))
	}
	a := new(Agent)
	need.OK(t, a.find(`./run run 'a b' agent.py -x ./agent.py no.py`))
	in := func(name string) string { return filepath.Join(dir, name) }
	if diff := cmp.Diff([]string{in("run"), "run", "a b", in("agent.py"), "-x", in("agent.py"), "no.py"}, a.command); diff != "" || a.Name() != "agent:run" {
		t.Errorf("%s, mismatch (-want +got):\n%s", a.Name(), diff)
	}
}

// A report names what an agent could reach, and what could not be closed.
func TestConfinementInWords(t *testing.T) {
	own := confine.Means{Namespaces: true, Network: true, Landlock: 7, Seccomp: true}
	shared := confine.Means{Landlock: 7, Seccomp: true}
	for _, tt := range []struct {
		means confine.Means
		ports []uint16
		want  string
	}{
		{own, nil, "namespaces, a network of its own, Landlock 7 and seccomp; it could connect only to its endpoint"},
		{own, []uint16{443, 8080, dns}, "namespaces, a network of its own, Landlock 7 and seccomp; it could connect to its endpoint and to the ports 443, 8080 of every IPv4 address, and use DNS"},
		{shared, nil, "Landlock 7 and seccomp; it could connect only to its endpoint, and listen on every port"},
		{shared, []uint16{443, dns}, "Landlock 7 and seccomp; it could connect to its endpoint and to the ports 443 of every address, send datagrams to every address, and listen on every port"},
		{confine.Means{Landlock: 3, Seccomp: true}, nil, "Landlock 3 and seccomp; it could connect to every address, and listen on every port"},
		{confine.Means{Landlock: 7}, nil, "Landlock 7; it could connect to every address, and listen on every port"},
		{confine.Means{}, nil, "none"},
	} {
		a := &Agent{means: tt.means, access: confine.Access{Connect: tt.ports}}
		need.Is(t, "", tt.want, a.confinement())
	}
}
