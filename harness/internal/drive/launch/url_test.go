package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/standin"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/record"
)

const testToken = "abc/123+very=secret"

// serveMCP serves s as OpenChrome's legacy HTTP does: with a bearer token, a
// session id, and protocol 2024-11-05 alone.
func serveMCP(t *testing.T, s *server.MCPServer) string {
	t.Helper()
	handler := server.NewStreamableHTTPServer(s)
	http := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		version := r.Header.Get("Mcp-Protocol-Version")
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/mcp", http.StatusPermanentRedirect)
		case r.URL.Path != "/mcp":
			http.NotFound(w, r)
		case r.Header.Get("Authorization") != "Bearer "+testToken:
			http.Error(w, "you said "+r.Header.Get("Authorization"), http.StatusUnauthorized)
		case version != "" && version != "2024-11-05":
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"unsupported protocol version"}}`)
		case version == "": // the handshake; mcp-go agrees to what it is asked for
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, r)
			maps.Copy(w.Header(), answer.Header())
			w.WriteHeader(answer.Code)
			w.Write(bytes.Replace(answer.Body.Bytes(), []byte(session.Protocol), []byte("2024-11-05"), 1))
		default:
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, r)
			maps.Copy(w.Header(), answer.Header())
			w.WriteHeader(answer.Code)
			w.Write(bytes.ReplaceAll(answer.Body.Bytes(), []byte("ESCAPED"), []byte(escapedAll(testToken, `\u%04x`))))
		}
	}))
	t.Cleanup(http.Close)
	return http.URL
}

func newURL(t *testing.T, address string) session.Launcher {
	t.Helper()
	t.Setenv(TokenEnv, testToken)
	l, err := NewURL(address)
	need.OK(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func TestURL(t *testing.T) {
	s := launch(t, newURL(t, serveMCP(t, testServer().MCPServer)+"/mcp"))
	want := record.Server{Name: "test-server", Version: "1.2.3", Protocol: "2024-11-05", Isolation: "best-effort"}
	need.Equal(t, "Server", want, s.Identity())
	need.Is(t, "echo", "hello", call(t, s, "echo", "hello"))
	need.Is(t, "a reply of 4 MB", 4<<20, len(call(t, s, "many", "")))
	need.Is(t, "an echo of the token", "the [token]!", call(t, s, "echo", "the "+testToken+"!"))
	need.Is(t, "an echo of the token in escapes", "[token]", call(t, s, "echo", "ESCAPED"))
	need.Fails(t, need.Err(s.Requests(t.Context())), "")
	ctx := need.Within(t, 50*time.Millisecond)
	if _, err := s.Call(ctx, adapter.Call{Tool: "hang"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that hangs: %v", err)
	}
	serverLetGo(t, s)
	need.OK(t, s.Close())
	if _, err := s.Call(t.Context(), adapter.Call{Tool: "echo"}); err == nil || err.Error() != "echo: the session is closed" {
		t.Errorf("a call after Close: %v", err)
	}
}

func TestURLStandin(t *testing.T) {
	address := serveMCP(t, standin.New(standin.Options{}).MCP()) + "/mcp"
	s := launch(t, newURL(t, address))
	r, err := s.Call(t.Context(), adapter.Call{Tool: "navigate", Args: args(map[string]any{"url": "https://example.com/"})})
	if err != nil || !strings.Contains(r.Text(), "ERR_NAME_NOT_RESOLVED") {
		t.Errorf("a fixture site: %s, error %v", r.Text(), err)
	}
}

func TestURLRefused(t *testing.T) {
	host := serveMCP(t, testServer().MCPServer)
	gone := httptest.NewServer(nil)
	gone.Close()
	tests := []struct{ name, address, token, want string }{
		{"no token", host + "/mcp", "", "the server needs a token; set OPENCHROME_BENCH_TOKEN"},
		{"wrong token", host + "/mcp", "wrong-token", "the server refused the token in OPENCHROME_BENCH_TOKEN"},
		{"no endpoint", host + "/", testToken, "no MCP endpoint there (streamable HTTP); the address of an OpenChrome ends in /mcp"},
		{"moved", host + "/moved?key=hidden", testToken, "it redirects to " + host + "/mcp; give that address"},
		{"nobody", gone.URL + "/mcp?key=hidden", testToken, "connection refused"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(TokenEnv, tt.token)
			l, err := NewURL(tt.address)
			need.OK(t, err)
			s, err := l.Launch(t.Context())
			if err == nil {
				s.Close()
				t.Fatal("it is a session")
			}
			text := err.Error()
			need.Has(t, text, tt.want)
			for _, secret := range []string{testToken, "wrong-token", "hidden"} {
				if strings.Contains(text, secret) {
					t.Errorf("error %q shows a secret", text)
				}
			}
		})
	}
}

func TestURLNotUsable(t *testing.T) {
	tests := []struct{ address, token, want string }{
		{"ftp://host/", "", "address ftp://host/: want http://HOST or https://HOST"},
		{"http:///mcp", "", "address http:///mcp: want http://HOST or https://HOST"},
		{"http://user:hidden@host/mcp", "", "address http://user:xxxxx@host/mcp: it has a user name; set a token in OPENCHROME_BENCH_TOKEN instead"},
		{"http://user:hidden@host:x y/", "", "address: not a URL; want one such as http://127.0.0.1:3100/mcp"},
		{"http://host/mcp", "hidden hidden", "OPENCHROME_BENCH_TOKEN: not a bearer token: it has spaces or characters that are not ASCII"},
		{"http://host/mcp", "hidden", "OPENCHROME_BENCH_TOKEN: too short to be hidden reliably in output; use a token of at least 8 characters"},
	}
	for _, tt := range tests {
		t.Setenv(TokenEnv, tt.token)
		_, err := NewURL(tt.address)
		need.Is(t, fmt.Sprintf("%s: error", tt.address), tt.want, fmt.Sprint(err))
	}
}

func TestURLNotes(t *testing.T) {
	for address, notes := range map[string]int{
		"http://127.0.0.1:1/mcp?key=hidden": 2, "https://host/mcp": 2, "http://host/mcp": 3,
	} {
		got := newURL(t, address).Notes()
		if len(got) != notes {
			t.Errorf("%s: %d notes, want %d: %q", address, len(got), notes, got)
		}
		if all := strings.Join(got, " "); strings.Contains(all, "hidden") || strings.Contains(all, testToken) {
			t.Errorf("%s: a note shows a secret: %q", address, got)
		}
	}
}

// sharedBrowser is an OpenChrome of which only the tabs are looked at.
type sharedBrowser struct {
	mu    sync.Mutex
	tabs  []string
	calls []string
}

func (b *sharedBrowser) server() *server.MCPServer {
	s := server.NewMCPServer("shared", "1", server.WithToolCapabilities(true))
	tool := func(name string, f func(r mcp.CallToolRequest) string) {
		s.AddTool(mcp.NewTool(name), func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			b.mu.Lock()
			defer b.mu.Unlock()
			return mcp.NewToolResultText(f(r)), nil
		})
	}
	note := func(r mcp.CallToolRequest, keys ...string) {
		line := r.Params.Name
		for _, k := range keys {
			line += " " + r.GetString(k, "?")
		}
		b.calls = append(b.calls, line)
	}
	tool("tabs_context", func(r mcp.CallToolRequest) string { note(r); return "{}" })
	tool("navigate", func(r mcp.CallToolRequest) string {
		note(r, "url")
		if r.GetString("url", "") == "reuse" {
			return `{"tabId":"someone's","reused":true}`
		}
		id := fmt.Sprint("tab", len(b.calls)-1)
		b.tabs = append(b.tabs, id)
		return fmt.Sprintf(`{"tabId":%q,"created":true}`, id)
	})
	tool("tabs_create", func(r mcp.CallToolRequest) string {
		id := fmt.Sprint("tab", len(b.calls))
		b.tabs = append(b.tabs, id)
		note(r, "url")
		return fmt.Sprintf(`{"tabId":%q}`, id)
	})
	tool("emulate_device", func(r mcp.CallToolRequest) string { note(r, "tabId"); return "{}" })
	tool("cookies", func(r mcp.CallToolRequest) string { note(r, "tabId", "action"); return "{}" })
	tool("storage", func(r mcp.CallToolRequest) string { note(r, "tabId", "storageType", "action"); return "{}" })
	tool("tabs_close", func(r mcp.CallToolRequest) string {
		b.tabs = slices.DeleteFunc(b.tabs, func(id string) bool { return id == r.GetString("tabId", "") })
		note(r, "tabId")
		return "{}"
	})
	return s
}

func TestURLReset(t *testing.T) {
	tests := []struct {
		name  string
		setup task.Setup
		want  []string
	}{
		{"shared", task.Setup{}, nil},
		{"prepared", task.Setup{Viewport: &task.Viewport{Width: 800, Height: 600}}, []string{"tabs_create about:blank",
			"emulate_device tab0", "cookies tab0 clear", "storage tab0 local clear", "storage tab0 session clear", "tabs_close tab0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := &sharedBrowser{tabs: []string{"someone's"}}
			s := launch(t, newURL(t, serveMCP(t, b.server())+"/mcp"))
			need.OK(t, need.Err(facts.Prepare(t.Context(), s, tt.setup)))
			s.Close()
			need.Equal(t, "calls", tt.want, b.calls)
			need.Equal(t, "tabs", []string{"someone's"}, b.tabs)
		})
	}
}

// Of the tabs that answers name, those that are new are the session's.
func TestURLResetOwnTabs(t *testing.T) {
	b := &sharedBrowser{tabs: []string{"someone's"}}
	s := launch(t, newURL(t, serveMCP(t, b.server())+"/mcp"))
	for _, url := range []string{"reuse", "new"} {
		need.OK(t, need.Err(s.Call(t.Context(), adapter.Call{Tool: "navigate", Args: args(map[string]any{"url": url})})))
	}
	s.Close()
	want := []string{"navigate reuse", "navigate new", "cookies tab1 clear", "storage tab1 local clear", "storage tab1 session clear", "tabs_close tab1"}
	need.Equal(t, "calls", want, b.calls)
	need.Equal(t, "tabs", []string{"someone's"}, b.tabs)
}

// TestURLCloseHangs: a server that hangs holds up no one.
func TestURLCloseHangs(t *testing.T) {
	release := make(chan struct{})
	s := server.NewMCPServer("slow", "1", server.WithToolCapabilities(true))
	s.AddTool(mcp.NewTool("tabs_create"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(`{"tabId":"tab0"}`), nil
	})
	s.AddTool(mcp.NewTool("cookies"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		<-release
		return mcp.NewToolResultText("{}"), nil
	})
	session := launch(t, newURL(t, serveMCP(t, s)+"/mcp"))
	t.Cleanup(func() { close(release) })
	call(t, session, "tabs_create", "")
	began := time.Now()
	session.Close()
	if took := time.Since(began); took > 40*time.Second {
		t.Errorf("Close took %v", took)
	}
}
