package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
)

// Wire is a transport of which each side of a request is a function.
type Wire struct {
	transport.Interface
	Request func(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error)
	notify  func(context.Context, mcp.JSONRPCNotification) error
}

func (w Wire) SendRequest(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	return w.Request(ctx, r)
}

func (w Wire) SendNotification(ctx context.Context, n mcp.JSONRPCNotification) error {
	return w.notify(ctx, n)
}

// A call whose time is over before it is sent is not sent: then there is nothing
// to take back.
func TestLateCallIsNotSent(t *testing.T) {
	c := &Client{Transport: Wire{Request: func(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		return nil, errors.New("it was sent")
	}}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := c.request(ctx, "tools/call", nil); err != context.Canceled || c.lastID.Load() != 0 {
		t.Errorf("got %v after %d requests, want %v and none", err, c.lastID.Load(), context.Canceled)
	}
}

// A call that ends without its answer is taken back by its id, once, and a
// server that does not read that holds up no one.
func TestCallIsTakenBack(t *testing.T) {
	sent, told, held := make(chan any, 1), make(chan string, 2), make(chan struct{})
	defer close(held)
	c := &Client{Transport: Wire{
		Request: func(ctx context.Context, r transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
			sent <- r.ID
			<-ctx.Done()
			return nil, ctx.Err()
		},
		notify: func(ctx context.Context, n mcp.JSONRPCNotification) error {
			if ctx.Err() != nil {
				t.Error("it is told in a context that has ended")
			}
			text, _ := json.Marshal(n)
			told <- string(text)
			<-held
			return nil
		},
	}}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.Call(ctx, adapter.Call{Tool: "x"})
		ended <- err
	}()
	id, _ := json.Marshal(<-sent)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	want := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"reason":"context canceled","requestId":` + string(id) + `}}`
	need.Equal(t, "notification", want, <-told)
}

// What answers in the place of the server, such as a gateway, is not the server.
func TestAnswersThatAreNone(t *testing.T) {
	for _, answer := range []string{
		`{"message":"no upstream"}`,
		`{"error":{"code":502,"message":"bad gateway"}}`,
		`{"result":{"content":[]}}`,
		`{"jsonrpc":"2.0","id":1000001}`,
	} {
		c := &Client{Transport: Wire{Request: func(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
			r := new(transport.JSONRPCResponse)
			return r, json.Unmarshal([]byte(answer), r)
		}}}
		need.Fails(t, c.Ping(t.Context()), "")
		r, err := c.Call(t.Context(), adapter.Call{Tool: "x"})
		if _, gone := errors.AsType[*Error](err); !gone {
			t.Errorf("%s passes for an answer to a call: %+v, error %v", answer, r, err)
		}
	}
}

// One page of tools/list is bounded like all pages together.
func TestManyTools(t *testing.T) {
	for tools, want := range map[string]string{
		"[" + strings.Repeat("{},", maxTools) + "{}]": "more than 10000 tools",
		`{"name":"x"}`:   "cannot unmarshal object",
		`[{"name":"x"}]`: "",
		"null":           "",
	} {
		c := &Client{Transport: Wire{Request: func(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
			return &transport.JSONRPCResponse{JSONRPC: "2.0", Result: json.RawMessage(`{"tools":` + tools + `}`)}, nil
		}}}
		_, err := c.listTools(t.Context())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.20s: error %v, want %q", tools, err, want)
		}
	}
}

// All pages of tools/list together have the size of one answer.
func TestLongListOfTools(t *testing.T) {
	pages := 0
	c := &Client{Transport: Wire{Request: func(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		pages++
		page := fmt.Sprintf(`{"tools":[{"name":"t%d","description":%q}],"nextCursor":"%d"}`, pages, strings.Repeat("x", MaxAnswer/3), pages)
		return &transport.JSONRPCResponse{JSONRPC: "2.0", Result: json.RawMessage(page)}, nil
	}}}
	if _, err := c.listTools(t.Context()); !errors.Is(err, ErrTooLarge) || pages != 3 {
		t.Errorf("after %d pages: error %v", pages, err)
	}
}

// In this process no transport is in between.
func TestTooLargeInProcess(t *testing.T) {
	c := &Client{Transport: Wire{Request: func(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
		return &transport.JSONRPCResponse{JSONRPC: "2.0", Result: bytes.Repeat([]byte(" "), MaxAnswer+1)}, nil
	}}}
	r, err := c.Call(t.Context(), adapter.Call{Tool: "x"})
	if err != nil || r.Text() != "the answer is larger than 8 MiB" {
		t.Errorf("got %.100q, error %v", r.Text(), err)
	}
}
