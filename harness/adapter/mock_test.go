package adapter

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/internal/task"
)

// prepare makes the mock ready for a task with this transcript.
func prepare(t testing.TB, transcript string) (Factory, error) {
	t.Helper()
	k, err := Find("mock")
	if err != nil {
		t.Fatal(err)
	}
	fsys := fstest.MapFS{"a/transcript.jsonl": &fstest.MapFile{Data: []byte(transcript)}}
	return k.For(task.Spec{Source: task.Source{Name: "tasks", FS: fsys}, Dir: "a"}, Target{})
}

func start(t testing.TB, transcript string) Adapter {
	t.Helper()
	factory, faults := prepare(t, transcript)
	if faults != nil {
		t.Fatal(faults)
	}
	a, err := factory()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func result(text string, isError bool) event.Result {
	raw, _ := json.Marshal(map[string]any{
		"content": []any{map[string]any{"type": "text", "text": text}}, "isError": isError,
	})
	return event.NewResult(raw)
}

func TestMockReplays(t *testing.T) {
	transcript := `{"tool":"read_page","args":{ "tabId" : "{{tabId}}", "n": 1e2 }}

{"tool":"find","args":{"query":"in {{tabId}}/{{\u0074abId}}!","list":["{{tabId}}"],"{{tabId}}":"<x>"},"expect":{"isError":true,"contains":["No elements","x"]}}
{"tool":"tabs_context","args":{},"expect":{}}
`
	factory, faults := prepare(t, transcript)
	if faults != nil {
		t.Fatal(faults)
	}
	want := []string{
		`read_page { "tabId" : "T\"1", "n": 1e2 }`,
		`find {"query":"in T\"1/T\"1!","list":["T\"1"],"{{tabId}}":"<x>"}`,
		`tabs_context {}`,
	}
	for range 2 { // episodes share nothing
		a, err := factory()
		if err != nil {
			t.Fatal(err)
		}
		s := State{TabID: `T"1`, Steps: []Step{{}}}
		var got []string
		for {
			d, err := a.Next(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if d.Done {
				break
			}
			got = append(got, d.Call.Tool+" "+string(d.Call.Args))
			r := result("anything", false)
			if d.Call.Tool == "find" {
				r = result("No elements like x", true)
			}
			s.Steps = append(s.Steps, Step{d.Call, r})
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
	}
}

func TestMockDrift(t *testing.T) {
	hint := json.RawMessage(`{"content":[{"type":"text","text":"fine"},{"type":"text","text":"\nHint: secret"}],"_hint":"Hint: secret"}`)
	tests := []struct {
		name, expect string
		result       event.Result
		want         *event.Drift // nil: as expected
	}{
		{"nothing expected", `{}`, result("x", true), nil},
		{"no error", `{"isError":false}`, result("x", false), nil},
		{"error wanted", `{"isError":true}`, result("all well", false),
			&event.Drift{Step: 1, Tool: "find", Expected: "isError true", Actual: `isError false and text "all well"`}},
		{"JSON-RPC error is an error", `{"isError":true,"contains":["Unknown tool"]}`,
			event.Result{RPCError: &event.RPCError{Code: -32603, Message: "Unknown tool: find"}}, nil},
		{"texts", `{"contains":["fine","se\u0000cret"]}`, event.NewResult(hint),
			&event.Drift{Step: 1, Tool: "find", Expected: `text with "se\x00cret"`, Actual: `isError false and text "fine"`}},
		{"hint is not the answer", `{"contains":["secret"]}`, event.NewResult(hint),
			&event.Drift{Step: 1, Tool: "find", Expected: `text with "secret"`, Actual: `isError false and text "fine"`}},
		{"both", `{"isError":false,"contains":["a","b","c"]}`, result("b\x1b[2J", true),
			&event.Drift{Step: 1, Tool: "find", Expected: `isError false and text with "a" and text with "c"`,
				Actual: `isError true and text "b\x1b[2J"`}},
		{"long answers are cut", `{"contains":["x"]}`, result(strings.Repeat("é", 301), false),
			&event.Drift{Step: 1, Tool: "find", Expected: `text with "x"`,
				Actual: `isError false and text "` + strings.Repeat("é", 300) + `…"`}},
		{"no answer", `{"isError":false,"contains":["x"]}`, event.Result{},
			&event.Drift{Step: 1, Tool: "find", Expected: `text with "x"`, Actual: `isError false and text ""`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := start(t, `{"tool":"find","args":{},"expect":`+tt.expect+`}`)
			s := State{Steps: []Step{{}}}
			d, err := a.Next(t.Context(), s)
			if err != nil || d.Done {
				t.Fatalf("first call: %+v, %v", d, err)
			}
			s.Steps = append(s.Steps, Step{d.Call, tt.result})
			d, err = a.Next(t.Context(), s)
			if tt.want == nil {
				if err != nil || !d.Done {
					t.Errorf("got %+v, %v, want done", d, err)
				}
				return
			}
			drift, ok := errors.AsType[*event.Drift](err)
			if !ok {
				t.Fatalf("got %+v, %v, want a drift", d, err)
			}
			if diff := cmp.Diff(tt.want, drift); diff != "" {
				t.Errorf("drift (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMockNeedsATab(t *testing.T) {
	a := start(t, `{"tool":"tabs_context","args":{}}`+"\n"+`{"tool":"find","args":{"tabId":"{{tabId}}"}}`)
	s := State{Steps: []Step{{}}}
	d, err := a.Next(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	s.Steps = append(s.Steps, Step{d.Call, result("", false)})
	_, err = a.Next(t.Context(), s)
	const want = "step 2, find: expected a tab for {{tabId}}, got none was opened"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A ref is looked up in the last answer that names elements, by the role and the name
// that the server printed.
func TestMockRefs(t *testing.T) {
	refs := regexp.MustCompile(`(?m)^- (?P<role>\w+)(?: "(?P<name>(?:[^"\\]|\\.)*)")? \[ref=(?P<ref>\w+)\]`)
	const transcript = `{"tool":"click","args":{"target":"{{ref button \"Send\"}}","note":"at {{ref button \"Say \\\"hi\\\"\"}}"}}`
	const first = "- button \"Send\" [ref=e1]\n- button \"Say \\\"hi\\\"\" [ref=e2]\n- textbox [ref=e3]"
	for _, test := range []struct {
		name, transcript string
		answers          []event.Result
		refs             *regexp.Regexp
		want             string // the arguments, or the error
	}{
		{"found", transcript, []event.Result{result(first, false)}, refs, `{"target":"e1","note":"at e2"}`},
		{"in the last snapshot", transcript, []event.Result{result(strings.ReplaceAll(first, "=e", "=f"), false), result(first, false)}, refs,
			`{"target":"e1","note":"at e2"}`},
		{"an answer without elements is no snapshot", transcript, []event.Result{result(first, false), result("Clicked", false)}, refs,
			`{"target":"e1","note":"at e2"}`},
		{"without a name", `{"tool":"type","args":{"target":"{{ref textbox \"\"}}"}}`, []event.Result{result(first, false)}, refs, `{"target":"e3"}`},
		{"another role", `{"tool":"click","args":{"target":"{{ref link \"Send\"}}"}}`, []event.Result{result(first, false)}, refs,
			`step 1, click: expected a link "Send" in the last snapshot, got 3 elements without it`},
		{"nearly", `{"tool":"click","args":{"target":"{{ref button \"Sent\"}}"}}`, []event.Result{result(first, false)}, refs,
			`step 1, click: expected a button "Sent" in the last snapshot, got 3 elements without it; did you mean "Send"?`},
		{"only in an earlier one", transcript, []event.Result{result(first, false), result("- textbox [ref=e9]", false)}, refs,
			`step 1, click: expected a button "Send" in the last snapshot, got 1 element without it`},
		{"no snapshot", transcript, []event.Result{result("Clicked", false)}, refs, `step 1, click: expected a button "Send" in the last snapshot, got no snapshot`},
		{"no refs at all", transcript, []event.Result{result(first, false)}, nil, `step 1, click: expected a button "Send" in the last snapshot, got no snapshot`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := State{Refs: test.refs}
			for _, r := range test.answers {
				s.Steps = append(s.Steps, Step{event.Call{Tool: "snapshot"}, r})
			}
			d, err := start(t, test.transcript).Next(t.Context(), s)
			got := string(d.Call.Args)
			if err != nil {
				if _, ok := errors.AsType[*event.Drift](err); !ok {
					t.Errorf("error is a %T", err)
				}
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// A transcript may say that the server cannot do the task, at once or after some calls.
func TestMockUnsupported(t *testing.T) {
	a := start(t, `{"tool":"find","args":{}}`+"\n"+`{"unsupported":"it has no tabs"}`)
	d, err := a.Next(t.Context(), State{Steps: []Step{{}}})
	if err != nil || d.Unsupported != "" || d.Call.Tool != "find" {
		t.Fatalf("first line: %+v, %v", d, err)
	}
	d, err = a.Next(t.Context(), State{Steps: []Step{{}, {}}})
	if err != nil || d.Unsupported != "it has no tabs" || d.Done {
		t.Errorf("second line: %+v, %v", d, err)
	}
}

// Each server has a file of its own; a shorter way is taken where there is one.
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
		{Target{Shortest: true}, "transcript.shortest.jsonl", ""},
		{Target{Server: "peer"}, "transcript.peer.jsonl", ""},
		{Target{Server: "peer", Shortest: true}, "transcript.peer.jsonl", ""},
		{Target{Server: "other", Shortest: true}, "", "tasks/a/transcript.other.jsonl"},
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
		{"another tool", call("read_page", `{"tabId":"C"}`), result(`{"tabId":"B"}`, false), "A"},
		{"warning first", call("navigate", `{}`), event.NewResult(json.RawMessage(
			`{"content":[{"type":"text","text":"profile warning"},{"type":"text","text":"{\"tabId\":\"B\"}"}]}`)), "B"},
	}
	for _, tt := range tests {
		if got := TabAfter("A", tt.call, tt.r); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestFind(t *testing.T) {
	if got, err := Find("mock"); err != nil || got.Name != "mock" {
		t.Errorf("Find(mock) = %+v, %v", got, err)
	}
	_, err := Find("mokc")
	const want = `unknown adapter "mokc"; allowed: mock; did you mean "mock"?`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func BenchmarkMock(b *testing.B) {
	factory, faults := prepare(b, strings.Repeat(`{"tool":"read_page","args":{"tabId":"{{tabId}}"},"expect":{"isError":false,"contains":["x"]}}`+"\n", 5))
	if faults != nil {
		b.Fatal(faults)
	}
	r := result("x", false)
	for b.Loop() {
		a, _ := factory()
		s := State{TabID: "T", Steps: []Step{{}}}
		for {
			d, err := a.Next(b.Context(), s)
			if err != nil {
				b.Fatal(err)
			}
			if d.Done {
				break
			}
			s.Steps = append(s.Steps, Step{d.Call, r})
		}
	}
}
