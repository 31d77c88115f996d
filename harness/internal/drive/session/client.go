package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Protocol is the MCP version that we request. Every OpenChrome from 1.7 to 1.15 supports
// it, or answers with 2024-11-05, which has the same form. If we set no version, mcp-go
// v1.2.1 first sends server/discover, and waits 5 s for old servers to answer.
const Protocol = "2025-06-18"

// Client is the MCP side of a session: a handshake, then raw tool calls.
type Client struct {
	mcp       *client.Client
	Transport transport.Interface
	lastID    atomic.Int64
	server    mcp.Implementation
	protocol  string
	tools     []adapter.Tool
	changed   atomic.Bool // the server said that its tools changed
	listing   sync.Mutex  // guards listed
	listed    []adapter.Tool
}

// Limits of the tool list, far above the size of any real list. They and [MaxAnswer] stop an endless list
// from filling the memory.
const (
	maxTools     = 10_000
	maxToolPages = 100
)

// firstCallID is the first id of our requests. It is far above the ids of mcp-go v1.2.1,
// which count from 1. It can go when [Client.Call] can use mcp-go's CallTool.
const firstCallID = 1_000_000

// Connect does the handshake over t and lists the server's tools. From then on the Client
// owns t, even if Connect fails. ctx bounds the handshake, not the lifetime of the
// connection.
func Connect(ctx context.Context, t transport.Interface) (*Client, error) {
	c := &Client{Transport: t, mcp: client.NewClient(t, client.WithProtocolVersion(Protocol))}
	c.lastID.Store(firstCallID)
	if err := c.connect(ctx); err != nil {
		c.mcp.Close()
		return nil, err
	}
	return c, nil
}

func (c *Client) connect(ctx context.Context) error {
	// Not ctx: mcp-go v1.2.1 ends the transport when Start's context ends.
	if err := c.mcp.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start MCP: %w", err)
	}
	hello, err := c.mcp.Initialize(ctx, mcp.InitializeRequest{Params: mcp.InitializeParams{
		ProtocolVersion: Protocol,
		ClientInfo:      mcp.Implementation{Name: "openchrome-bench", Version: "1"},
	}})
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	c.server, c.protocol = hello.ServerInfo, hello.ProtocolVersion
	c.mcp.OnNotification(func(n mcp.JSONRPCNotification) {
		if n.Method == string(mcp.MethodNotificationToolsListChanged) {
			c.changed.Store(true)
		}
	})
	c.tools, err = c.listTools(ctx)
	c.listed = c.tools
	return err
}

// listTimeout bounds the list of tools between two steps, which takes milliseconds.
const listTimeout = 2 * time.Second

// Listed implements [Session]. If the server does not answer, the list stays as it was.
func (c *Client) Listed(ctx context.Context) []adapter.Tool {
	c.listing.Lock()
	defer c.listing.Unlock()
	if c.changed.Swap(false) {
		limited, cancel := context.WithTimeout(ctx, listTimeout)
		defer cancel()
		if tools, err := c.listTools(limited); err == nil {
			c.listed = tools
		}
	}
	return c.listed
}

func (c *Client) listTools(ctx context.Context) (tools []adapter.Tool, err error) {
	cursor, size := mcp.Cursor(""), 0
	for range maxToolPages {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		raw, rpcErr, err := c.request(ctx, "tools/list", params)
		if err == nil && rpcErr != nil {
			err = errors.New(rpcErr.Message)
		}
		if size += len(raw); err == nil && size > MaxAnswer {
			err = ErrTooLarge
		}
		var page struct {
			Tools      []json.RawMessage `json:"tools"`
			NextCursor mcp.Cursor        `json:"nextCursor"`
		}
		if err == nil {
			err = json.Unmarshal(raw, &page)
		}
		if err == nil && len(tools)+len(page.Tools) > maxTools {
			err = fmt.Errorf("more than %d tools", maxTools)
		}
		for i := 0; err == nil && i < len(page.Tools); i++ {
			t := adapter.Tool{Raw: page.Tools[i]}
			err = json.Unmarshal(t.Raw, &t)
			tools = append(tools, t)
		}
		if err != nil {
			return nil, fmt.Errorf("tools/list: %w", err)
		}
		if page.NextCursor == "" || page.NextCursor == cursor {
			return tools, nil
		}
		cursor = page.NextCursor
	}
	return nil, fmt.Errorf("tools/list: the list does not end; it has %d tools so far", len(tools))
}

// Ping returns an error if the server does not answer. An error answer is enough: a server
// without ping gives one, so it is alive.
func (c *Client) Ping(ctx context.Context) error {
	_, _, err := c.request(ctx, "ping", struct{}{})
	return err
}

// Observer implements [Session]. It returns nil, because the browser is not ours.
func (c *Client) Observer() *observer.Observer { return nil }

// Server implements [Session].
func (c *Client) Server() *server.Server { return server.OpenChrome() }

// Memory implements [Session]. It returns 0, because the memory is not known.
func (c *Client) Memory() int64 { return 0 }

// Halt implements [Session].
func (c *Client) Halt(context.Context) (resume func(context.Context) error, err error) {
	return nil, errors.New("the server does not run in processes of ours")
}

// Tools returns the tools from tools/list.
func (c *Client) Tools() []adapter.Tool { return c.tools }

// Identify fills in the fields of a server that the handshake returned.
func (c *Client) Identify(s record.Server) record.Server {
	s.Name, s.Version, s.Protocol = c.server.Name, c.server.Version, c.protocol
	return s
}

// Call implements [Session]. It keeps the raw result, with the fields that OpenChrome adds
// to MCP's fields. CallTool of mcp-go v1.2.1 would drop them; until it returns the raw
// result, this package sends its own requests.
func (c *Client) Call(ctx context.Context, call adapter.Call) (adapter.Result, error) {
	args := call.Args
	if args == nil {
		args = json.RawMessage("{}")
	}
	raw, rpcErr, err := c.request(ctx, "tools/call", map[string]any{"name": call.Tool, "arguments": args})
	switch {
	case err != nil && ctx.Err() != nil:
		return adapter.Result{}, ctx.Err()
	case err != nil:
		return adapter.Result{}, &Error{call.Tool, err}
	case rpcErr != nil:
		return adapter.Result{RPCError: rpcErr}, nil
	}
	result := adapter.NewResult(raw)
	if !result.Valid() {
		return adapter.Result{}, &Error{call.Tool, fmt.Errorf("broke the protocol: the answer is not a tool result with a content list, or the list has more than %d items", adapter.MaxItems)}
	}
	return result, nil
}

// request sends one request. It returns when the answer comes or ctx ends, because not
// every transport ends a call with its context. If ctx ends first, it also cancels the
// call on the server.
func (c *Client) request(ctx context.Context, method string, params any) (json.RawMessage, *adapter.RPCError, error) {
	if ctx.Err() != nil {
		return nil, nil, ctx.Err() // nothing was sent, so there is nothing to cancel
	}
	type answer struct {
		response *transport.JSONRPCResponse
		err      error
	}
	done := make(chan answer, 1)
	go func() {
		id := mcp.NewRequestId(c.lastID.Add(1))
		r, err := c.Transport.SendRequest(ctx, transport.JSONRPCRequest{
			JSONRPC: mcp.JSONRPC_VERSION, ID: id, Method: method, Params: params,
		})
		done <- answer{r, err}
		if err != nil && ctx.Err() != nil {
			c.cancel(ctx, id) // in a goroutine, because a server that does not read would block us
		}
	}()
	select {
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	case a := <-done:
		if a.err != nil {
			return nil, nil, a.err
		}
		switch r, e := a.response, a.response.Error; {
		case r.JSONRPC != mcp.JSONRPC_VERSION || e == nil && len(r.Result) == 0:
			// For example the text of a gateway whose server is gone.
			return nil, nil, errors.New("broke the protocol: the answer is not JSON-RPC 2.0, or has neither result nor error")
		case len(r.Result) > MaxAnswer || len(r.Result) > MaxAnswer/6 && len(display.JSON(r.Result)) > MaxAnswer:
			// A server in this process has no transport that bounds the answer. A byte that does
			// not print takes up to six in the log, which has a limit too.
			return nil, &adapter.RPCError{Code: serverError, Message: ErrTooLarge.Error()}, nil
		case e != nil:
			return nil, &adapter.RPCError{Code: e.Code, Message: e.Message}, nil
		default:
			return r.Result, nil, nil
		}
	}
}

// cancelTimeout bounds a cancellation over HTTP, where sending a message waits for an answer.
const cancelTimeout = 5 * time.Second

// cancel sends MCP's notifications/cancelled, which says that nobody waits for the
// answer any more. A server may ignore it, as OpenChrome 1.7.15 does.
func (c *Client) cancel(ctx context.Context, id mcp.RequestId) {
	reason := ctx.Err().Error()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
	defer cancel()
	// An error means that the server is gone. The next call reports that.
	c.Transport.SendNotification(ctx, mcp.JSONRPCNotification{
		JSONRPC: mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{
			Method: string(mcp.MethodNotificationCancelled),
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": id, "reason": reason}},
		},
	})
}

// Close closes the transport, which ends the server's input.
func (c *Client) Close() error { return c.mcp.Close() }
