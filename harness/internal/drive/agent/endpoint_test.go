//go:build unix

package agent

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
)

func rawTools(texts ...string) (tools []adapter.Tool) {
	for _, text := range texts {
		tools = append(tools, adapter.Tool{Raw: json.RawMessage(text)})
	}
	return tools
}

// served is an endpoint with an episode behind it whose server is a function.
func served(t *testing.T, server func(adapter.Call) (adapter.Result, []adapter.Tool)) (client, *rendezvous) {
	t.Helper()
	rv := newRendezvous(rawTools(`{"name":"a"}`))
	e, err := listen("t0ken", rv, nil)
	need.OK(t, err)
	done := make(chan struct{})
	go func() {
		defer close(done)
		state := adapter.State{Steps: make([]adapter.Step, 1), Tools: rv.tools}
		for {
			select {
			case c := <-rv.calls:
				rv.take(c, len(state.Steps))
				result, tools := server(c.Call)
				state.Steps = append(state.Steps, adapter.Step{Call: c.Call, Result: result})
				if tools != nil {
					state.Tools = tools
				}
				rv.deliver(state)
			case <-rv.over:
				return
			}
		}
	}()
	t.Cleanup(func() {
		select {
		case <-rv.over:
		default:
			close(rv.over)
		}
		<-done
		e.close()
	})
	return client{e.url(), "t0ken"}, rv
}

func text(s string) adapter.Result {
	raw, _ := json.Marshal(s)
	return adapter.NewResult(json.RawMessage(`{"content":[{"type":"text","text":` + string(raw) + `}]}`))
}

// The endpoint refuses who is not the agent, and answers what is no call by itself.
func TestRequests(t *testing.T) {
	c, _ := served(t, func(call adapter.Call) (adapter.Result, []adapter.Tool) { return text(call.Tool), nil })
	const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`
	}
	hello := func(version string) string {
		return `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{}}}`
	}
	tests := []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     string
	}{
		{name: "a call before the list", body: call(`{"name":"a"}`), status: 200, want: `"error":{"code":-32600,"message":"list the tools first`},
		{name: "ping", body: ping, status: 200, want: `{"jsonrpc":"2.0","id":7,"result":{}}`},
		{name: "GET", method: http.MethodGet, status: 405},
		{name: "DELETE", method: http.MethodDelete, status: 405},
		{name: "another path", path: "/", body: ping, status: 404},
		{name: "a page asks", body: ping, headers: []string{"Origin", "http://127.0.0.1"}, status: 403},
		{name: "a page without an origin asks", body: ping, headers: []string{"Origin", "null"}, status: 403},
		{name: "wrong token", body: ping, headers: []string{"Authorization", "Bearer t0ke"}, status: 401},
		{name: "no token", body: ping, headers: []string{"Authorization", ""}, status: 401},
		{name: "too large", body: strings.Repeat(" ", maxRequest+1), status: 413},
		{name: "no JSON", body: `{`, status: 200, want: `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{name: "deeper than a report can be read", body: call(`{"name":"a","arguments":{"a":` + strings.Repeat("[", 9990) + strings.Repeat("]", 9990) + `}}`), status: 200, want: `"code":-32700,"message":"the request is not JSON, or nested too deep"`},
		{name: "a batch", body: `[` + ping + `]`, status: 200, want: `"code":-32600`},
		{name: "another version", body: `{"jsonrpc":"1.0","id":1,"method":"ping"}`, status: 200, want: `"code":-32600`},
		{name: "a notification", body: `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, status: 202},
		{name: "initialize", body: hello("2025-03-26"), status: 200,
			want: `{"jsonrpc":"2.0","id":"i","result":{"protocolVersion":"2025-03-26","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"browser","version":"1"}}}`},
		{name: "a version of the future", body: hello(`2026-07-28\"`), status: 200, want: `"protocolVersion":"2025-11-25"`},
		{name: "a method of the future", body: `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, status: 200, want: `"code":-32601`},
		{name: "tools/list", body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, status: 200, want: `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}`},
		{name: "a call", body: call(`{"name":"a"}`), status: 200, want: `{"content":[{"type":"text","text":"a"}]}`},
		{name: "an unlisted tool", body: call(`{"name":"hidden","arguments":null}`), status: 200, want: `"text":"hidden"`},
		{name: "no name", body: call(`{}`), status: 200, want: `"code":-32602`},
		{name: "arguments that are a list", body: call(`{"name":"a","arguments":[]}`), status: 200, want: `"code":-32602`},
		{name: "no params", body: `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, status: 200, want: `"code":-32602`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.method != "" {
				r, _ := http.NewRequest(tt.method, c.url, nil)
				r.Header.Set("Authorization", "Bearer "+c.token)
				response, err := http.DefaultClient.Do(r)
				need.OK(t, err)
				need.Is(t, fmt.Sprintf("got %v", response), tt.status, response.StatusCode)
				return
			}
			c := c
			if tt.path != "" {
				c.url = strings.TrimSuffix(c.url, "/mcp") + tt.path
			}
			status, got, err := c.post(tt.body, tt.headers...)
			if err != nil || status != tt.status || !strings.Contains(got, tt.want) {
				t.Errorf("got %d, %s, %v, want %d with %s", status, got, err, tt.status, tt.want)
			}
		})
	}
}

// Answers, errors and tools reach the agent byte for byte.
func TestAnswersByteForByte(t *testing.T) {
	shapes := []string{
		`{"content":[]}`,
		`{"content":[{"type":"text","text":"<b>&\u0000\u2028\ud800 é"}]}`,
		`{ "content" : [ ] , "isError" : true }`,
		`{"isError":true,"content":[{"type":"text","text":""}]}`,
		`{"content":[{"type":"text","text":"a"}],"_timing":{"ms":1.50},"_hint":"h","_hintMeta":{"rule":"r"}}`,
		`{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`,
		`{"content":[{"type":"audio","data":"","mimeType":"audio/wav"}]}`,
		`{"content":[{"type":"resource","resource":{"uri":"a:b","text":"t"}}]}`,
		`{"content":[{"type":"resource_link","uri":"a:b","name":"n"}]}`,
		`{"content":[{"type":"hologram","x":[1,2,{}]}]}`,
		`{"content":[{"type":"text","text":"a","unknown":null,"annotations":{"priority":1.0}}]}`,
		`{"content":[],"structuredContent":{"a":1e400,"b":12345678901234567890}}`,
		`{"content":[],"_meta":{"a/b":{"c":[]}}}`,
		`{"content":[],"content":[{"type":"text","text":"twice"}]}`,
		"{\n  \"content\": [\n    {\"type\": \"text\",\t\"text\": \"a\"}\n  ]\n}",
		`{"content":[{"type":"text","text":"` + strings.Repeat("x", 300_000) + `"}]}`,
		`{"content":[{"type":"text","text":"\"}]}data: event: \n\n"}]}`,
		`{"content":[{"type":"text","text":"` + "\xff" + `"}]}`,
		`{"content":[],"isError":false,"Content":1}`,
		`{"content":[{"type":"text","text":"ü"},{"type":"text","text":"😀"}],"z":[[[[]]]]}`,
	}
	if len(shapes) != 20 {
		t.Fatalf("%d shapes", len(shapes))
	}
	for _, stream := range []bool{false, true} {
		n := -1
		c, rv := served(t, func(adapter.Call) (adapter.Result, []adapter.Tool) {
			n++
			if stream { // each answer changes the list of tools
				return adapter.NewResult(json.RawMessage(shapes[n])), rawTools(fmt.Sprint(`{"name":"`, n, `"}`))
			}
			return adapter.NewResult(json.RawMessage(shapes[n])), nil
		})
		rv.list()
		for i, shape := range shapes {
			if stream && strings.ContainsRune(shape, '\n') {
				shape = strings.ReplaceAll(shape, "\n", "\ndata: ") // which is how an event stream writes it
			}
			var listing sync.WaitGroup
			var accept []string
			if stream {
				accept = []string{"Accept", "application/json, text/event-stream"}
				listing.Go(func() { relist(c, fmt.Sprint(`"`, i, `"`)) })
			}
			_, got, err := c.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"a"}}`, i), accept...)
			listing.Wait()
			if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%s}`, i, shape); err != nil || !strings.Contains(got, want) || !stream && got != want {
				t.Errorf("stream %v: got %.300q, %v, want %.300q", stream, got, err, want)
			}
		}
	}
}

// relist lists the tools until one has the name.
func relist(c client, name string) {
	for !strings.Contains(c.ask("tools/list", "{}"), name) {
	}
}

func TestErrorsHaveCodeAndMessage(t *testing.T) {
	c, rv := served(t, func(call adapter.Call) (adapter.Result, []adapter.Tool) {
		if call.Tool == "dead" {
			return adapter.Result{}, nil
		}
		return adapter.Result{RPCError: &adapter.RPCError{Code: -32099, Message: `<no> "tool"`}}, nil
	})
	rv.list()
	for tool, want := range map[string]adapter.RPCError{"x": {Code: -32099, Message: `<no> "tool"`}, "dead": {Code: -32603, Message: "the server gave no answer"}} {
		var got struct{ Error adapter.RPCError }
		if err := json.Unmarshal([]byte(c.call(tool)), &got); err != nil || got.Error != want {
			t.Errorf("%s: got %+v, %v, want %+v", tool, got.Error, err, want)
		}
	}
}

// A call that changes the list of tools says so before its answer, and waits until the agent has
// listed them again.
func TestChangedTools(t *testing.T) {
	annotated := `{"name":"b", "annotations":{"readOnlyHint":true}, "x":1.0}`
	c, rv := served(t, func(adapter.Call) (adapter.Result, []adapter.Tool) {
		return text("done"), rawTools(`{"name":"a"}`, annotated)
	})
	rv.list()
	var listing sync.WaitGroup
	listing.Go(func() { relist(c, annotated) })
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"expand"}}`
	_, got, err := c.post(call, "Accept", "application/json, text/event-stream")
	listing.Wait()
	want := "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n" +
		"event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}\n\n"
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, mismatch (-want +got):\n%s", err, diff)
	}
	// It did not change again.
	if _, got, _ := c.post(call, "Accept", "application/json, text/event-stream"); strings.Contains(got, "list_changed") {
		t.Errorf("the second call says %s", got)
	}
}

// An agent that cannot read a stream, or does not list again, gets its answer too.
func TestChangedToolsThatNobodyLists(t *testing.T) {
	n := 0
	c, rv := served(t, func(adapter.Call) (adapter.Result, []adapter.Tool) {
		n++
		return text("done"), rawTools(fmt.Sprint(n))
	})
	rv.list()
	if got := c.call("a"); !strings.HasPrefix(got, `{"jsonrpc"`) {
		t.Errorf("without Accept: got %s", got)
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`
	if _, got, err := c.post(call, "Accept", "text/event-stream"); err != nil || !strings.Contains(got, `"done"`) {
		t.Errorf("got %s, %v", got, err)
	}
}

// Each of the calls that come together gets its own answer.
func TestCallsTogether(t *testing.T) {
	made := 0
	c, rv := served(t, func(call adapter.Call) (adapter.Result, []adapter.Tool) {
		made++
		return text(call.Tool), nil
	})
	rv.list()
	var calls sync.WaitGroup
	for i := range 12 {
		calls.Go(func() {
			tool := fmt.Sprint("tool-", i)
			if got := c.call(tool); !strings.Contains(got, `"`+tool+`"`) {
				t.Errorf("%s: got %s", tool, got)
			}
		})
	}
	calls.Wait()
	need.Is(t, "calls were made", 12, made)
}

func FuzzRequest(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":{"a":[]},"method":"initialize","params":[]}`))
	f.Add([]byte(`[]`))
	rv := newRendezvous(rawTools(`{"name":"a"}`))
	rv.list()
	close(rv.over)
	e, err := listen("t", rv, nil)
	if err != nil {
		f.Fatal(err)
	}
	defer e.close()
	c := client{e.url(), "t"}
	f.Fuzz(func(t *testing.T, body []byte) {
		status, got, err := c.post(string(body))
		if err != nil || status == 200 && !json.Valid([]byte(got)) {
			t.Errorf("got %d, %q, %v", status, got, err)
		}
	})
}
