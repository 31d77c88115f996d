package author

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/transcript"
)

func TestSample(t *testing.T) {
	for _, row := range []struct {
		name, answer string
		drawn        []string
		want         string
	}{
		{"a click", "✓ Clicked button \"Send\" [ref_3]\n\n[Page navigated: https://a.test/]", nil, "✓ Clicked button \"Send\""},
		{"a place", "✓ Typed \"x\" at (8, 231) ★", nil, "✓ Typed \"x\" at"},
		{"a form", "✓ Filled 2 fields, submitted\n  Name: \"Ada\" → ✓", nil, "✓ Filled 2 fields, submitted"},
		{"a page", "[8]<body/>\n  [9]<a href=\"/\"/>Library\n  [11]<h1/>Contact us\n[12]<h1/>Two\n", nil, "<h1/>Contact us"},
		{"a drawn value", "✓ Clicked a \"Request FK\"", []string{"F", "FK"}, ""},
		{"a letter of a drawn value", "✓ Clicked a \"Request FK\"", []string{"F"}, "✓ Clicked a \"Request FK\""},
		{"found", "Found 2 elements matching \"send\":\n\n[ref_1] button: \"Send claim\" at (8, 231) ★★", nil, ""},
		{"JSON", `{"action":"navigate","visualSummary":"h1: x"}`, nil, ""},
		{"a long text", "✓ " + strings.Repeat("word ", 30), nil, "✓ " + strings.TrimSpace(strings.Repeat("word ", 12))},
		{"empty", "", nil, ""},
	} {
		got := sample(row.answer, row.drawn)
		need.Is(t, row.name, row.want, got)
		if !strings.Contains(row.answer, got) {
			t.Errorf("%s: the answer does not contain %q", row.name, got)
		}
	}
}

func TestWithExpect(t *testing.T) {
	e := expectation{IsError: true, Contains: []string{`<a & "b">`}}
	const want = `"expect": {"isError": true, "contains": ["<a & \"b\">"]}`
	for line, expected := range map[string]string{
		`{"tool": "find", "args": {}}` + "\n":                               `{"tool": "find", "args": {}, ` + want + "}\n",
		`{"tool":"find","args":{} }`:                                        `{"tool":"find","args":{}, ` + want + "}",
		`{"tool": "find", "expect": {"isError": false}, "args": {}}` + "\n": `{"tool": "find", ` + want + `, "args": {}}` + "\n",
	} {
		if got := withExpect(line, e); got != expected {
			t.Errorf("%s: %s, want %s", line, got, expected)
		}
	}
}

// A transcript that is a link to another file is not written through.
func TestAcceptLink(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other.jsonl")
	const old = `{"tool": "find", "args": {}}` + "\n"
	need.Write(t, other, old)
	r := &trial{answers: map[int]adapter.Result{1: adapter.NewResult(json.RawMessage(`{"content":[]}`))}}
	r.Tasks, r.Stdout = t.TempDir(), io.Discard
	r.task.Lines = []transcript.Line{{Expect: adapter.Expect{At: "transcript.jsonl:1"}}}
	r.task.ID = "t"
	folder := filepath.Join(r.Tasks, "t")
	need.OK(t, os.Mkdir(folder, 0o755))
	if err := os.Symlink(other, filepath.Join(folder, "transcript.jsonl")); err != nil {
		t.Skip(err)
	}
	err := r.write()
	if raw, _ := os.ReadFile(other); err == nil || string(raw) != old {
		t.Errorf("%v, the other file has %q", err, raw)
	}
}
