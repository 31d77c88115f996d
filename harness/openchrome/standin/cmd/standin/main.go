// Command standin serves one stand-in for OpenChrome over stdio: MCP messages,
// one JSON object a line, until stdin ends or a signal comes. It finds the web
// in the environment: see [sites.TransportFromEnv].
package main

import (
	"cmp"
	"fmt"
	"os"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness/openchrome/standin"
	"github.com/openchrome/bench/sites"
)

// latencyEnv is for tests of the harness: how long each tool call takes at
// least.
const latencyEnv = "OPENCHROME_BENCH_STANDIN_LATENCY"

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
		os.Exit(1)
	}
}

func run() error {
	latency, err := time.ParseDuration(cmp.Or(os.Getenv(latencyEnv), "0"))
	if err != nil {
		return fmt.Errorf("%s: %w", latencyEnv, err)
	}
	web, err := sites.TransportFromEnv(os.Getenv)
	if err != nil {
		return err
	}
	defer web.CloseIdleConnections()
	return server.ServeStdio(standin.New(standin.Options{Transport: web, Latency: latency}).MCP())
}
