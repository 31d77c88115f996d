package transcript

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/read/task"
)

// prepare makes the mock ready for a task with this transcript.
func prepare(t testing.TB, transcript string) (adapter.Factory, error) {
	t.Helper()
	p, err := mockReader().prepare(taskOf(map[string]string{"transcript.jsonl": transcript}))
	return p.Adapter, err
}

// mockReader reads the transcripts of OpenChrome and of a peer.
func mockReader() Reader { return Reader{Kind: mockKind} }

// taskOf is a task of only these files.
func taskOf(files map[string]string) task.Spec {
	fsys := make(fstest.MapFS)
	for name, data := range files {
		fsys["a/"+name] = &fstest.MapFile{Data: []byte(data)}
	}
	return task.Spec{Folder: task.Source{Name: "tasks", FS: fsys}.Folder("a")}
}

func start(t testing.TB, transcript string) adapter.Adapter {
	t.Helper()
	factory, faults := prepare(t, transcript)
	need.OK(t, faults)
	a, err := factory()
	need.OK(t, err)
	return a
}

func result(text string, isError bool) adapter.Result {
	raw, _ := json.Marshal(map[string]any{
		"content": []any{map[string]any{"type": "text", "text": text}}, "isError": isError,
	})
	return adapter.NewResult(raw)
}

func TestMockReplays(t *testing.T) {
	transcript := `{"tool":"read_page","args":{ "tabId" : "{{tabId}}", "n": 1e2 }}

{"tool":"find","args":{"query":"in {{tabId}}/{{\u0074abId}}!","list":["{{tabId}}"],"{{tabId}}":"<x>"},"expect":{"isError":true,"contains":["No elements","x"]}}
{"tool":"tabs_context","args":{},"expect":{}}
`
	factory, faults := prepare(t, transcript)
	need.OK(t, faults)
	want := []string{
		`read_page { "tabId" : "T\"1", "n": 1e2 }`,
		`find {"query":"in T\"1/T\"1!","list":["T\"1"],"{{tabId}}":"<x>"}`,
		`tabs_context {}`,
	}
	for range 2 { // episodes share nothing
		a, err := factory()
		need.OK(t, err)
		s := adapter.State{TabID: `T"1`, Steps: []adapter.Step{{}}}
		var got []string
		for {
			d, err := a.Next(t.Context(), s)
			need.OK(t, err)
			if d.Done {
				break
			}
			got = append(got, d.Call.Tool+" "+string(d.Call.Args))
			r := result("anything", false)
			if d.Call.Tool == "find" {
				r = result("No elements like x", true)
			}
			s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: r})
		}
		need.Equal(t, "calls", want, got)
	}
}

func TestExpect(t *testing.T) {
	hint := adapter.NewResult(json.RawMessage(`{"content":[{"type":"text","text":"fine"},{"type":"text","text":"\nHint: secret"}],"_hint":"Hint: secret"}`))
	unknown := adapter.Result{RPCError: &adapter.RPCError{Code: -32603, Message: "Unknown tool: find"}}
	yes, no := new(true), new(false)
	long := strings.Repeat("é", 61)
	for _, tt := range []struct {
		name   string
		expect adapter.Expect
		result adapter.Result
		want   string // expected, in words; empty: the answer is one of them
	}{
		{"nothing expected", adapter.Expect{}, result("x", true), ""},
		{"no error", adapter.Expect{IsError: no}, result("x", false), ""},
		{"no error wanted", adapter.Expect{IsError: no}, result("x", true), "no error"},
		{"error wanted", adapter.Expect{IsError: yes}, result("all well", false), "an error"},
		{"JSON-RPC error is an error", adapter.Expect{IsError: yes, Contains: []string{"Unknown tool"}}, unknown, ""},
		{"texts", adapter.Expect{Contains: []string{"fine", "se\x00cret"}}, hint, `text with "se\x00cret"`},
		{"hint is not the answer", adapter.Expect{Contains: []string{"secret"}}, hint, `text with "secret"`},
		{"both", adapter.Expect{IsError: no, Contains: []string{"a", "b", "c"}}, result("b", true), `no error and text with "a" and text with "c"`},
		{"long texts are cut", adapter.Expect{Contains: []string{long}}, result("x", false), `text with "` + long[:len(long)-len("é")] + `"…`},
		{"an empty answer", adapter.Expect{IsError: no, Contains: []string{"x"}}, adapter.Result{}, `text with "x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.expect.At = "transcript.jsonl:3"
			var want *adapter.Drift
			if tt.want != "" {
				want = &adapter.Drift{Expected: tt.want, At: "transcript.jsonl:3"}
			}
			need.Equal(t, "changed answer", want, tt.expect.Drift(tt.result))
		})
	}
}

// Each call carries what its line expects, with the file's own name and the line in it.
// The mock goes on whatever the answers are.
func TestMockExpects(t *testing.T) {
	const transcript = `{"tool":"find","args":{}}

{"tool":"click","args":{},"expect":{"isError":false,"contains":["a","b"]}}`
	r := mockReader()
	r.Server = "playwright-mcp"
	p, err := r.prepare(taskOf(map[string]string{"transcript.jsonl": `{"tool":"find","args":{}}`, "transcript.playwright-mcp.jsonl": transcript}))
	need.OK(t, err)
	a, err := p.Adapter()
	need.OK(t, err)
	var got []adapter.Expect
	s := adapter.State{Steps: []adapter.Step{{}}}
	for {
		d, err := a.Next(t.Context(), s)
		need.OK(t, err)
		if d.Done {
			break
		}
		got = append(got, d.Expect)
		s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: result("anything", true)})
	}
	want := []adapter.Expect{{At: "transcript.playwright-mcp.jsonl:1"}, {IsError: new(false), Contains: []string{"a", "b"}, At: "transcript.playwright-mcp.jsonl:3"}}
	need.Equal(t, "expectations", want, got)
}

func TestMockNeedsATab(t *testing.T) {
	a := start(t, `{"tool":"tabs_context","args":{}}`+"\n"+`{"tool":"find","args":{"tabId":"{{tabId}}"}}`)
	s := adapter.State{Steps: []adapter.Step{{}}}
	d, err := a.Next(t.Context(), s)
	need.OK(t, err)
	s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: result("", false)})
	_, err = a.Next(t.Context(), s)
	const want = "transcript.jsonl:2: find: no tab for {{tabId}}: none was opened"
	need.Is(t, "", want, fmt.Sprint(err))
}

// A transcript may say that the server cannot do the task, at once or after some calls.
func TestMockUnsupported(t *testing.T) {
	a := start(t, `{"tool":"find","args":{}}`+"\n"+`{"unsupported":"it has no tabs"}`)
	d, err := a.Next(t.Context(), adapter.State{Steps: []adapter.Step{{}}})
	if err != nil || d.Unsupported != "" || d.Call.Tool != "find" {
		t.Fatalf("first line: %+v, %v", d, err)
	}
	d, err = a.Next(t.Context(), adapter.State{Steps: []adapter.Step{{}, {}}})
	if err != nil || d.Unsupported != "it has no tabs" || d.Done {
		t.Errorf("second line: %+v, %v", d, err)
	}
}

// replay makes the calls of a transcript. Each call gets the next of the answers. replay
// returns the arguments of the calls, and the error that ended them.
func replay(t *testing.T, transcript string, answers ...string) ([]string, error) {
	t.Helper()
	a := start(t, transcript)
	s := adapter.State{TabID: "T", Steps: []adapter.Step{{}}}
	var got []string
	for {
		d, err := a.Next(t.Context(), s)
		if err != nil || d.Done {
			return got, err
		}
		got = append(got, string(d.Call.Args))
		s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: result(answers[0], false)})
		answers = answers[1:]
	}
}

func TestSaved(t *testing.T) {
	transcript := `{"tool":"read_page","args":{},"save":{"ref":"\\[(\\d+)\\] Save","all":"p.ice","none":"no(x)?thing"}}
{"tool":"find","args":{"ref":"{{saved.ref}}/{{saved.all}}/{{saved.none}}."},"save":{"ref":"(\\d+) New"}}
{"tool":"find","args":{"ref":"{{saved.ref}}"},"save":{"ref":"(\\d+) None"}}
{"tool":"find","args":{"ref":"{{saved.ref}}{{tabId}}"}}
`
	for range 2 { // episodes share nothing
		got, err := replay(t, transcript, "[1] Open\n[22] Save, price, nothing", "33 New", "44 Old", "")
		if diff := cmp.Diff([]string{"{}", `{"ref":"22/price/."}`, `{"ref":"33"}`, `{"ref":"33T"}`}, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
	_, err := replay(t, transcript, "[x] Save, price, nothing")
	want := `transcript.jsonl:2: find: no {{saved.ref}}: no answer matches its pattern`
	need.Is(t, "no match", want, fmt.Sprint(err))
}

// Drawn values stand in arguments, keys, expected texts and patterns.
func TestDrawnTranscript(t *testing.T) {
	spec := taskOf(map[string]string{"transcript.jsonl": `{"tool":"fill_form","args":{"fields":{"{{param.label}}":"{{param.price}} {{tabId}}"}},"expect":{"contains":["{{param.price}}"]},"save":{"x":"{{param.price}}(.)"}}
{"tool":"find","args":{"q":"{{saved.x}}"}}`})
	spec.Values = param.Values{"label": `"Fare"`, "price": "1.50"}
	p, err := mockReader().prepare(spec)
	need.OK(t, err)
	a, err := p.Adapter()
	need.OK(t, err)
	s := adapter.State{TabID: "T", Steps: []adapter.Step{{}}}
	d, err := a.Next(t.Context(), s)
	if want := `{"fields":{"\"Fare\"":"1.50 T"}}`; err != nil || string(d.Call.Args) != want {
		t.Errorf("%s, %v; want %s", d.Call.Args, err, want)
	}
	need.Equal(t, "", []string{"1.50"}, d.Expect.Contains)
	s.Steps = append(s.Steps, adapter.Step{Call: d.Call, Result: result("1x50y 1.50z", false)})
	if d, err = a.Next(t.Context(), s); err != nil || string(d.Call.Args) != `{"q":"z"}` {
		t.Errorf("%s, %v", d.Call.Args, err)
	}
}

// A placeholder of a file becomes its path in the session.
func TestMockUploads(t *testing.T) {
	prepare := func(transcript string) (Prepared, error) {
		spec := taskOf(map[string]string{"transcript.jsonl": transcript})
		spec.Uploads = map[string][]byte{"my letter.txt": nil}
		return mockReader().prepare(spec)
	}
	p, err := prepare(`{"tool":"file_upload","args":{"filePaths":["{{upload.my letter.txt}}"]}}`)
	need.OK(t, err)
	for _, row := range []struct {
		files map[string]string
		want  string
	}{
		{map[string]string{"my letter.txt": `C:\f\my letter.txt`}, `{"filePaths":["C:\\f\\my letter.txt"]}`},
		{nil, `transcript.jsonl:1: file_upload: the session has no file "my letter.txt"`},
	} {
		a, _ := p.Adapter()
		d, err := a.Next(t.Context(), adapter.State{Files: row.files})
		if got := string(d.Call.Args); err == nil && got != row.want || err != nil && err.Error() != row.want {
			t.Errorf("got %s, %v; want %s", got, err, row.want)
		}
	}
	for transcript, want := range map[string]string{
		`{"tool":"t","args":{"a":"{{upload.letter.txt}}"}}`: `tasks/a/transcript.jsonl:1:25: /args/a: has {{upload.letter.txt}}, but the task has no file "upload/letter.txt"; did you mean "my letter.txt"?`,
		`{"tool":"{{upload.my letter.txt}}","args":{}}`:     `tasks/a/transcript.jsonl:1:9: /tool: has {{upload.my letter.txt}}, which is replaced only in "args"`,
	} {
		if _, err := prepare(transcript); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", transcript, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	if got, err := Find("mock"); err != nil || got.Name != "mock" {
		t.Errorf("Find(mock) = %+v, %v", got, err)
	}
	_, err := Find("mokc")
	const want = `-adapter: is "mokc", want mock, none, policy:NAMES; did you mean "mock"?`
	need.Is(t, "", want, fmt.Sprint(err))
}
