package openchrome

import (
	"context"
	"log/slog"
	"net"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/display"
)

// noLog replaces the logger of mcp-go, which in v1.2.1 writes addresses to stderr.
// We will always need this, because mcp-go cannot know which part of an address is secret.
var noLog = slog.New(slog.DiscardHandler)

// discreet removes secrets from all answers of a server, and from errors. It embeds
// StreamableHTTP and not [transport.Interface], because the client of mcp-go v1.2.1 finds
// further methods, such as SetProtocolVersion, by type assertion.
type discreet struct {
	*transport.StreamableHTTP
	secrets blotter
}

// SendRequest implements [transport.Interface].
func (t *discreet) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := limited(ctx, t.StreamableHTTP, r)
	if err != nil {
		return nil, t.blotted(err)
	}
	response.Result = t.secrets.JSON(response.Result)
	if e := response.Error; e != nil {
		e.Message, e.Data = t.secrets.Text(e.Message), nil
	}
	return response, nil
}

// SendNotification implements [transport.Interface].
func (t *discreet) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return t.blotted(t.StreamableHTTP.SendNotification(ctx, n))
}

func (t *discreet) blotted(err error) error {
	if err == nil {
		return nil
	}
	return &blotted{display.Line(t.secrets.Text(err.Error()), maxLine), err}
}

// blotted is an error whose text contains no secrets.
type blotted struct {
	text string
	err  error
}

func (e *blotted) Error() string { return e.text }

// Unwrap returns the cause. Do not show its text, which may hold secrets.
func (e *blotted) Unwrap() error { return e.err }

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
