package transcript

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/param"
)

const otherTab = "0123456789ABCDEF0123456789ABCDEF"

// made is a step: its tool, arguments and the text of its answer.
func made(tool, args, answer string) adapter.Step {
	raw, _ := json.Marshal(answer)
	return adapter.Step{Call: adapter.Call{Tool: tool, Args: json.RawMessage(args)}, Result: adapter.NewResult(json.RawMessage(`{"content":[{"type":"text","text":` + string(raw) + `}]}`))}
}

func TestRecording(t *testing.T) {
	values := param.Values{"name": "Ada Abbott", "first": "Ada", "last": "Abbott", "n": "42", "alias": "Ada Abbott", "rows": []param.Row{{"id": "crate-7"}}}
	const page = "  [3]<html/>\n    [12]<input type=\"text\" name=\"who\" value=\"old\"/> ★\n    [13]<button/>Open (focused)\n    [20]<tr/>crate-7\n      [21]<button/>Delete\n    [22]<tr/>crate-8\n      [23]<button/>Delete"
	const ax = "[ref_1] RootWebArea: \"Home\"\n  [ref_7] textbox: \"Who\" = \"old\"\n  [ref_8] button: \"Send\" at (30, 40) ★★"
	tests := []struct {
		name          string
		steps         []adapter.Step
		want          []string
		notes, faults string
	}{
		{"a tab, a whole value and a word of a text", []adapter.Step{made("type", `{"tabId":"TAB","a":["Ada Abbott","42","say Abbott, not Abbotts","the crate-7"],"Ada Abbott":true,"n":1.50}`, "ok")},
			[]string{`{"tool": "type", "args": {"tabId":"{{tabId}}","a":["{{param.alias}}","{{param.n}}","say {{param.last}}, not Abbotts","the {{param.rows.1.id}}"],"{{param.alias}}":true,"n":1.50}, "expect": {"isError": false}}`}, "", ""},
		{"refs of a snapshot", []adapter.Step{made("read_page", `{}`, page), made("form_input", `{"ref":"12","value":"x"}`, "ok"), made("click", `{"ref":"12"}`, "ok")},
			[]string{`{"tool": "read_page", "args": {}, "expect": {"isError": false}, "save": {"r1":"\\[((?:ref_)?\\d+)\\]<input type=\"text\" name=\"who\""}, "optional": true}`,
				`{"tool": "form_input", "args": {"ref":"{{saved.r1}}","value":"x"}, "expect": {"isError": false}}`,
				`{"tool": "click", "args": {"ref":"{{saved.r1}}"}, "expect": {"isError": false}}`}, "", ""},
		{"a ref that only the row before it names", []adapter.Step{made("read_page", `{}`, page), made("click", `{"ref":"23"}`, "ok"), made("click", `{"ref":"21"}`, "ok")},
			[]string{`{"tool": "read_page", "args": {}, "expect": {"isError": false}, "save": {"r1":"\\[(?:ref_)?\\d+\\]<tr/>crate-8[^\\n]*\\n\\s*\\[((?:ref_)?\\d+)\\]<button/>Delete","r2":"\\[((?:ref_)?\\d+)\\]<button/>Delete"}, "optional": true}`,
				`{"tool": "click", "args": {"ref":"{{saved.r1}}"}, "expect": {"isError": false}}`, `{"tool": "click", "args": {"ref":"{{saved.r2}}"}, "expect": {"isError": false}}`}, "", ""},
		{"refs of a tree, without what passes", []adapter.Step{made("find", `{"query":"x"}`, ax), made("click", `{"ref":"ref_8"}`, "ok"), made("click", `{"ref":"ref_7"}`, "ok")},
			[]string{`{"tool": "find", "args": {"query":"x"}, "expect": {"isError": false}, "save": {"r1":"\\[((?:ref_)?\\d+)\\] button: \"Send\"","r2":"\\[((?:ref_)?\\d+)\\] textbox: \"Who\""}, "optional": true}`,
				`{"tool": "click", "args": {"ref":"{{saved.r1}}"}, "expect": {"isError": false}}`, `{"tool": "click", "args": {"ref":"{{saved.r2}}"}, "expect": {"isError": false}}`}, "", ""},
		{"a file of the task", []adapter.Step{made("file_upload", `{"filePaths":["/tmp/x/s/home/task-files/a.txt"]}`, "ok")},
			[]string{`{"tool": "file_upload", "args": {"filePaths":["{{upload.a.txt}}"]}, "expect": {"isError": false}}`}, "", ""},
		{"coordinates", []adapter.Step{made("computer", `{"coordinate":[1,2]}`, "ok")}, []string{`{"tool": "computer", "args": {"coordinate":[1,2]}, "expect": {"isError": false}}`},
			"step 1: names a place by its coordinates, which another page layout moves", ""},
		{"a ref that nothing lists", []adapter.Step{made("click", `{"ref":"ref_9"}`, "ok")}, nil, "", "step 1: no answer before it lists ref_9"},
		{"another tab", []adapter.Step{made("click", `{"tabId":"`+otherTab+`"}`, "ok")}, nil, "", "step 1: names the tab " + otherTab + ", which is not the current one"},
		{"double braces", []adapter.Step{made("type", `{"text":"{{tabId}}"}`, "ok")}, nil, "", `step 1: has a text in double braces, which would be a placeholder: "{{tabId}}"`},
		{"no answer", []adapter.Step{{Call: adapter.Call{Tool: "x"}}}, nil, "", "step 1: has no answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Recording{Steps: append([]adapter.Step{made("navigate", `{}`, "ok")}, tt.steps...), Values: values, Prefer: []string{"rows.1.id"},
				Reads: func(c adapter.Call) bool { return c.Tool == "read_page" || c.Tool == "find" }}
			for range r.Steps {
				r.Tabs = append(r.Tabs, "TAB")
			}
			lines, notes, faults := r.Lines()
			if tt.faults != "" {
				lines = nil
			}
			need.Equal(t, "lines", tt.want, lines)
			if got := strings.Join(notes, "; "); got != tt.notes {
				t.Errorf("notes %q, want %q", got, tt.notes)
			}
			if got := strings.Join(faults, "; "); got != tt.faults {
				t.Errorf("faults %q, want %q", got, tt.faults)
			}
		})
	}
}

func FuzzRecording(f *testing.F) {
	f.Add(`{"ref":"12","a":["x"]}`, "[12]<a/>x\n[13]<a/>x")
	f.Add(`{"ref":"ref_1"}`, "[ref_1]\n[ref_2]")
	f.Fuzz(func(t *testing.T, args, answer string) {
		if !json.Valid([]byte(args)) {
			return
		}
		r := Recording{Steps: []adapter.Step{{}, made("read_page", "{}", answer), made("click", args, "ok")}, Tabs: make([]string, 3),
			Values: param.Values{"a": "abcd"}, Reads: func(adapter.Call) bool { return false }}
		lines, _, faults := r.Lines()
		if len(faults) == 0 && !json.Valid([]byte(lines[1])) {
			t.Errorf("%q becomes %s", args, lines[1])
		}
	})
}
