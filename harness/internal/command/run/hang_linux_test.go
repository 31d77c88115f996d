package run

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/command/program"
	"github.com/openchrome/bench/harness/internal/drive/standin"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/record/eventlog"
	"github.com/openchrome/bench/harness/internal/tell/report"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// hangsEnv says how many hangs TestHang and TestHangLocal plant at least.
const hangsEnv = "OPENCHROME_BENCH_HANGS"

// A hang is a task whose episode hangs.
type hang struct {
	name   string // id of the task, and the tool that hangs
	path   string // of the start page; "" is the page of the normal task
	status record.Status
	reason string // part of it
}

// Between the hangs, a normal task runs, which passes.
const normal = "normal"

// Whatever hangs, the episode ends within 250 ms of its time cap, with the right status, the
// run goes on, and nothing is left.
func TestHang(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 10 s")
	}
	const cap, notDone = time.Second, "not done within 1s"
	self := need.Self(t)
	o := hangOptions(t, cap, 8, []hang{
		{"silence", "", record.Timeout, notDone},
		{"half-a-line", "", record.Timeout, notDone},
		{"endless-line", "", record.Timeout, notDone},
		{"flood", "", record.Timeout, notDone},
		{"sigstop", "", record.Timeout, notDone},
		{"web", "/never", record.Timeout, notDone},
		{"adapter", "", record.Timeout, notDone},
		{"facts", "", record.Failed, "no page to judge: it did not answer in time"},
	})
	o.Server = self + " hang"
	o.hang(t)
}

// The same on a real OpenChrome and Chromium, where one session runs at a time.
func TestHangLocal(t *testing.T) {
	dist := need.OpenChrome(t)
	const cap, notDone = 8 * time.Second, "not done within 8s"
	tmp := need.ShortTemp(t)
	t.Setenv("TMPDIR", tmp)
	o := hangOptions(t, cap, 5, []hang{
		{"loop", "/loop", record.Timeout, notDone},
		{"web", "/never", record.Timeout, notDone},
		{"stopped-browser", "", record.Timeout, notDone},
		{"stopped-server", "", record.Timeout, notDone},
		{"adapter", "", record.Timeout, notDone},
	})
	o.Server, o.Package = "local", dist
	o.Turn = NewTurns(1).Of(0)
	o.hang(t)
	need.Gone(t, filepath.Join(tmp, "openchrome-bench-*"))
}

// hanging is a run of tasks that hang.
type hanging struct {
	Options
	hangs []hang
	cap   time.Duration
}

// hangOptions writes the tasks and their pages. Each of them runs as often as needed for
// that many hangs, in an order that mixes them.
func hangOptions(t *testing.T, cap time.Duration, count int, hangs []hang) *hanging {
	t.Helper()
	if v := os.Getenv(hangsEnv); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("%s is %q, want a number", hangsEnv, v)
		}
		count = n
	}
	o := &hanging{hangs: hangs, cap: cap}
	dir := t.TempDir()
	o.RunID, o.Out, o.Tasks, o.Sites = "r", filepath.Join(dir, "out"), filepath.Join(dir, "tasks"), filepath.Join(dir, "sites")
	o.Stdout, o.Stderr = io.Discard, io.Discard
	o.Adapter, o.Order, o.Repetitions = "hangs", 1, (count+len(hangs)-1)/len(hangs)
	const head = `<!doctype html><meta charset=utf-8><title>Hangs</title><link rel=icon href="data:,"><h1>Open</h1>`
	files := map[string]string{
		"sites/hangs.test/index.html":  head,
		"sites/hangs.test/loop.html":   head + `<script>for (;;);</script>`,
		"sites/hangs.test/routes.json": `[{"path": "/never", "fault": "hang"}]`,
	}
	for _, h := range append(hangs, hang{name: normal}) {
		expected, tool := "Never", h.name // so that only the normal task can pass
		if h.name == normal {
			expected, tool = "Open", "read_page"
		}
		files["tasks/"+h.name+"/transcript.jsonl"] = fmt.Sprintf(`{"tool": %q, "args": {}}`, tool) // for the mock adapter
		files["tasks/"+h.name+"/task.json"] = fmt.Sprintf(`{"id": %q, "title": "Hang", "startUrl": "https://hangs.test%s", "goal": %[1]q, "category": "info_retrieval",
			"success": {"kind": "dom_text", "selector": "h1", "contains": %[3]q}, "maxSteps": 5, "maxDurationMs": %[4]d}`, h.name, h.path, expected, cap.Milliseconds())
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		need.Write(t, name, text)
	}
	if _, err := transcript.Find(o.Adapter); err != nil {
		adapter.Register(adapter.Kind{Name: o.Adapter, Prepare: func() (adapter.Factory, error) {
			return func() (adapter.Adapter, error) { return new(hangAdapter), nil }, nil
		}})
	}
	return o
}

// hang makes the run, and checks it.
func (o *hanging) hang(t *testing.T) {
	err := Run(t.Context(), o.Options)
	if program.ExitCode(err) != program.ExitFailed {
		t.Fatalf("got %v, want exit code 3", err)
	}
	want := map[string]hang{normal: {name: normal, status: record.Passed}}
	for _, h := range o.hangs {
		want[h.name] = h
	}
	// How much later than the cap an episode ended: by its clock, and by its last event.
	clock, last := map[string][]time.Duration{}, map[string][]time.Duration{}
	var began time.Time
	_, err = eventlog.ReadFile(t.Context(), filepath.Join(o.Out, "events", "r.jsonl"), func(e record.Event) error {
		switch b := e.Body.(type) {
		case *record.Reset:
			began = e.TS
		case *record.Stop:
			task, _, _ := strings.Cut(e.Episode, "#")
			if w := want[task]; b.Status != w.status || !strings.Contains(b.Reason, w.reason) {
				t.Errorf("%s is %s (%s), want %s (%s)", e.Episode, b.Status, b.Reason, w.status, w.reason)
			}
			if task != normal {
				clock[task] = append(clock[task], time.Duration(b.DurationMs*float64(time.Millisecond))-o.cap)
				last[task] = append(last[task], e.TS.Sub(began)-o.cap)
			}
		}
		return nil
	})
	need.OK(t, err)
	var clocks, lasts []time.Duration
	for _, h := range o.hangs {
		if n := len(clock[h.name]); n != o.Repetitions {
			t.Errorf("%d episodes of %s, want %d", n, h.name, o.Repetitions)
		}
		t.Logf("%-16s by its clock %s; by its last event %s", h.name, quantiles(clock[h.name]), quantiles(last[h.name]))
		clocks, lasts = append(clocks, clock[h.name]...), append(lasts, last[h.name]...)
	}
	t.Logf("%-16s by its clock %s; by its last event %s", "all", quantiles(clocks), quantiles(lasts))
	if len(clocks) < 100 { // too few for a percentile: what each hang takes at least, on a busy machine
		for _, h := range o.hangs {
			if late := max(quantile(clock[h.name], 0), quantile(last[h.name], 0)); late > 30*time.Second {
				t.Errorf("%s ends %s after its cap, want at most 30 s", h.name, late)
			}
		}
	} else {
		const limit = 250 * time.Millisecond
		if p99 := quantile(clocks, 0.99); p99 > limit {
			t.Errorf("99%% of the hangs ended within %s of their cap, want %s", p99, limit)
		}
		// The last event of an episode that has an observer comes after its last look at the page.
		if p99 := quantile(lasts, 0.99); p99 > limit && o.Server != "local" || p99 > 2*time.Second {
			t.Errorf("the last events of 99%% of the hangs came within %s of the cap, want %s", p99, limit)
		}
	}
	if r, err := report.FromFile(t.Context(), o.EventsFile()); err != nil || !r.Totals.Complete() {
		t.Errorf("the run is not complete: %v", err)
	}
	need.Until(t, "the end of all processes", func() bool { return len(started()) == 0 })
}

// quantile returns the smallest value that this share of the values does not exceed.
func quantile(values []time.Duration, share float64) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}

func quantiles(values []time.Duration) string {
	at := func(share float64) time.Duration { return quantile(values, share).Round(time.Millisecond) }
	return fmt.Sprintf("p50 %s, p99 %s, max %s (%d)", at(0.5), at(0.99), at(1), len(values))
}

// hangAdapter makes one call, to the tool that the goal names.
type hangAdapter struct{}

func (hangAdapter) Next(_ context.Context, s adapter.State) (adapter.Decision, error) {
	if len(s.Steps) > 1 {
		return adapter.Decision{Done: true}, nil
	}
	read := adapter.Decision{Call: adapter.Call{Tool: "read_page", Args: json.RawMessage(`{"tabId": "` + s.TabID + `"}`)}}
	switch s.Goal {
	case normal, "loop":
		return read, nil
	case "adapter":
		select {} // whatever its context says
	case "stopped-browser":
		return read, stop("chromium")
	case "stopped-server":
		return read, stop("node")
	}
	return adapter.Decision{Call: adapter.Call{Tool: s.Goal}}, nil
}

// stop stops the one program with this name that runs below this process.
func stop(program string) error {
	var found []int
	for pid, args := range started() {
		if name, rest, _ := strings.Cut(args, "\x00"); filepath.Base(name) == program && !strings.Contains(rest, "--type=") {
			found = append(found, pid)
		}
	}
	if len(found) != 1 {
		return fmt.Errorf("%d programs are %s", len(found), program)
	}
	return syscall.Kill(found[0], syscall.SIGSTOP)
}

// started returns the arguments of the processes below this one, without its watchdog.
func started() map[int]string {
	found := need.Below(os.Getpid())
	maps.DeleteFunc(found, func(_ int, args string) bool {
		return strings.HasPrefix(args, "openchrome-bench-watchdog\x00")
	})
	return found
}

// This binary is an MCP server over stdio for these tests. It has a few tools of a stand-in, and one for
// each way to hang.
func init() {
	if len(os.Args) == 2 && os.Args[1] == "hang" {
		if err := serveHangs(); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
}

func serveHangs() error {
	web, err := serve.TransportFromEnv(os.Getenv)
	if err != nil {
		return err
	}
	tools := standin.New(standin.Options{Transport: web}).MCP().ListTools()
	s := server.NewMCPServer("hangs", "1")
	var mute atomic.Int32 // from 2, no facts can be read
	s.AddTools(*tools["navigate"], *tools["read_page"])
	javascript := tools["javascript_tool"]
	s.AddTool(javascript.Tool, func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if mute.Load() > 0 && mute.Add(1) > 2 {
			select {}
		}
		return javascript.Handler(ctx, r)
	})
	s.AddTool(mcp.NewTool("facts"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		mute.Store(1) // the progress after this call can be read
		return mcp.NewToolResultText("done"), nil
	})
	for tool, act := range map[string]func(){
		"silence":      func() {},
		"half-a-line":  func() { os.Stdout.WriteString(`{"jsonrpc":"2.0","id":1`) },
		"endless-line": func() { writeForever(strings.Repeat("x", 4<<10)) },
		"flood": func() {
			writeForever(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"flood"}}` + "\n")
		},
		"sigstop": func() { syscall.Kill(os.Getpid(), syscall.SIGSTOP) },
	} {
		s.AddTool(mcp.NewTool(tool), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			act()
			select {}
		})
	}
	return server.ServeStdio(s)
}

// writeForever writes to both outputs until nobody reads them.
func writeForever(text string) {
	for err := error(nil); err == nil; {
		_, err = os.Stdout.WriteString(text)
		os.Stderr.WriteString(text)
	}
}
