package session

import (
	"context"
	"log/slog"
	"net"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// NoLog replaces the logger of mcp-go, which in v1.2.1 writes addresses to stderr.
// We will always need this, because mcp-go cannot know which part of an address is secret.
var NoLog = slog.New(slog.DiscardHandler)

// Redacting is a transport that removes secrets from all answers of a server, and from errors. It embeds
// StreamableHTTP and not [transport.Interface], because the client of mcp-go v1.2.1 finds
// further methods, such as SetProtocolVersion, by type assertion.
type Redacting struct {
	*transport.StreamableHTTP
	Secrets Redactor
}

// SendRequest implements [transport.Interface].
func (t *Redacting) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	over := new(atomic.Bool)
	response, err := t.StreamableHTTP.SendRequest(context.WithValue(ctx, overKey{}, over), r)
	switch {
	case err != nil && ctx.Err() == nil && over.Load():
		return tooLarge(r.ID), nil
	case err != nil:
		return nil, t.redacted(err)
	}
	response.Result = t.Secrets.JSON(response.Result)
	if e := response.Error; e != nil {
		e.Message, e.Data = t.Secrets.Text(e.Message), nil
	}
	return response, nil
}

// SendNotification implements [transport.Interface].
func (t *Redacting) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return t.redacted(t.StreamableHTTP.SendNotification(ctx, n))
}

func (t *Redacting) redacted(err error) error {
	if err == nil {
		return nil
	}
	return &redacted{display.Line(t.Secrets.Text(err.Error()), maxLine), err}
}

// redacted is an error whose text contains no secrets.
type redacted struct {
	text string
	err  error
}

func (e *redacted) Error() string { return e.text }

// Unwrap returns the cause. Do not show its text, which may hold secrets.
func (e *redacted) Unwrap() error { return e.err }

// Loopback reports whether host is localhost or a loopback address.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
