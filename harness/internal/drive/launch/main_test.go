package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/watchdog"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// serverEnv makes the test binary the MCP server of a test. Its value says
// what kind: plain, stubborn, silent, mute, broken or harness.
const serverEnv = "OPENCHROME_TEST_SERVER"

func TestMain(m *testing.M) {
	watchdog.Main()
	switch kind := os.Getenv(serverEnv); kind {
	case "":
		os.Exit(m.Run())
	case "harness": // no server, but what a test kills
		useLocal()
	case "silent": // takes everything, answers nothing
		fmt.Fprintln(os.Stderr, "thinking about it")
		bufio.NewReader(os.Stdin).ReadString(0)
	case "mute":
		bufio.NewReader(os.Stdin).ReadString(0)
	case "broken":
		fmt.Fprint(os.Stderr, "node:internal:1143\n  throw err;\n\nError: Cannot find module '/x'\n    at y\n\nNode.js v20.20.2\n")
		os.Exit(7)
	case "stubborn": // ends for nothing but SIGKILL
		signal.Ignore(syscall.SIGTERM)
		testServer().ServeStdin()
		select {}
	default:
		if serve := servers[kind]; serve != nil {
			serve()
			return
		}
		testServer().ServeStdin()
	}
}

// servers are kinds that not every system has.
var servers = map[string]func(){}

// line returns the command line of this test binary as a server.
func line(kind string) string {
	return fmt.Sprintf("env %s=%s '%s'", serverEnv, kind, os.Args[0])
}

var deleted []*os.File // open until this process ends

type testMCP struct{ *server.MCPServer }

func (s testMCP) ServeStdin() {
	server.NewStdioServer(s.MCPServer).Listen(context.Background(), os.Stdin, os.Stdout)
}

// testServer is an MCP server with tools that behave as their names say.
func testServer() testMCP {
	s := testMCP{server.NewMCPServer("test-server", "1.2.3", server.WithToolCapabilities(true))}
	tool := func(name string, f func(ctx context.Context, text string) string) {
		s.AddTool(mcp.NewTool(name, mcp.WithString("text")), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultText(f(ctx, r.GetString("text", ""))), nil
		})
	}
	tool("echo", func(_ context.Context, text string) string { return text })
	tool("env", func(_ context.Context, name string) string { return os.Getenv(name) })
	tool("folder", func(context.Context, string) string { dir, _ := os.Getwd(); return dir })
	tool("argument", func(context.Context, string) string { return os.Args[len(os.Args)-1] })
	tool("pid", func(context.Context, string) string { return fmt.Sprint(os.Getpid()) })
	tool("many", func(context.Context, string) string { return strings.Repeat("x", 4<<20) })
	tool("large", func(_ context.Context, size string) string {
		n, _ := strconv.Atoi(size)
		return strings.Repeat("x", n)
	})
	hanging, letGo := make(chan struct{}, 1), make(chan struct{}, 1)
	tool("hang", func(ctx context.Context, _ string) string {
		hanging <- struct{}{}
		<-ctx.Done()
		letGo <- struct{}{}
		return ""
	})
	tool("hanging", func(context.Context, string) string { <-hanging; return "" }) // answers once hang was called
	tool("let go", func(context.Context, string) string { <-letGo; return "" })    // answers once hang was cancelled
	tool("die", func(_ context.Context, text string) string {
		fmt.Fprintln(os.Stderr, text)
		os.Exit(42)
		return ""
	})
	// Files of this many bytes in the folder for temporary files: some that stay, or one that
	// is deleted while it is open.
	tool("fill", func(_ context.Context, size string) string {
		n, _ := strconv.Atoi(size)
		for ; n > 0; n -= 1 << 20 {
			if f, err := os.CreateTemp("", "f"); err == nil {
				f.Write(make([]byte, 1<<20))
				f.Close()
			}
		}
		return ""
	})
	tool("fill and delete", func(_ context.Context, size string) string {
		n, _ := strconv.Atoi(size)
		f, err := os.CreateTemp("", "f")
		if err != nil {
			return err.Error()
		}
		os.Remove(f.Name())
		f.Write(make([]byte, n))
		deleted = append(deleted, f)
		return ""
	})
	// A child in our group that holds stdout open, as a browser does.
	tool("orphan", func(context.Context, string) string {
		c := exec.Command("sleep", "1000")
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Start(); err != nil {
			return err.Error()
		}
		return fmt.Sprint(c.Process.Pid)
	})
	// A process without our environment, group and session, and without a parent.
	tool("daemon", func(context.Context, string) string {
		out, err := exec.Command("env", "-i", "setsid", "sh", "-c", "sleep 1000 >&- 2>&- & echo $!").Output()
		if err != nil {
			return err.Error()
		}
		return strings.TrimSpace(string(out))
	})
	return s
}

// testWeb is a small set of sites with its CA.
func testWeb(t testing.TB) (*web.Set, *serve.CA) {
	t.Helper()
	set, err := web.Open()
	need.OK(t, err)
	ca, err := serve.NewCA(set.Hosts()...)
	need.OK(t, err)
	return set, ca
}

// launch starts a session that is closed when the test ends.
func launch(t testing.TB, l session.Launcher) session.Session {
	t.Helper()
	ctx := need.Within(t, session.LaunchTimeout)
	s, err := l.Launch(ctx)
	need.OK(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// call calls a tool that must answer, and returns its text.
func call(t testing.TB, s session.Session, tool, text string) string {
	t.Helper()
	r, err := s.Call(t.Context(), adapter.Call{Tool: tool, Args: args(map[string]any{"text": text})})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return r.Text()
}

// tooLargeFor checks that the answer of a size is an error answer, and that the
// session goes on.
func tooLargeFor(t *testing.T, s session.Session, size int) {
	t.Helper()
	r, err := s.Call(t.Context(), adapter.Call{Tool: "large", Args: args(map[string]any{"text": fmt.Sprint(size)})})
	if err != nil {
		t.Fatalf("an answer of %d bytes ends the session: %v", size, err)
	}
	if want := "the answer is larger than 8 MiB"; !r.IsError() || r.Text() != want {
		t.Errorf("an answer of %d bytes: %.100q, want the error %q", size, r.Text(), want)
	}
	need.Is(t, "the next call", "hello", call(t, s, "echo", "hello"))
}

func args(v map[string]any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}

// serverLetGo: the server too has let go of a call of the tool hang that ended.
func serverLetGo(t *testing.T, s session.Session) {
	t.Helper()
	ctx := need.Within(t, 20*time.Second)
	need.OK(t, need.Err(s.Call(ctx, adapter.Call{Tool: "let go"})))
}
