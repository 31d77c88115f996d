package record_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

var at = time.Date(2026, 11, 21, 9, 8, 7, 6000, time.UTC)

// oneOfEach has an event of every type, in the order of an episode.
func oneOfEach() []record.Event {
	url := "https://example.com/"
	in := func(seq int, by record.By, b record.Body) record.Event {
		return record.Event{Seq: seq, TS: at, Episode: "t#1", By: by, Body: b}
	}
	return []record.Event{
		{TS: at, Body: &record.RunStart{SchemaVersion: record.SchemaVersion, RunID: "r", Launcher: "standin", Adapter: "mock", Web: record.Web{Mode: "hermetic"}, Episodes: 1}},
		in(1, "", &record.Reset{Task: record.Task{ID: "t"}, Repetition: 1, Server: &record.Server{Name: "openchrome"}}),
		in(2, record.ByAdapter, &record.ToolCall{Step: 0, Call: adapter.Call{Tool: "navigate", Args: json.RawMessage(`{"url":"https://example.com/?a=1&b=<2>"}`)}}),
		in(3, record.ByAdapter, &record.ToolResult{Step: 0, Tool: "navigate", DurationMs: 1.5, Result: adapter.Result{Raw: json.RawMessage(`{"content":[]}`)}}),
		in(4, record.ByAdapter, &record.ToolResult{Step: 1, Tool: "nix", Result: adapter.Result{RPCError: &adapter.RPCError{Code: -32603, Message: "Unknown tool: nix"}}, Drift: &adapter.Drift{Expected: "no error", At: "transcript.jsonl:1"}}),
		in(5, record.ByHarness, &record.Progress{Step: 1, URL: url}),
		in(6, record.ByHarness, &record.Facts{FinalURL: url, Facts: &evidence.Facts{URL: &url}, NowMs: 5}),
		in(7, "", &record.ContractEval{Judgement: judge.Judgement{Verdict: judge.Pass}}),
		in(8, "", &record.Stop{Status: record.AdapterError, Cause: record.CauseAdapter, Reason: "drift", Steps: 1, Success: json.RawMessage(`{"kind":"no_dialog"}`)}),
		{TS: at, Body: &record.RunEnd{Interrupted: true}},
		{TS: at, Body: &record.RunResume{Dropped: 7}},
	}
}

func TestEventRoundTrip(t *testing.T) {
	for _, want := range oneOfEach() {
		t.Run(string(want.Body.Type()), func(t *testing.T) {
			line, err := want.MarshalJSON()
			need.OK(t, err)
			var got record.Event
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			need.Equal(t, "", want, got, cmpopts.IgnoreUnexported(adapter.Result{}))
		})
	}
}

func TestEventLineIsFlat(t *testing.T) {
	line, err := oneOfEach()[2].MarshalJSON()
	need.OK(t, err)
	want := `{"seq":2,"ts":"2026-11-21T09:08:07.000006Z","episode":"t#1","type":"tool_call","by":"adapter","step":0,"tool":"navigate","args":{"url":"https://example.com/?a=1&b=<2>"}}`
	need.Is(t, "", want, string(line))
}

func TestUnknownTypeIsAnError(t *testing.T) {
	var e record.Event
	err := json.Unmarshal([]byte(`{"seq":1,"type":"surprise"}`), &e)
	need.Fails(t, err, `unknown event type "surprise"`)
}

func TestEventWithoutBody(t *testing.T) {
	if _, err := json.Marshal(record.Event{Seq: 3, Episode: "t#1"}); err == nil {
		t.Error("an event without a body was written")
	}
}
