package episode

import (
	"encoding/json"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
)

func TestTabAfter(t *testing.T) {
	call := func(tool, args string) adapter.Call { return adapter.Call{Tool: tool, Args: json.RawMessage(args)} }
	result := func(text string, isError bool) adapter.Result {
		raw, _ := json.Marshal(map[string]any{
			"content": []any{map[string]any{"type": "text", "text": text}}, "isError": isError,
		})
		return adapter.NewResult(raw)
	}
	tests := []struct {
		name string
		call adapter.Call
		r    adapter.Result
		want string
	}{
		{"new tab", call("navigate", `{"url":"u"}`), result(`{"tabId":"B","title":"{}"}`, false), "B"},
		{"created", call("tabs_create", `{"url":"u"}`), result(`{"tabId":"B"}`, false), "B"},
		{"named in the call", call("navigate", `{"url":"u","tabId":"C"}`), result(`{"url":"u"}`, false), "C"},
		{"timed out in words", call("navigate", `{"url":"u","tabId":"C"}`), result(`Navigation timed out`, false), "C"},
		{"failed", call("navigate", `{"url":"u","tabId":"C"}`), result(`{"tabId":"B"}`, true), "A"},
		{"no answer in JSON", call("navigate", `{"url":"u"}`), result(`fine`, false), "A"},
		{"no arguments", call("navigate", ``), result(`fine`, false), "A"},
		{"of another type", call("navigate", `{"tabId":7}`), result(`{"tabId":7}`, false), "A"},
		{"JSON-RPC error", call("navigate", `{"tabId":"C"}`), adapter.Result{RPCError: &adapter.RPCError{}}, "A"},
		{"no answer", call("navigate", `{"tabId":"C"}`), adapter.Result{}, "A"},
		{"another tool", call("read_page", `{"tabId":"C"}`), result(`{"tabId":"B"}`, false), "C"},
		{"another tool that failed", call("read_page", `{"tabId":"C"}`), result(`no tab`, true), "A"},
		{"another tool without a tab", call("tabs_context", `{}`), result(`{"tabId":"B"}`, false), "A"},
		{"closed", call("tabs_close", `{"tabId":"C"}`), result(`closed`, false), "A"},
		{"warning first", call("navigate", `{}`), adapter.NewResult(json.RawMessage(
			`{"content":[{"type":"text","text":"profile warning"},{"type":"text","text":"{\"tabId\":\"B\"}"}]}`)), "B"},
	}
	for _, tt := range tests {
		need.Is(t, tt.name, tt.want, TabAfter(server.OpenChrome(), "A", tt.call, tt.r))
	}
}
