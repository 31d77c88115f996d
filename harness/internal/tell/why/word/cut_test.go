package word

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
)

// What the observer or the log has cut is not known, and blames nobody.
func TestCutTraces(t *testing.T) {
	whole := func(list ...record.Control) record.Survey { return record.Survey{Whole: true, List: list} }
	holding := func(c record.Control, v string) record.Control { c.Value = v; return c }
	name, other, closes, save := control(3, "textarea", "Message", ""), control(4, "textbox", "Other", ""), control(1, "button", "Close"), control(2, "button", "Save")
	span, box := control(5, "span", "Save"), control(6, "checkbox", "Save", "off")
	box.Tag = "div"
	keys := strings.TrimSpace(strings.Repeat("word ", 60))
	long := strings.Repeat("ab cd ", 99) + "the end"
	held := holding(name, long[:500]+"…")
	fill := func(text string) string { return fmt.Sprintf(`{"fields":{"Message":%q}}`, text) }
	var errors []record.Heard
	for i := range 1500 {
		errors = append(errors, record.Heard{Target: "T", Kind: "error", Text: fmt.Sprint(i, strings.Repeat("x", 100))})
	}
	message := strings.Repeat("really ", 71) + "sureness required"
	begin := message[:500] + "…"
	url := "https://a.test/" + strings.Repeat("q", 600)
	for _, test := range []struct {
		name, tool, args, said string
		trace                  record.Trace
		want                   string
	}{
		{"many keys", "fill_form", fill(keys), "ok", record.Trace{Events: typed(name, keys), Before: whole(name), After: whole(holding(name, keys))}, "not known"},
		{"a long value", "fill_form", fill(long), "ok", record.Trace{Events: []record.Heard{event("input", held, "x")}, Before: whole(name), After: whole(held)}, "not known"},
		{"a long value that was there", "fill_form", fill(long), "ok", record.Trace{Before: whole(held), After: whole(held)}, "not known"},
		{"another long value", "fill_form", fill("x" + long), "ok", record.Trace{Events: []record.Heard{event("input", held, "x")}, Before: whole(name), After: whole(held)}, "other value!"},
		{"a click behind many errors", "interact", `{"query":"Save"}`, "ok", record.Trace{
			Moved: true, Events: slices.Concat(click(closes), errors, click(save)), Before: whole(closes, save), After: whole(closes, save),
		}, "not known"},
		{"a click that the ear had no room for", "interact", `{"query":"Save"}`, "ok", record.Trace{Cut: true, Deaf: true, Events: click(closes), Before: whole(closes, save), After: whole(closes, save)}, "not known"},
		{"a box that was not read again", "interact", `{"query":"Save"}`, "ok", record.Trace{Events: click(span), Before: whole(box)}, "not known"},
		{"a field that was not read again", "fill_form", fill("Ann"), "ok", record.Trace{Events: append(typed(other, "x"), typed(name, "Ann")...), Before: whole(name, other)}, "as asked; more"},
		{"a long dialog, said", "interact", `{"query":"Save"}`, "it said: " + message, record.Trace{
			Moved: true, Events: append(click(save), record.Heard{Target: "T", Kind: "closed", Dialog: begin}), Before: whole(save), After: whole(save),
		}, "as asked; more"},
		{"a long address, said", "interact", `{"query":"Save"}`, "opened " + url, record.Trace{
			Moved: true, Events: append(click(save), record.Heard{Target: "U", Kind: "tab", Text: url[:500] + "…"}), Before: whole(save), After: whole(save),
		}, "as asked; more"},
	} {
		need.Is(t, test.name, test.want, wordsOf(partsOf(t, test.tool, test.args, answer(test.said, false), test.trace)))
	}
}

// No line of a log ends the program, and a call has one trace.
func TestHostileTraces(t *testing.T) {
	for tool, line := range map[string]string{
		`interact {"query":"Save"}`:               `{"events":[{"kind":"click","outside":true,"control":{"id":1,"name":"Save"}}]}`,
		`fill_form {"fields":{"Name":"x"}}`:       `{"events":[{"kind":"pointer","outside":true}],"before":{"whole":true,"list":[{"id":1,"name":"Name","isField":true}],"runs":[1,1]}}`,
		`computer {"action":"type","text":"abc"}`: `{"events":[{"kind":"key","text":"a"}]}`,
		`click {}`: `{"before":{"runs":[9223372036854775807,5,1]}}`,
	} {
		name, args, _ := strings.Cut(tool, " ")
		b, err := record.ReadBody(record.TypeTrace, []byte(line))
		need.OK(t, err)
		r := Reader{Server: server.OpenChrome()}
		for _, body := range []record.Body{&record.ToolCall{Call: adapter.Call{Tool: name, Args: json.RawMessage(args)}}, &record.ToolResult{Tool: name, Result: answer("ok", false)}, b} {
			r.Add(record.Event{By: record.ByAdapter, Body: body})
		}
		need.Fails(t, need.Err(r.Add(record.Event{Body: new(record.Trace)})), "second trace of step 0")
	}
}
