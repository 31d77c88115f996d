package standin

import (
	"context"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// BenchmarkEpisode is what one episode costs: a new server, a page over TLS,
// read_page and one facts expression. The harness counts on less than 2 ms.
func BenchmarkEpisode(b *testing.B) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write([]byte("<!doctype html><meta charset=utf-8><title>Items</title><h1>Items</h1>" + strings.Repeat("<ul><li>One <b>thing</b></li><li><a href=/x>Two</a></li></ul><p>Some text.</p>", 10)))
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	rt := serve.Transport("", server.Listener.Addr().String(), roots, func(host string) bool { return host == "example.com" })
	b.ReportAllocs()
	for b.Loop() {
		s := New(Options{Transport: rt})
		c, err := client.NewInProcessClientWithOptions(s.MCP(), client.WithProtocolVersion("2025-06-18"))
		if err != nil {
			b.Fatal(err)
		}
		call := func(tool string, args map[string]any) string {
			r, err := c.CallTool(context.Background(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: tool, Arguments: args}})
			if err != nil || r.IsError {
				b.Fatal(tool, r, err)
			}
			return r.Content[0].(mcp.TextContent).Text
		}
		if err := c.Start(context.Background()); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Initialize(context.Background(), mcp.InitializeRequest{}); err != nil {
			b.Fatal(err)
		}
		call("navigate", map[string]any{"url": "https://example.com/"})
		call("read_page", map[string]any{"tabId": firstTab})
		if got := call("javascript_tool", map[string]any{"tabId": firstTab, "code": evidence.Expression([]string{"body", "h1"}, []string{"li"})}); !strings.Contains(got, `"h1":"Items"`) || !strings.Contains(got, `"li":20`) {
			b.Fatal(got)
		}
		c.Close()
	}
}

const firstTab = "00000000000000000000000000000001"
