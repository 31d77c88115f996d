// Command server is an MCP server over stdio for the tests of the container
// launcher: its tools say what a process in the container sees and can do.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

type args struct {
	Text string `json:"text"`
	N    int    `json:"n"`
}

func main() {
	switch {
	case len(os.Args) == 1:
	case os.Args[1] == "idle": // the process of the container, beside which the server runs
		io.Copy(io.Discard, os.Stdin)
		return
	case os.Args[1] == "kill": // ends every server of the container with SIGKILL
		kill()
		return
	}
	s := server.NewMCPServer("containers-test", "1")
	for name, f := range map[string]func(context.Context, args) (string, error){
		"fetch": fetch, "fill": fill, "crash": crash, "read": read, "write": write, "resolve": resolve, "dial": dial,
	} {
		s.AddTool(mcp.NewTool(name), mcp.NewTypedToolHandler(func(ctx context.Context, _ mcp.CallToolRequest, a args) (*mcp.CallToolResult, error) {
			text, err := f(ctx, a)
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return mcp.NewToolResultText(text), nil
		}))
	}
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// fetch gets a URL of the fixture web, http or https, with the run's CA alone.
func fetch(ctx context.Context, a args) (string, error) {
	der, err := base64.StdEncoding.DecodeString(os.Getenv("OPENCHROME_BENCH_CA"))
	if err != nil {
		return "", err
	}
	ca, err := x509.ParseCertificate(der)
	if err != nil {
		return "", err
	}
	roots := x509.NewCertPool()
	roots.AddCert(ca)
	c := http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			_, to, _ := strings.Cut(os.Getenv("OPENCHROME_BENCH_RULES"), "MAP "+addr+" ")
			to, _, _ = strings.Cut(to, ",")
			return new(net.Dialer).DialContext(ctx, network, to)
		},
	}}
	req, err := http.NewRequestWithContext(ctx, "GET", a.Text, nil)
	if err != nil {
		return "", err
	}
	r, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return r.Status + "\n" + string(body), err
}

// fill answers with n bytes on one line.
func fill(_ context.Context, a args) (string, error) { return strings.Repeat("x", a.N), nil }

// crash ends the process in the middle of the call.
func crash(_ context.Context, a args) (string, error) {
	fmt.Fprintln(os.Stderr, a.Text)
	os.Exit(a.N)
	return "", nil
}

func kill() {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range all {
		if line, _ := os.ReadFile(name); string(line) == "/server\x00" {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func read(_ context.Context, a args) (string, error) {
	b, err := os.ReadFile(a.Text)
	return string(b), err
}

func write(_ context.Context, a args) (string, error) {
	return "written", os.WriteFile(a.Text, []byte("x"), 0o600)
}

func resolve(ctx context.Context, a args) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupHost(ctx, a.Text)
	return strings.Join(addrs, " "), err
}

// dial sends something to network/address.
func dial(_ context.Context, a args) (string, error) {
	network, addr, _ := strings.Cut(a.Text, "/")
	c, err := net.DialTimeout(network, addr, time.Second)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_, err = c.Write([]byte("openchrome-bench\n"))
	return "sent", err
}
