// Command standin serves one stand-in for OpenChrome over stdio: MCP messages,
// one JSON object a line, until stdin ends or a signal comes.
//
// It finds the web in the environment:
//
//	OPENCHROME_BENCH_WEB_HTTP    host:port that answers http requests
//	OPENCHROME_BENCH_WEB_HTTPS   host:port that answers https requests
//	OPENCHROME_BENCH_WEB_CA      PEM file with the CA of the https side
//	OPENCHROME_BENCH_WEB_HOSTS   the hosts that resolve, comma separated
//
// Hosts that are not listed do not resolve.
package main

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/server"

	"github.com/openchrome/bench/harness/openchrome/standin"
)

func main() {
	if err := run(os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, "standin:", err)
		os.Exit(1)
	}
}

func run(env func(string) string) error {
	options, err := configure(env)
	if err != nil {
		return err
	}
	err = server.ServeStdio(standin.New(options).MCP())
	if t, ok := options.Transport.(*http.Transport); ok {
		t.CloseIdleConnections()
	}
	return err
}

// configure reads the environment.
func configure(env func(string) string) (standin.Options, error) {
	var roots *x509.CertPool
	if file := env("OPENCHROME_BENCH_WEB_CA"); file != "" {
		pem, err := os.ReadFile(file)
		if err != nil {
			return standin.Options{}, fmt.Errorf("OPENCHROME_BENCH_WEB_CA: %w", err)
		}
		if roots = x509.NewCertPool(); !roots.AppendCertsFromPEM(pem) {
			return standin.Options{}, errors.New("OPENCHROME_BENCH_WEB_CA: " + file + " holds no PEM certificate")
		}
	}
	var hosts []string
	for h := range strings.SplitSeq(env("OPENCHROME_BENCH_WEB_HOSTS"), ",") {
		if h = strings.ToLower(strings.TrimSpace(h)); h != "" {
			hosts = append(hosts, h)
		}
	}
	o := standin.Options{Transport: standin.Transport(env("OPENCHROME_BENCH_WEB_HTTP"), env("OPENCHROME_BENCH_WEB_HTTPS"), roots,
		func(host string) bool { return slices.Contains(hosts, host) })}
	// For tests of the harness: how long each tool call takes at least.
	if v := env("OPENCHROME_BENCH_STANDIN_LATENCY"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil {
			return standin.Options{}, fmt.Errorf("OPENCHROME_BENCH_STANDIN_LATENCY: %w", err)
		}
		o.Latency = d
	}
	return o, nil
}
