package event_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/event"
)

var at = time.Date(2026, 11, 21, 9, 8, 7, 6000, time.UTC)

// oneOfEach has an event of every type, in the order of an episode.
func oneOfEach() []event.Event {
	url := "https://example.com/"
	in := func(seq int, by event.By, b event.Body) event.Event {
		return event.Event{Seq: seq, TS: at, Episode: "t#1", By: by, Body: b}
	}
	return []event.Event{
		{TS: at, Body: &event.RunStart{SchemaVersion: event.SchemaVersion, RunID: "r", Launcher: "standin", Adapter: "mock", Web: event.Web{Mode: "hermetic"}, Episodes: 1}},
		in(1, "", &event.Reset{Task: event.Task{ID: "t"}, Repetition: 1, Subject: &event.Subject{Name: "openchrome"}}),
		in(2, event.ByAdapter, &event.ToolCall{Step: 0, Call: event.Call{Tool: "navigate", Args: json.RawMessage(`{"url":"https://example.com/?a=1&b=<2>"}`)}}),
		in(3, event.ByAdapter, &event.ToolResult{Step: 0, Tool: "navigate", DurationMs: 1.5, Result: event.Result{Raw: json.RawMessage(`{"content":[]}`)}}),
		in(4, event.ByAdapter, &event.ToolResult{Step: 1, Tool: "nix", Result: event.Result{RPCError: &event.RPCError{Code: -32603, Message: "Unknown tool: nix"}}, Drift: &event.Drift{Expected: "no error", At: "transcript.jsonl:1"}}),
		in(5, event.ByHarness, &event.Progress{Step: 1, URL: url}),
		in(6, event.ByHarness, &event.Facts{FinalURL: url, Facts: &contract.Facts{URL: &url}, NowMs: 5}),
		in(7, "", &event.ContractEval{Judgement: contract.Judgement{Verdict: contract.Pass}}),
		in(8, "", &event.Stop{Status: event.AdapterError, Reason: "drift", Steps: 1, Success: json.RawMessage(`{"kind":"no_dialog"}`)}),
		{TS: at, Body: &event.RunEnd{Finished: 1}},
		{TS: at, Body: &event.RunResume{Dropped: 7}},
	}
}

func TestEventRoundTrip(t *testing.T) {
	for _, want := range oneOfEach() {
		t.Run(string(want.Body.Type()), func(t *testing.T) {
			line, err := want.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			var got event.Event
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatalf("%v in %s", err, line)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(event.Result{})); diff != "" {
				t.Errorf("mismatch (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEventLineIsFlat(t *testing.T) {
	line, err := oneOfEach()[2].MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"seq":2,"ts":"2026-11-21T09:08:07.000006Z","episode":"t#1","type":"tool_call","by":"adapter","step":0,"tool":"navigate","args":{"url":"https://example.com/?a=1&b=<2>"}}`
	if got := string(line); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestUnknownTypeIsAnError(t *testing.T) {
	var e event.Event
	err := json.Unmarshal([]byte(`{"seq":1,"type":"surprise"}`), &e)
	if err == nil || !strings.Contains(err.Error(), `unknown event type "surprise"`) {
		t.Errorf("got %v", err)
	}
}

func TestEventWithoutBody(t *testing.T) {
	if _, err := json.Marshal(event.Event{Seq: 3, Episode: "t#1"}); err == nil {
		t.Error("an event without a body was written")
	}
}

func TestStatusClass(t *testing.T) {
	for status, want := range map[event.Status]event.Class{
		event.Passed: event.Pass,
		event.Failed: event.Fail, event.Timeout: event.Fail, event.MaxSteps: event.Fail, event.ToolError: event.Fail,
		event.Interrupted: event.Void, event.AdapterError: event.Void, event.Inconclusive: event.Void, "unheard of": event.Void,
	} {
		if got := status.Class(); got != want {
			t.Errorf("%s is %s, want %s", status, got, want)
		}
	}
}
