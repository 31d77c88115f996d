// Command standin serves one stand-in for OpenChrome over stdio: MCP messages, one JSON
// object per line, until stdin ends or a signal comes. It finds the web through the
// environment: see [serve.TransportFromEnv].
package main

import (
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness/internal/drive/standin"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
		os.Exit(1)
	}
}

func run() error {
	web, err := serve.TransportFromEnv(os.Getenv)
	if err != nil {
		return err
	}
	defer web.CloseIdleConnections()
	return server.ServeStdio(standin.New(standin.Options{Transport: web}).MCP())
}
