package adapter_test

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
)

func TestResult(t *testing.T) {
	const hint = "Hint: URL appears to be a non-production environment."
	tests := []struct {
		name    string
		raw     string
		isError bool
		text    string
		tabID   string // of the JSON item; empty: there is none
		hint    *adapter.Hint
	}{
		{name: "plain text", raw: `{"content":[{"type":"text","text":"hello"}]}`, text: "hello"},
		{name: "an error", raw: `{"content":[{"type":"text","text":"Error: no"}],"isError":true}`, isError: true, text: "Error: no"},
		{
			name: "a hint is told apart from the text",
			raw: `{"content":[{"type":"text","text":"{\"tabId\":\"T\"}"},{"type":"text","text":"\n` + hint + `"}],"_hint":"` + hint +
				`","_hintMeta":{"severity":"info","rule":"navigate-to-demo","fireCount":2}}`,
			text: `{"tabId":"T"}`, tabID: "T",
			hint: &adapter.Hint{Text: hint, Rule: "navigate-to-demo", Severity: "info", Count: 2},
		},
		{
			name: "JSON behind a warning", text: "a warning\n{\"tabId\":\"T\"}", tabID: "T",
			raw: `{"content":[{"type":"text","text":"a warning"},{"type":"text","text":"{\"tabId\":\"T\"}"}]}`,
		},
		{name: "an image has no text", raw: `{"content":[{"type":"image","data":"AA==","mimeType":"image/png"}]}`},
		{name: "no result at all", raw: `[1]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			made := adapter.NewResult(json.RawMessage(test.raw))
			read := adapter.Result{Raw: json.RawMessage(test.raw), Hint: made.Hint} // as from a log
			for _, r := range []adapter.Result{made, read} {
				var v struct{ TabID string }
				r.JSON(&v)
				got := []any{r.IsError(), r.Text(), v.TabID, r.Hint}
				need.Equal(t, "", []any{test.isError, test.text, test.tabID, test.hint}, got)
			}
		})
	}
}

func TestRPCErrorIsAnErrorAnswer(t *testing.T) {
	r := adapter.Result{RPCError: &adapter.RPCError{Code: -32603, Message: "Unknown tool: nix"}}
	if !r.IsError() || r.Text() != "Unknown tool: nix" {
		t.Errorf("got %v, %q", r.IsError(), r.Text())
	}
}

// An answer of bounded size takes bounded time and memory, also if it has millions
// of items.
func TestManyItems(t *testing.T) {
	items := func(n int) json.RawMessage {
		return json.RawMessage(`{"content":[` + strings.TrimSuffix(strings.Repeat("{},", n), ",") + `]}`)
	}
	if !adapter.NewResult(items(adapter.MaxItems)).Valid() {
		t.Errorf("%d items are not valid", adapter.MaxItems)
	}
	many := items(2 << 20)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if r := adapter.NewResult(many); r.Valid() {
		t.Error("2 million items are valid")
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 8*uint64(len(many)) {
		t.Errorf("they took %d MiB", used>>20)
	}
}
