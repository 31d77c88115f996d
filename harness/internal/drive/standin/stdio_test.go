package standin

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/internal/need"
)

// tlsServer is a TLS server whose certificate is for example.com, and its CA.
func tlsServer(t *testing.T, body string) (addr, caFile string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/endless" {
			<-r.Context().Done()
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, body+" "+r.Host+r.URL.Path)
	}))
	t.Cleanup(server.Close)
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	need.Write(t, caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
	return server.Listener.Addr().String(), caFile
}

// The stdio binary is the same server, configured by the environment.
func TestStdio(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a binary")
	}
	binary := filepath.Join(t.TempDir(), "standin")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/standin").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	addr, ca := tlsServer(t, `<title>T</title><p id=p onclick="">hello</p>`)
	c := client.NewClient(transport.NewStdio(binary, []string{"OPENCHROME_BENCH_WEB_HTTPS=" + addr, "OPENCHROME_BENCH_WEB_CA=" + ca,
		"OPENCHROME_BENCH_WEB_HOSTS=shop.test, EXAMPLE.com"}), client.WithProtocolVersion("2025-06-18"))
	s := &session{t: t, Client: c}
	if err := c.Start(context.Background()); err != nil { // its end would kill the child
		t.Fatal(err)
	}
	defer func() {
		need.OK(t, c.Close())
	}()
	info, err := c.Initialize(t.Context(), mcp.InitializeRequest{})
	need.OK(t, err)
	need.Is(t, fmt.Sprintf("serverInfo = %+v", info.ServerInfo), "openchrome-bench-standin", info.ServerInfo.Name)
	r, err := s.raw(t.Context(), "navigate", args{"url": "https://example.com/a"})
	need.OK(t, err)
	wire, err := json.Marshal(r)
	need.OK(t, err)
	if want := `"_meta":{"standin/inconclusive":"page needs scripts (add the tag scripts to the task): https://example.com/a"}`; !strings.Contains(string(wire), want) {
		t.Errorf("result %s lacks %s", wire, want)
	}
	if got := s.call("javascript_tool", args{"tabId": "TAB", "code": "document.querySelector('#p').innerText"}); got != "hello" {
		t.Errorf("innerText = %q", got)
	}
	if got := s.call("navigate", args{"url": "https://nope.test/", "tabId": "TAB"}); got != "ERROR Navigation error: net::ERR_NAME_NOT_RESOLVED at https://nope.test/" {
		t.Errorf("navigate = %q", got)
	}
	if _, err := s.raw(t.Context(), "no_such_tool", nil); err == nil || !strings.HasSuffix(err.Error(), "Unknown tool: no_such_tool") {
		t.Errorf("unknown tool: %v", err)
	}
	// A call that is taken back stops: the next one has its turn.
	need.Fails(t, need.Err(s.raw(within(t, 100*time.Millisecond), "navigate", args{"tabId": "TAB", "url": "https://example.com/endless"})), "")
	need.OK(t, need.Err(s.raw(within(t, 20*time.Second), "tabs_context", nil)))
}
