package session

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
)

// A server that says that its tools changed is asked again, once. Each tool stays as the server
// wrote it.
func TestListed(t *testing.T) {
	const first, second = `{"name":"a", "annotations":{"x":1.0}}`, `{"name":"b","_x":[ ]}`
	ours, theirs := io.Pipe()
	answers, answer := io.Pipe()
	lists, expanded := 0, false
	go func() {
		in := bufio.NewScanner(ours)
		for in.Scan() {
			var q struct {
				ID     json.RawMessage
				Method string
			}
			json.Unmarshal(in.Bytes(), &q)
			result := "{}"
			switch q.Method {
			case "initialize":
				result = `{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`
			case "tools/list":
				lists++
				if result = `{"tools":[` + first + `]}`; expanded {
					result = `{"tools":[` + first + `,` + second + `]}`
				}
			case "tools/call":
				expanded = true
				fmt.Fprintln(answer, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				result = `{"content":[]}`
			}
			if q.ID != nil {
				fmt.Fprintf(answer, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", q.ID, result)
			}
		}
	}()
	c, err := Connect(t.Context(), transport.NewIO(answers, theirs, nil))
	need.OK(t, err)
	defer c.Close()
	if got := c.Listed(t.Context()); len(got) != 1 || string(got[0].Raw) != first || lists != 1 {
		t.Errorf("before: %s after %d lists", got[0].Raw, lists)
	}
	need.OK(t, need.Err(c.Call(t.Context(), adapter.Call{Tool: "expand"})))
	for range 2 {
		if got := c.Listed(t.Context()); len(got) != 2 || string(got[1].Raw) != second || got[1].Name != "b" || lists != 2 {
			t.Errorf("after: %+v after %d lists", got, lists)
		}
	}
	need.Is(t, fmt.Sprintf("the tools at the start are %v now", c.Tools()), 1, len(c.Tools()))
}
