package standin

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// web is a TLS server whose certificate is for example.com, and its CA.
func web(t *testing.T, body string) (addr string, roots *x509.CertPool, caFile string) {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, body+" "+r.Host+r.URL.Path)
	}))
	t.Cleanup(server.Close)
	roots = x509.NewCertPool()
	roots.AddCert(server.Certificate())
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	return server.Listener.Addr().String(), roots, caFile
}

func TestTransport(t *testing.T) {
	addr, roots, _ := web(t, "hello")
	resolves := func(host string) bool { return host == "example.com" || host == "other.test" }
	rt := Transport("", addr, roots, resolves)
	defer rt.(*http.Transport).CloseIdleConnections()
	get := func(rt http.RoundTripper, url string) (string, error) {
		req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := rt.RoundTrip(req)
		if err != nil {
			return "", err
		}
		defer res.Body.Close()
		b, err := io.ReadAll(res.Body)
		return string(b), err
	}
	if got, err := get(rt, "https://example.com/x"); got != "hello example.com/x" {
		t.Errorf("get = %q, %v", got, err)
	}
	for _, row := range []struct {
		name, url string
		is        error
		shown     string
	}{
		{"unlisted host", "https://nope.test/", ErrNameNotResolved, "net::ERR_NAME_NOT_RESOLVED"},
		{"no address for http", "http://example.com/", ErrNameNotResolved, "net::ERR_NAME_NOT_RESOLVED"},
		{"another port", "https://example.com:8443/", syscall.ECONNREFUSED, "net::ERR_CONNECTION_REFUSED"},
		{"not in the certificate", "https://other.test/", nil, "net::ERR_CERT_COMMON_NAME_INVALID"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if _, err := get(rt, row.url); err == nil || row.is != nil && !errors.Is(err, row.is) {
				t.Errorf("RoundTrip = %v, want %v", err, row.is)
			}
			s := start(t, Options{Transport: rt})
			if got, want := s.call("navigate", args{"url": row.url}), "ERROR Error creating tab: "+row.shown+" at "+row.url; got != want {
				t.Errorf("navigate = %q, want %q", got, want)
			}
		})
	}
	unknown := start(t, Options{Transport: Transport("", addr, x509.NewCertPool(), resolves)})
	if got := unknown.call("navigate", args{"url": "https://example.com/"}); !strings.Contains(got, "net::ERR_CERT_AUTHORITY_INVALID at https://example.com/") {
		t.Errorf("navigate with an unknown CA = %q", got)
	}
	nothing, err := client.NewInProcessClientWithOptions(New(Options{}).MCP(), client.WithProtocolVersion("2025-06-18"))
	if err != nil {
		t.Fatal(err)
	}
	defer nothing.Close()
	if got := (&session{t: t, Client: nothing}).ready().call("navigate", args{"url": "https://example.com/"}); !strings.Contains(got, "net::ERR_NAME_NOT_RESOLVED") {
		t.Errorf("navigate without a transport = %q", got)
	}
}

func (s *session) ready() *session {
	s.t.Helper()
	if err := s.Start(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.Initialize(s.t.Context(), mcp.InitializeRequest{}); err != nil {
		s.t.Fatal(err)
	}
	return s
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
	addr, _, ca := web(t, `<title>T</title><p id=p onclick="">hello</p>`)
	c := client.NewClient(transport.NewStdio(binary, []string{"OPENCHROME_BENCH_WEB_HTTPS=" + addr, "OPENCHROME_BENCH_WEB_CA=" + ca,
		"OPENCHROME_BENCH_WEB_HOSTS=shop.test, example.com", "OPENCHROME_BENCH_STANDIN_LATENCY=20ms"}), client.WithProtocolVersion("2025-06-18"))
	s := &session{t: t, Client: c}
	if err := c.Start(context.Background()); err != nil { // its end would kill the child
		t.Fatal(err)
	}
	defer func() {
		if err := c.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}()
	info, err := c.Initialize(t.Context(), mcp.InitializeRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if info.ServerInfo.Name != "openchrome-bench-standin" {
		t.Errorf("serverInfo = %+v", info.ServerInfo)
	}
	begin := time.Now()
	r, err := s.raw(t.Context(), "navigate", args{"url": "https://example.com/a"})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < 20*time.Millisecond {
		t.Errorf("the call took %v, want at least the latency", took)
	}
	wire, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	if want := `"_meta":{"standin/inconclusive":"page needs scripts: https://example.com/a"}`; !strings.Contains(string(wire), want) {
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
}
