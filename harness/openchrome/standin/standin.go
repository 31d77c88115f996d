// Package standin is an MCP server with the main tools of OpenChrome over a
// small HTTP browser, so that the harness runs where there is no Chrome.
package standin

import (
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/server"
)

// Options configures a [Server]. The zero value is a server whose every
// request fails: give it a Transport.
type Options struct {
	// Transport carries every request of the browser. Nil means that no host
	// resolves.
	Transport http.RoundTripper
	// Version is reported in serverInfo; empty means "0".
	Version string
	// Latency is added to each tool call. A call that is cancelled meanwhile
	// ends at once.
	Latency time.Duration
}

// Server is one stand-in: one browser with an empty profile.
type Server struct {
	opts Options
	mcp  *server.MCPServer
}

// New returns a stand-in with a fresh browser.
func New(o Options) *Server {
	s := &Server{opts: o}
	s.mcp = server.NewMCPServer("openchrome-bench-standin", o.Version, server.WithToolCapabilities(true))
	return s
}

// MCP returns the server to be served over any transport.
func (s *Server) MCP() *server.MCPServer { return s.mcp }
