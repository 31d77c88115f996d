package normal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// Node ids depend on what Chromium did before, so they are left out wherever they stand.
func TestNodeIDs(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"[4]<h1/>Orders", "[node]<h1/>Orders"},
		{"  [47]<p/>Order [12]", "  [node]<p/>Order [12]"},
		{"    [90]footer>[91]div> [92]<p/>Behind the station", "    [node]footer>[node]div> [node]<p/>Behind the station"},
		{"[9]my-card> [10]<a/>Open\n[11]<b/>", "[node]my-card> [node]<a/>Open\n[node]<b/>"},
		{"    [74-5] th ×4 (showing 3 of 4)", "    [nodes] th ×4 (showing 3 of 4)"},
		{"Clicked element 39 at (747, 303)", "Clicked element [node] at (747, 303)"},
		{"Scrolled to 39", "Scrolled to [node]"},
		{"Error: 39 is stale — it moved.", "Error: [node] is stale — it moved."},
		{"Error: Reference '39' not found.", "Error: Reference '[node]' not found."},
		{"Error: Could not resolve element 39. It is gone.", "Error: Could not resolve element [node]. It is gone."},
		{"Clicked element ref_3 at (747, 303)", "Clicked element ref_3 at (747, 303)"},
		{"Item [3] of 4 > 2", "Item [3] of 4 > 2"},
		// The folder of a task's files has another path in each session.
		{"Error: /tmp/openchrome-bench-0a1b/s/home/task-files/my letter.txt", "Error: task-files/my letter.txt"},
		{`"C:\\Users\\Ada\\openchrome-bench-11\\s\\home\\task-files\\my letter.txt"`, `"task-files/my letter.txt"`},
	} {
		need.Is(t, fmt.Sprintf("%q", test.text), test.want, new(Normaliser).Text(test.text))
	}
}

// said returns the normalised answer of a tool.
func said(n *Normaliser, tool, text string, isError bool) string {
	raw, _ := json.Marshal(map[string]any{"content": []any{map[string]string{"type": "text", "text": text}}, "isError": isError})
	return strings.Join(n.answered(&record.ToolResult{Tool: tool, Result: adapter.NewResult(raw)}).Texts, "\n")
}

// A ref in arguments is an id of a node too. It becomes the node's place in the last answer
// with ids, so that another node is another one.
func TestRefs(t *testing.T) {
	var n Normaliser
	said(&n, "read_page", "[4]<h1/>A\n[39]<a/>B\n[40]<a/>C", false)
	said(&n, "form_input", `Set value to "true"`, false)
	for _, test := range []struct{ args, want string }{
		{`{"ref":"39","value":"39"}`, `{"ref":"[node 2]","value":"39"}`},
		{`{"ref": "40"}`, `{"ref": "[node 3]"}`},
		{`{"ref":"7"}`, `{"ref":"[node]"}`},
		{`{"ref":"ref_3"}`, `{"ref":"ref_3"}`},
		{`{"fields":{"ref":"39"}}`, `{"fields":{"ref":"39"}}`},
	} {
		if got := n.Args(json.RawMessage(test.args)); got != test.want {
			t.Errorf("%s: got %s, want %s", test.args, got, test.want)
		}
	}
}

// After an action OpenChrome describes the page as it is after a fixed wait, so that part is
// left out. What the action hit stays.
func TestSettled(t *testing.T) {
	for _, test := range []struct{ tool, text, want string }{
		{"interact", "✓ Clicked Send\n[Page navigated: https://a.test/sent]", "✓ Clicked Send"},
		{"interact", "✓ Clicked button \"Send [ref_2]\" [ref_1]\n\n[Page navigated: https://a.test/sent]", "✓ Clicked button \"Send [ref_2]\""},
		{"interact", "✓ Clicked button \"Send [ref_2]\"\n\n[Page navigated: https://a.test/sent]", "✓ Clicked button \"Send [ref_2]\""},
		{"computer", "Clicked at (62, 400)\n[Page navigated: https://a.test/b]\n[Title: \"B\"]\nHit: <i class=\"s\"> [not interactive]\n[Page State] url: https://a.test/b", "Clicked at (62, 400)\nHit: <i class=\"s\"> [not interactive]"},
		{"computer", "Clicked at (62, 400)\nHit: <i class=\"s\"> [not interactive]\n[Page State] url: https://a.test/b\n[Headings] h1: \"B\"", "Clicked at (62, 400)\nHit: <i class=\"s\"> [not interactive]"},
		{"computer", "Pressed: ArrowRight\n[DOM Delta]\n~ input: value 0→10", "Pressed: ArrowRight"},
		{"form_input", "Set value to \"true\"\n[DOM Delta]\n~ input: checked", "Set value to \"true\""},
		{"read_page", "Typed: notes\n[1]<a/>Delete all", "Typed: notes\n[node]<a/>Delete all"},
	} {
		if got := said(new(Normaliser), test.tool, test.text, false); got != test.want {
			t.Errorf("%s %q: got %q, want %q", test.tool, test.text, got, test.want)
		}
	}
	const refusal = "Error: no such field\n[form] a, b"
	need.Is(t, "an error", refusal, said(new(Normaliser), "fill_form", refusal, true))
}
