package adapter

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/internal/task"
)

func TestTabAfter(t *testing.T) {
	call := func(tool, args string) event.Call { return event.Call{Tool: tool, Args: json.RawMessage(args)} }
	tests := []struct {
		name string
		call event.Call
		r    event.Result
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
		{"JSON-RPC error", call("navigate", `{"tabId":"C"}`), event.Result{RPCError: &event.RPCError{}}, "A"},
		{"no answer", call("navigate", `{"tabId":"C"}`), event.Result{}, "A"},
		{"another tool", call("read_page", `{"tabId":"C"}`), result(`{"tabId":"B"}`, false), "C"},
		{"another tool that failed", call("read_page", `{"tabId":"C"}`), result(`no tab`, true), "A"},
		{"another tool without a tab", call("tabs_context", `{}`), result(`{"tabId":"B"}`, false), "A"},
		{"closed", call("tabs_close", `{"tabId":"C"}`), result(`closed`, false), "A"},
		{"warning first", call("navigate", `{}`), event.NewResult(json.RawMessage(
			`{"content":[{"type":"text","text":"profile warning"},{"type":"text","text":"{\"tabId\":\"B\"}"}]}`)), "B"},
	}
	for _, tt := range tests {
		if got := TabAfter("A", tt.call, tt.r); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Each server has its own file. If the path has no file, the server's oracle file is read.
func TestTarget(t *testing.T) {
	k, err := Find("mock")
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{}
	for _, name := range []string{"transcript.jsonl", "transcript.shortest.jsonl", "transcript.peer.jsonl"} {
		fsys["a/"+name] = &fstest.MapFile{Data: []byte(`{"tool":"` + name + `","args":{}}`)}
	}
	s := task.Spec{Source: task.Source{Name: "tasks", FS: fsys}, Dir: "a"}
	for _, test := range []struct {
		target  Target
		want    string
		missing string
	}{
		{Target{}, "transcript.jsonl", ""},
		{Target{Path: "shortest"}, "transcript.shortest.jsonl", ""},
		{Target{Server: "peer"}, "transcript.peer.jsonl", ""},
		{Target{Server: "peer", Path: "shortest"}, "transcript.peer.jsonl", ""},
		{Target{Server: "other", Path: "shortest"}, "", "tasks/a/transcript.other.jsonl"},
	} {
		if got := k.Missing(s, test.target); got != test.missing {
			t.Errorf("%+v: %q is missing, want %q", test.target, got, test.missing)
		}
		factory, err := k.For(s, test.target)
		if (err != nil) != (test.missing != "") {
			t.Errorf("%+v: %v", test.target, err)
		}
		if err != nil {
			continue
		}
		a, err := factory()
		if err != nil {
			t.Fatal(err)
		}
		if d, err := a.Next(t.Context(), State{}); err != nil || d.Call.Tool != test.want {
			t.Errorf("%+v: %+v, %v; want the calls of %s", test.target, d, err, test.want)
		}
	}
}
