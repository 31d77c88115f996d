package word

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/servers"
)

// control makes a control of the page "d"; a value makes it a field.
func control(id int, role, name string, value ...string) record.Control {
	c := record.Control{Element: record.Element{ID: id, Role: role, Name: name}, Tag: role, Doc: "d"}
	if len(value) > 0 {
		c.Tag = "input"
		c.IsField, c.Value, c.Initial = true, value[0], new(value[0])
	}
	return c
}

// event makes an event of the tab "T".
func event(kind string, c record.Control, data ...string) record.Heard {
	return record.Heard{Target: "T", Kind: kind, Control: &c, Trusted: true, Data: strings.Join(data, "")}
}

func holding(c record.Control, value string) record.Control { c.Value = value; return c }

func whole(list ...record.Control) record.Survey { return record.Survey{Whole: true, List: list} }

// click is what a page gets of a real click.
func click(c record.Control) []record.Heard {
	return []record.Heard{event("pointer", c), event("click", c)}
}

// typed is what a page gets if text is typed into a field that holds already.
func typed(c record.Control, text string) []record.Heard {
	list := click(c)
	for _, r := range text {
		c.Value += string(r)
		list = append(list, event("key", c), event("input", c, string(r)))
	}
	return list
}

func answer(text string, isError bool) adapter.Result {
	raw, _ := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}, "isError": isError})
	r := adapter.Result{Raw: raw}
	r.Parse()
	return r
}

// partsOf logs a call of OpenChrome with its answer and its trace, and reads the words in the log.
func partsOf(t *testing.T, tool, args string, result adapter.Result, trace record.Trace) []record.Part {
	t.Helper()
	trace.Tab = "T"
	r := Reader{Server: server.OpenChrome()}
	call := &record.ToolCall{Call: adapter.Call{Tool: tool, Args: json.RawMessage(args)}}
	for _, body := range []record.Body{call, &record.ToolResult{Tool: tool, Result: result}} {
		r.Add(record.Event{By: record.ByAdapter, Body: body})
	}
	got, err := r.Add(record.Event{Body: new(record.Controls).Pack(trace)})
	need.OK(t, err)
	return got.Parts
}

// wordsOf is the word of each part, with ! for an untrue one.
func wordsOf(parts []record.Part) string {
	var got []string
	for _, p := range parts {
		got = append(got, string(p.Word)+map[bool]string{true: "!"}[p.Untrue])
	}
	return strings.Join(got, "; ")
}

func TestWords(t *testing.T) {
	save, drop := control(1, "button", "Save"), control(2, "button", "Delete all")
	name, town := control(3, "textbox", "Name", ""), control(4, "textbox", "Town", "Bern")
	box, cell := control(5, "checkbox", "News", "off"), control(6, "cell", "Rent")
	rent := control(7, "checkbox", "Rent", "off")
	plan := control(8, "combobox", "Plan", "Small")
	page := []record.Control{save, drop, name, town, box, plan}
	in := func(place string, c record.Control) record.Control { c.Place = place; return c }
	edit, remove := in("Ann Delete Edit", control(10, "button", "Edit")), in("Ann Delete Edit", control(11, "button", "Delete"))
	mill, old := in("Old Harbour Mill Basin", control(13, "option", "Mill Basin")), in("Old Harbour Mill Basin", control(14, "option", "Old Harbour"))
	daily, weekly := control(18, "radio", "Daily", "on"), control(19, "radio", "Weekly", "off")
	daily.Field, weekly.Field = "when", "when"
	framed := control(17, "button", "Pay")
	framed.Doc = "frame"
	locked, near, scripted := save, event("click", save), event("input", town, "Ann")
	locked.Disabled, near.At, scripted.Scripted = true, []int{10, 20}, true
	navigate := record.Heard{Target: "T", Kind: "navigate"}
	list, editor, chat := control(20, "combobox", "Kind", "Small"), control(21, "textbox", "Story", ""), control(22, "textbox", "Say", "")
	list.Tag, editor.Tag = "select", "div"
	plain := control(23, "body", "")
	enter := event("key", chat)
	enter.Text = "Enter"
	sent := event("submit", save)
	sent.Fields = []record.Control{holding(name, "Ann")}
	text := func(c record.Control, s string) []record.Heard { return typed(c, s)[2:] } // without a press
	swap := append(typed(name, "Bern"), typed(holding(town, ""), "Ann")...)
	swapped := []record.Control{holding(name, "Bern"), holding(town, "Ann")}
	for _, test := range []struct {
		name, tool, args string
		said             string
		isError          bool
		before           []record.Control // nil: page
		events           []record.Heard
		after            []record.Control // nil: before
		lost             bool             // events may be missing
		part             bool             // not all controls were known before
		unread           bool             // and not all after it
		moved            bool             // the page changed
		want             string           // word of each part, with ! for an untrue one
	}{
		{name: "no event", tool: "interact", args: `{"query":"Save"}`, said: `ok`, want: "nothing!"},
		{name: "no event, and some are lost", tool: "interact", args: `{"query":"Save"}`, said: `ok`, lost: true, want: "not known"},
		{name: "disabled", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked button "Save"`, events: []record.Heard{event("pointer", locked)}, want: "nothing!"},
		{name: "another button, said", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked button "Delete all"`, events: click(drop), want: "other element"},
		{name: "said only where the page is repeated", tool: "interact", args: `{"query":"Save"}`, said: "✓ Clicked\n[Visible] Delete all", events: click(drop), want: "other element!"},
		{name: "the button of a frame", tool: "interact", args: `{"query":"Pay"}`, said: `✓ Clicked main`, before: []record.Control{framed}, events: append(click(control(9, "main", "")), navigate), want: "other element"},
		{name: "letter case", tool: "interact", args: `{"query":"SAVE"}`, said: `ok`, before: []record.Control{save, control(9, "button", "SAVE")}, events: append(click(save), navigate), want: "other element!"},
		{name: "two of this name", tool: "interact", args: `{"query":"Save"}`, said: `ok`, before: []record.Control{save, control(9, "button", "Save")}, events: append(click(save), navigate), want: "one of several"},
		{name: "drawn again", tool: "interact", args: `{"query":"Save"}`, said: `ok`, before: []record.Control{control(9, "button", "Save")}, events: append(click(save), navigate), want: "as asked"},
		{name: "another of this name came meanwhile, perhaps", tool: "interact", args: `{"query":"Save"}`, said: `ok`, part: true, before: []record.Control{save}, after: []record.Control{save, control(9, "button", "Save")}, events: append(click(save), navigate), want: "not known"},
		{name: "other letter case, and perhaps another button", tool: "interact", args: `{"query":"SAVE"}`, said: `ok`, unread: true, events: append(click(save), navigate), want: "not known"},
		{name: "other letter case of a field, and perhaps another one", tool: "fill_form", args: `{"fields":{"NAME":"Ann"}}`, said: `ok`, unread: true, events: typed(name, "Ann"), want: "not known"},
		{name: "another button of a page that is too large", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, unread: true, before: []record.Control{name}, events: append(click(drop), navigate), want: "other element!"},
		{name: "the cell beside", tool: "interact", args: `{"query":"Rent"}`, said: `✓ Clicked cell "Rent"`, before: []record.Control{rent}, events: click(cell), want: "other element"},
		{name: "the cell that checks the box", tool: "interact", args: `{"query":"Rent"}`, said: `ok`, before: []record.Control{rent}, events: append(click(cell), event("change", holding(rent, "on"))), want: "as asked"},
		{name: "by its row", tool: "interact", args: `{"query":"Edit Ann"}`, said: `ok`, before: []record.Control{edit, remove}, events: append(click(edit), navigate), want: "as asked"},
		{name: "its neighbour in the row", tool: "interact", args: `{"query":"Edit Ann"}`, said: `ok`, before: []record.Control{edit, remove}, events: append(click(remove), navigate), want: "not known"},
		{name: "a cell of its row", tool: "interact", args: `{"query":"Edit Ann"}`, said: `✓ Clicked tr`, before: []record.Control{edit, remove}, events: click(in("Ann Delete Edit", control(16, "cell", "Ulm"))), want: "no effect"},
		{name: "all of its row", tool: "interact", args: `{"query":"Edit Ann"}`, said: `✓ Clicked`, before: []record.Control{edit, remove}, events: append(click(control(16, "div", "Ann Delete Edit")), navigate), want: "not known"},
		{name: "another option of the list", tool: "interact", args: `{"query":"Mill Basin Harbour"}`, said: `ok`, before: []record.Control{mill, old}, events: append(click(mill), navigate), want: "other name!"},
		{name: "an option that is taken at the press", tool: "interact", args: `{"query":"Mill Basin"}`, said: `✓ Clicked`, moved: true, before: []record.Control{mill, old, name}, events: click(mill)[:1], after: []record.Control{holding(name, "Mill Basin")}, want: "as asked; more"},
		{name: "another option is taken at the press", tool: "interact", args: `{"query":"Mill Basin"}`, said: `✓ Clicked`, moved: true, before: []record.Control{mill, old, name}, events: click(old)[:1], after: []record.Control{holding(name, "Old Harbour")}, want: "other element!; more"},
		{name: "an option that is taken, and the click goes to what is around", tool: "interact", args: `{"query":"Mill Basin"}`, said: `✓ Clicked`, moved: true, before: []record.Control{mill, old, name}, events: append(click(mill)[:1], event("click", control(9, "main", ""))), after: []record.Control{holding(name, "Mill Basin")}, want: "as asked; more"},
		{name: "a button that is drawn again under the press", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, before: []record.Control{save, name}, events: click(save)[:1], after: []record.Control{control(9, "button", "Save"), name}, want: "nothing!"},
		{name: "a button that stays, and gets no click", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, events: click(save)[:1], want: "nothing!"},
		{name: "a button that may be gone", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, unread: true, moved: true, before: []record.Control{save}, events: click(save)[:1], after: []record.Control{name}, want: "not known"},
		{name: "a line that is no control, on a page that changed", tool: "interact", args: `{"query":"Ulm"}`, said: `✓ Clicked`, moved: true, events: click(control(9, "div", "Ulm"))[:1], want: "not known"},
		{name: "a line that is no control, and nothing changed", tool: "interact", args: `{"query":"Ulm"}`, said: `✓ Clicked`, events: click(control(9, "div", "Ulm"))[:1], want: "nothing!"},
		{name: "an error and nothing", tool: "interact", args: `{"query":"Save"}`, said: `Error`, isError: true, want: "refused"},
		{name: "an error, but done", tool: "interact", args: `{"query":"Save"}`, said: `Error`, isError: true, events: append(click(save), navigate), want: "error, but done"},
		{name: "a dialog, said", tool: "interact", args: `{"query":"Save"}`, said: `dismissed "Really?"`, events: append(click(save), record.Heard{Target: "T", Kind: "closed", Dialog: "Really?"}), want: "as asked; more"},
		{name: "a tab", tool: "interact", args: `{"query":"Save"}`, said: `ok`, events: append(click(save), record.Heard{Target: "U", Kind: "tab"}), want: "as asked; more!"},
		{name: "two tabs, one said", tool: "interact", args: `{"query":"Save"}`, said: `ok, opened https://x.test/a`, events: append(click(save), record.Heard{Target: "U", Kind: "tab", Text: "https://x.test/a"}, record.Heard{Target: "V", Kind: "tab", Text: "https://x.test/b"}), want: "as asked; more!"},
		{name: "a tab whose address is not known yet, perhaps said", tool: "interact", args: `{"query":"Save"}`, said: `ok, opened https://x.test/a`, events: append(click(save), record.Heard{Target: "U", Kind: "tab"}), want: "as asked; more"},
		{name: "a tab that was asked for", tool: "navigate", args: `{"url":"x"}`, said: `ok`, events: []record.Heard{{Target: "U", Kind: "tab"}}, want: ""},

		{name: "no input, and a page that has the words of the answer", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: "✓ Filled\n[DOM Delta]\nErrors: \"Name\"", want: "nothing!"},
		{name: "no input, and a page that has a shortened list of its name", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: "✓ Filled\n[\"Name\"] li ×4 (showing 3 of 4)", want: "nothing!"},
		{name: "no input, and the answer says so", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: "✓ Filled\nErrors: Failed to fill \"Name\"", want: "refused"},
		{name: "another field", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, before: []record.Control{name, control(9, "textbox", "Note", "")}, events: typed(control(9, "textbox", "Note", ""), "Ann"), want: "other element!"},
		{name: "a list", tool: "fill_form", args: `{"fields":{"Plan":"large"}}`, said: `✓`, events: []record.Heard{event("change", holding(plan, "Large"))}, after: []record.Control{holding(plan, "Large")}, want: "as asked"},
		{name: "an option that repeats a value", tool: "fill_form", args: `{"fields":{"Name":"Ann"},"submit":"Save"}`, said: `✓ Name: Ann, submitted`, events: append(typed(name, "Ann"), click(control(9, "option", "Ann"))...), after: []record.Control{holding(name, "Ann")}, want: "as asked; other element!"},
		{name: "the browser refuses", tool: "fill_form", args: `{"fields":{"Name":"Ann"},"submit":"Save"}`, said: `✓ submitted`, events: append(typed(name, "Ann"), append(click(save), event("invalid", town))...), after: []record.Control{save, holding(name, "Ann"), town}, want: "as asked; nothing!"},

		{name: "a value that its own keys overwrote", tool: "fill_form", args: `{"fields":{"Name":"Ann","Town":"Bern"}}`, said: "✓\n  Name: \"Ann\"\n  Town: \"Bern\"", events: slices.Concat(typed(name, "Ann"), text(holding(name, "Ann"), " Bern")), after: []record.Control{holding(name, "Ann Bern"), town}, want: "other value!; as asked"},
		{name: "a page that moves the focus at a key", tool: "fill_form", args: `{"fields":{"Name":"Ann","Say":"Bern"}}`, said: "✓\n  Name: \"Ann\"\n  Say: \"Bern\"", before: []record.Control{name, chat}, events: append(typed(name, "Ann"), text(name, "Bern")...), after: []record.Control{holding(name, "Bern"), chat}, want: "other value!; nothing!"},
		{name: "a value that the page made before the last key", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, events: append(typed(name, "Ann"), event("change", holding(name, "ANN!"))), after: []record.Control{holding(name, "ANN!")}, want: "as asked"},
		{name: "swapped values", tool: "fill_form", args: `{"fields":{"Name":"Ann","Town":"Bern"}}`, said: "✓\n  Name: \"Ann\"\n  Town: \"Bern\"", events: swap, after: swapped, want: "other value!; other value!"},
		{name: "swapped values in a line", tool: "fill_form", args: `{"fields":{"Name":"Ann","Town":"Bern"}}`, said: `✓ Name: Ann, Town: Bern`, events: swap, after: swapped, want: "other value!; other value!"},
		{name: "a value of a field whose name begins like another", tool: "fill_form", args: `{"fields":{"Name":"Ann","Name of the cat":"Tom"}}`, said: "✓\n  Name of the cat: \"Bern\"\n  Name: \"Ann\"", before: []record.Control{name, control(9, "textbox", "Name of the cat", "")}, events: append(typed(name, "Bern"), typed(control(9, "textbox", "Name of the cat", ""), "Tom")...), after: []record.Control{holding(name, "Bern"), control(9, "textbox", "Name of the cat", "Tom")}, want: "other value!; as asked"},
		{name: "swapped values without names", tool: "fill_form", args: `{"fields":{"Name":"Ann","Town":"Bern"}}`, said: `✓ Ann, Bern`, events: swap, after: swapped, want: "other value!; other value!"},
		{name: "swapped values, said", tool: "fill_form", args: `{"fields":{"Name":"Ann","Town":"Bern"}}`, said: `Name: Bern, Town: Ann`, events: swap, after: swapped, want: "other value; other value"},
		{name: "emptied", tool: "fill_form", args: `{"fields":{"Story":"Once"}}`, said: `✓ Story: Once`, before: []record.Control{editor}, events: typed(editor, "Once"), want: "other value!"},
		{name: "emptied before the next field", tool: "fill_form", args: `{"fields":{"Name":"Ann","Story":"Once"}}`, said: "✓\n  Story: Once\n  Name: Ann", before: []record.Control{editor, name}, events: append(typed(editor, "Once"), typed(name, "Ann")...), after: []record.Control{editor, holding(name, "Ann")}, want: "as asked; other value!"},
		{name: "emptied, when it was sent", tool: "fill_form", args: `{"fields":{"Say":"Hello"}}`, said: `✓ Say: Hello`, before: []record.Control{chat}, events: append(typed(chat, "Hello"), enter), want: "not known"},
		{name: "emptied by a button of the page", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, events: append(typed(name, "Ann"), click(drop)...), want: "not known"},
		{name: "set by a script, sent, and emptied", tool: "fill_form", args: `{"fields":{"Name":"Ann"},"submit":"Save"}`, said: `✓ Name: Ann, submitted`, events: append(click(save), sent), want: "not known; as asked"},
		{name: "emptied, and made a label", tool: "fill_form", args: `{"fields":{"Say":"Hello"}}`, said: `✓ Say: Hello`, before: []record.Control{chat}, events: typed(chat, "Hello"), after: []record.Control{chat, control(9, "button", "Remove Hello")}, want: "not known"},
		{name: "the browser refuses after a press", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked button "Save"`, events: append(click(save), event("invalid", town)), want: "nothing"},
		{name: "the browser refuses after Enter", tool: "computer", args: `{"action":"key","text":"Enter"}`, said: `Pressed`, events: []record.Heard{enter, event("invalid", town)}, want: "nothing"},
		{name: "a page that checks its fields at a click", tool: "interact", args: `{"query":"News"}`, said: `✓ Clicked`, events: append(click(box), event("change", holding(box, "on")), event("invalid", town)), want: "as asked"},

		{name: "another field too, without a press", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, events: append(typed(name, "Ann"), event("input", town, "Ann")), after: []record.Control{holding(name, "Ann"), holding(town, "BernAnn")}, want: "as asked; more!"},
		{name: "another field too, by a script of the page", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, events: append(typed(name, "Ann"), scripted), after: []record.Control{holding(name, "Ann"), holding(town, "BernAnn")}, want: "as asked; more"},
		{name: "another field too, said", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann, Town: Bernx`, events: append(typed(name, "Ann"), typed(town, "x")...), after: []record.Control{holding(name, "Ann"), holding(town, "Bernx")}, want: "as asked; more"},
		{name: "a field that was not read before", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, part: true, before: []record.Control{save}, after: []record.Control{save, holding(town, "Ulm")}, events: append(click(save), navigate), want: "as asked"},
		{name: "the page spreads the value", tool: "fill_form", args: `{"fields":{"Name":"12"}}`, said: `✓ Name: 12`, events: append(typed(name, "1"), event("input", town, "2")), after: []record.Control{holding(name, "1"), holding(town, "2")}, want: "other value!; more"},
		{name: "the radio of a label", tool: "interact", args: `{"query":"Get the letter"}`, said: `✓ Clicked label`, before: []record.Control{daily, weekly}, events: append(click(control(9, "label", "Get the letter Weekly")), event("click", holding(weekly, "on")), event("change", holding(weekly, "on"))), after: []record.Control{holding(daily, "off"), holding(weekly, "on")}, want: "as asked"},
		{name: "a radio that the page switches off", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, before: []record.Control{save, daily, weekly}, events: append(click(save), navigate), after: []record.Control{save, holding(daily, "off"), weekly}, want: "as asked; more"},

		{name: "a point", tool: "computer", args: `{"action":"left_click","coordinate":[10,20]}`, said: `Clicked`, events: []record.Heard{near, navigate}, want: "as asked"},
		{name: "a point outside", tool: "computer", args: `{"action":"left_click","coordinate":[10,3000]}`, said: `Clicked`, want: "nothing!"},
		{name: "text to nobody", tool: "computer", args: `{"action":"type","text":"Ann"}`, said: `Typed`, want: "nothing!"},
		{name: "text to the page itself", tool: "computer", args: `{"action":"type","text":"Ann"}`, said: `Typed`, events: []record.Heard{event("key", control(9, "body", "")), event("key", control(9, "body", "")), event("key", control(9, "body", ""))}, want: "nothing!"},
		{name: "a key", tool: "computer", args: `{"action":"key","text":"Enter"}`, said: `Pressed`, events: []record.Heard{event("key", name)}, want: "as asked"},
		{name: "text to nobody, while the page moves", tool: "computer", args: `{"action":"type","text":"a b"}`, said: `Typed`, unread: true, events: []record.Heard{event("key", plain), event("key", plain), event("key", plain), event("scroll", plain)}, want: "nothing!"},
		{name: "text to a box", tool: "computer", args: `{"action":"type","text":"ab"}`, said: `Typed`, events: []record.Heard{event("key", box), event("key", box)}, want: "nothing!"},
		{name: "a text that is pasted to nobody", tool: "computer", args: `{"action":"key","text":"ctrl+v"}`, said: `Pressed`, events: []record.Heard{event("key", plain), event("key", plain)}, want: "nothing!"},
		{name: "a key of the page", tool: "computer", args: `{"action":"key","text":"Escape"}`, said: `Pressed`, events: []record.Heard{event("key", plain)}, want: "as asked"},
		{name: "a key in an open list", tool: "computer", args: `{"action":"key","text":"Enter"}`, said: `Pressed`, events: []record.Heard{event("input", holding(list, "Large")), event("change", holding(list, "Large"))}, want: "as asked"},
		{name: "letters in an open list", tool: "computer", args: `{"action":"type","text":"lar"}`, said: `Typed`, events: []record.Heard{event("input", holding(list, "Large")), event("change", holding(list, "Large"))}, want: "as asked"},
		{name: "letters in an open list, and another value", tool: "computer", args: `{"action":"type","text":"lar"}`, said: `Typed`, events: []record.Heard{event("change", holding(list, "Tiny"))}, want: "other value!"},
		{name: "an unknown ref", tool: "computer", args: `{"action":"left_click","ref":"ref_9"}`, said: `Clicked`, events: click(save), want: "not known"},
		{name: "a drag that drops nowhere", tool: "drag_drop", args: `{"sourceSelector":"#a"}`, said: `ok`, events: []record.Heard{event("drag", save)}, want: "nothing!"},
		{name: "a drop", tool: "drag_drop", args: `{"sourceSelector":"#a"}`, said: `ok`, events: []record.Heard{event("drag", save), event("drop", drop)}, want: "as asked"},
		{name: "a file", tool: "file_upload", args: `{"selector":"#f","filePaths":["/x/bill.txt"]}`, said: `ok`, after: []record.Control{control(9, "button", "Bill", "bill.txt")}, want: "as asked"},
		{name: "no file", tool: "file_upload", args: `{"selector":"#f","filePaths":["/x/bill.txt"]}`, said: `ok`, after: []record.Control{control(9, "file", "Bill")}, want: "nothing!"},
		{name: "a file for a field outside the page", tool: "file_upload", args: `{"selector":"#f","filePaths":["/x/bill.txt"]}`, said: `ok`, want: "not known"},
	} {
		t0 := record.Trace{Events: test.events, Deaf: test.lost, Moved: test.moved}
		t0.Before.List, t0.After.List = test.before, test.after
		if test.before == nil {
			t0.Before.List = page
		}
		if test.after == nil {
			t0.After.List = t0.Before.List
		}
		t0.Before.Whole, t0.After.Whole = !test.part && !test.unread, !test.unread
		need.Is(t, test.name, test.want, wordsOf(partsOf(t, test.tool, test.args, answer(test.said, test.isError), t0)))
	}
}

// Without an observer nothing is known, and no answer is untrue.
func TestWithoutObserver(t *testing.T) {
	for _, tool := range []string{`interact {"query":"Save"}`, `fill_form {"fields":{"Name":"Ann"},"submit":"Save"}`, `computer {"action":"type","text":"x"}`, `drag_drop {"sourceSelector":"#a"}`, `file_upload {"filePaths":["/a"]}`} {
		name, args, _ := strings.Cut(tool, " ")
		parts := partsOf(t, name, args, answer("ok", false), record.Trace{Missing: "no observer"})
		if len(parts) == 0 || slices.ContainsFunc(parts, func(p record.Part) bool { return p.Word != record.NotKnown || p.Untrue }) {
			t.Errorf("%s: %+v", name, parts)
		}
	}
}

// Each call of OpenChrome's transcripts and of the descriptions names what it asks for where the
// description says.
func TestDescriptions(t *testing.T) {
	transcripts, err := fs.Glob(fixtures.FS, "*/transcript.jsonl")
	need.OK(t, err)
	for _, described := range server.All() {
		raw, err := fs.ReadFile(servers.FS, described.Name+".json")
		need.OK(t, err)
		list := calls(raw)
		for _, file := range transcripts {
			raw, err := fs.ReadFile(fixtures.FS, file)
			need.OK(t, err)
			for line := range strings.Lines(string(raw)) {
				if !described.IsPeer() { // they are calls of OpenChrome's
					list = append(list, calls([]byte(line))...)
				}
			}
		}
		used := map[string]bool{}
		for _, c := range list {
			tool, ok := described.ToolOf(c)
			if !ok {
				t.Errorf("%s: the description does not say what %s does", described.Title, c.Tool)
			}
			if !tool.Asks() {
				continue
			}
			used[c.Tool] = true
			parts := asks(tool, c, new(refs), nil)
			isNameless := func(a ask) bool { return a.query+a.ref+a.value == "" && a.point == nil }
			if len(parts) == 0 || slices.ContainsFunc(parts, isNameless) {
				t.Errorf("%s: %s asks for nothing, or a part of it has no name: %s", described.Title, c.Tool, c.Args)
			}
		}
		if len(used) < 3 {
			t.Errorf("%s: only %v are used", described.Title, used)
		}
	}
}

// calls returns each object with a tool and arguments in a profile. A form's fields are one field.
func calls(raw json.RawMessage) (list []adapter.Call) {
	var c struct {
		adapter.Call
		Field json.RawMessage `json:"field"`
		Join  bool            `json:"join"`
	}
	if json.Unmarshal(raw, &c) == nil && c.Tool != "" {
		form := []byte(c.Field)
		if !c.Join {
			form = fmt.Appendf(nil, "[%s]", c.Field)
		}
		c.Args = bytes.ReplaceAll(c.Args, []byte(`"{{fields}}"`), form)
		return []adapter.Call{c.Call}
	}
	var object map[string]json.RawMessage
	var array []json.RawMessage
	json.Unmarshal(raw, &object)
	json.Unmarshal(raw, &array)
	for _, part := range slices.AppendSeq(array, maps.Values(object)) {
		list = append(list, calls(part)...)
	}
	return list
}

// Typing is one event for the keys and one for the input.
func TestEventsAreJoined(t *testing.T) {
	list := typed(control(3, "textbox", "Name", ""), "Ann")
	for i, key := range []string{"A", "n", "Enter"} {
		list[2+2*i].Text = key
	}
	want := []string{`pointer: textbox "Name"`, `click: textbox "Name"`, `key, 3 times: textbox "Name": An<Enter>`, `input, 3 times: textbox "Name"`}
	var got Got
	got.hear(list)
	need.Equal(t, "", want, got.Heard)
}

func FuzzJudge(f *testing.F) {
	f.Add("interact", `{"query":"Save"}`, "ok")
	f.Add("fill_form", `{"fields":[{"query":"x"},1],"submit":{}}`, "Errors: \"x\"")
	f.Add("computer", `{"action":"left_click","coordinate":[1]}`, "[3]<input id=\"x\"/>")
	f.Fuzz(func(t *testing.T, tool, args, said string) {
		var r Reader
		for _, s := range server.All() {
			r.refs.learn(s, said)
			name := control(3, "textbox", said, "")
			call := adapter.Step{Call: adapter.Call{Tool: tool, Args: json.RawMessage(args)}, Result: answer(said, false)}
			r.Server, r.last = s, call
			judge(&r, record.Trace{
				Tab: "T", Before: record.Survey{List: []record.Control{name}}, Events: typed(name, "x"),
			})
		}
	})
}

// An open list gets keys that nobody hears, until another press.
func TestOpenList(t *testing.T) {
	list, save := control(1, "combobox", "Kind", "Small"), control(2, "button", "Save")
	list.Tag = "select"
	r := Reader{Server: server.OpenChrome()}
	step := func(args string, events ...record.Heard) string {
		call := adapter.Call{Tool: "computer", Args: json.RawMessage(args)}
		trace := record.Trace{Tab: "T", Events: events, Before: whole(list, save), After: whole(list, save)}
		var got *Got
		for _, body := range []record.Body{&record.ToolCall{Call: call}, &record.ToolResult{Tool: "computer", Result: answer("ok", false)}, new(record.Controls).Pack(trace)} {
			got, _ = r.Add(record.Event{By: record.ByAdapter, Body: body})
		}
		return wordsOf(got.Parts)
	}
	const down, press = `{"action":"key","text":"ArrowDown"}`, `{"action":"left_click","coordinate":[1,1]}`
	need.Is(t, "before a press", "nothing!", step(down))
	step(press, click(list)...)
	need.Is(t, "in the open list", "not known", step(down))
	step(press, click(save)...)
	need.Is(t, "after another press", "nothing!", step(down))
}

// A person reads what was asked for and what was hit.
func TestPartsInWords(t *testing.T) {
	drop, region, limit, other := control(1, "button", "Delete all"), control(3, "main", ""), control(4, "textbox", "Limit", ""), control(5, "textbox", "Limit", "")
	limit.Field, other.Field = "everyday", "savings"
	set := holding(limit, "5")
	got := set.Element
	got.Nth, got.Of = 1, 2
	for _, test := range []struct {
		name, tool, args string
		trace            record.Trace
		want             record.Part
	}{
		{"a name that no control has", "interact", `{"query":"Publish"}`, record.Trace{Before: whole(drop, region), Events: click(drop)},
			record.Part{Asked: "Publish", Word: record.OtherName, Did: `no control has this name; hit button "Delete all"`, Untrue: true, Hit: &drop.Element}},
		{"an element without a name", "interact", `{"query":"Publish"}`, record.Trace{Before: whole(drop, region), Events: click(region)},
			record.Part{Asked: "Publish", Word: record.OtherName, Did: "no control has this name; hit a main without a name", Untrue: true, Hit: &region.Element}},
		{"typing", "computer", `{"action":"type","text":"Ann"}`, record.Trace{Before: whole(drop)},
			record.Part{Asked: "the focused field", Value: "Ann", Word: record.Nothing, Did: "no key and no input came", Untrue: true}},
		{"a ref of one of two fields that look alike", "form_input", `{"ref":"ref_1","value":"5"}`, record.Trace{Node: &limit, Before: whole(limit, other), After: whole(set, other)},
			record.Part{Asked: "Limit", Value: "5", Word: record.AsAsked, Did: `textbox "Limit, 1st of 2" got it`, Hit: &got}},
	} {
		need.Equal(t, test.name, []record.Part{test.want}, partsOf(t, test.tool, test.args, answer("ok", false), test.trace))
	}
}

// What the observer or the log has cut is not known, and blames nobody.
func TestCutTraces(t *testing.T) {
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
			Moved: true, Events: append(click(save), record.Heard{Target: "T", Kind: "closed", Dialog: message[:500] + "…"}), Before: whole(save), After: whole(save),
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
		`press {}`: `{"events":[{"kind":"key","control":{"id":1}},{"kind":"input","control":{"id":1}},{"kind":"key"}]}`,
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

// A page can say what an answer says of a call that failed in part.
func TestPartial(t *testing.T) {
	for tool, want := range map[string]string{"read_page": "", "fill_form": "Errors: x"} {
		need.Is(t, tool, want, Partial(server.OpenChrome(), adapter.Call{Tool: tool}, "Errors: x"))
	}
}
