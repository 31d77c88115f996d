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

	"github.com/google/go-cmp/cmp"

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

func disabled(c record.Control) record.Control { c.Disabled = true; return c }

func scripted(e record.Heard) record.Heard { e.Scripted = true; return e }

func at(x, y int, e record.Heard) record.Heard { e.At = []int{x, y}; return e }

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
	var got *Got
	for _, body := range []record.Body{
		&record.ToolCall{Call: adapter.Call{Tool: tool, Args: json.RawMessage(args)}}, &record.ToolResult{Tool: tool, Result: result}, new(record.Controls).Pack(trace),
	} {
		var err error
		got, err = r.Add(record.Event{By: record.ByAdapter, Body: body})
		need.OK(t, err)
	}
	return got.Parts
}

// wordsOf is the word of each part, with ! for an untrue one.
func wordsOf(parts []record.Part) string {
	var got []string
	for _, p := range parts {
		w := string(p.Word)
		if p.Untrue {
			w += "!"
		}
		got = append(got, w)
	}
	return strings.Join(got, "; ")
}

func TestWords(t *testing.T) {
	save, drop := control(1, "button", "Save"), control(2, "button", "Delete all")
	name, town := control(3, "textbox", "Name", ""), control(4, "textbox", "Town", "Bern")
	box := control(5, "checkbox", "News", "off")
	cell := control(6, "cell", "Rent")
	rent := control(7, "checkbox", "Rent", "off")
	plan := control(8, "combobox", "Plan", "Small")
	page := []record.Control{save, drop, name, town, box, plan}
	in := func(place string, c record.Control) record.Control { c.Place = place; return c }
	edit, remove, open := in("Ann Delete Edit", control(10, "button", "Edit")), in("Ann Delete Edit", control(11, "button", "Delete")), in("Bea Open", control(12, "link", "Open profile"))
	mill, old := in("Old Harbour Mill Basin", control(13, "option", "Mill Basin")), in("Old Harbour Mill Basin", control(14, "option", "Old Harbour"))
	daily, weekly := control(18, "radio", "Daily", "on"), control(19, "radio", "Weekly", "off")
	daily.Field, weekly.Field = "when", "when"
	framed := control(17, "button", "Pay")
	framed.Doc = "frame"
	holds := func(c record.Control, v string) record.Control { c.Value = v; return c }
	navigate := record.Heard{Target: "T", Kind: "navigate"}
	for _, test := range []struct {
		name, tool, args string
		said             string
		isError          bool
		before           []record.Control // nil: page
		events           []record.Heard
		after            []record.Control // nil: before
		changed, lost    bool
		part             bool   // not all controls were known before
		unread           bool   // and not all after it
		want             string // word of each part, with ! for an untrue one
	}{
		{name: "the button", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked button "Save"`, events: append(click(save), navigate), want: "as asked"},
		{name: "with its role", tool: "interact", args: `{"query":"save button"}`, said: `ok`, events: append(click(save), navigate), want: "as asked"},
		{name: "nothing changed", tool: "interact", args: `{"query":"Save"}`, said: `ok`, events: click(save), want: "no effect"},
		{name: "no event", tool: "interact", args: `{"query":"Save"}`, said: `ok`, want: "nothing!"},
		{name: "no event, and some are lost", tool: "interact", args: `{"query":"Save"}`, said: `ok`, lost: true, want: "not known"},
		{name: "disabled", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked button "Save"`, events: []record.Heard{event("pointer", disabled(save))}, want: "nothing!"},
		{name: "another button, unsaid", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, events: click(drop), want: "other element!"},
		{name: "another button, said", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked button "Delete all"`, events: click(drop), want: "other element"},
		{name: "said only where the page is repeated", tool: "interact", args: `{"query":"Save"}`, said: "✓ Clicked\n[Visible] Delete all", events: click(drop), want: "other element!"},
		{name: "no such button", tool: "interact", args: `{"query":"Archive"}`, said: `✓ Clicked`, events: click(drop), want: "other name!"},
		{name: "the button of a frame", tool: "interact", args: `{"query":"Pay"}`, said: `✓ Clicked main`, before: []record.Control{framed}, events: append(click(control(9, "main", "")), navigate), want: "other element"},
		{name: "letter case", tool: "interact", args: `{"query":"SAVE"}`, said: `ok`, before: []record.Control{save, control(9, "button", "SAVE")}, events: append(click(save), navigate), want: "other element!"},
		{name: "two of this name", tool: "interact", args: `{"query":"Save"}`, said: `ok`, before: []record.Control{save, control(9, "button", "Save")}, events: append(click(save), navigate), want: "one of several"},
		{name: "drawn again", tool: "interact", args: `{"query":"Save"}`, said: `ok`, before: []record.Control{control(9, "button", "Save")}, events: append(click(save), navigate), want: "as asked"},
		{name: "two of this name, drawn again", tool: "interact", args: `{"query":"Save"}`, said: `ok`, before: []record.Control{control(9, "button", "Save"), control(15, "button", "Save")}, events: append(click(save), navigate), want: "one of several"},
		{name: "another of this name came meanwhile, perhaps", tool: "interact", args: `{"query":"Save"}`, said: `ok`, part: true, before: []record.Control{save}, after: []record.Control{save, control(9, "button", "Save")}, events: append(click(save), navigate), want: "not known"},
		{name: "other letter case", tool: "interact", args: `{"query":"SAVE"}`, said: `ok`, events: append(click(save), navigate), want: "as asked"},
		{name: "other letter case, and perhaps another button", tool: "interact", args: `{"query":"SAVE"}`, said: `ok`, unread: true, events: append(click(save), navigate), want: "not known"},
		{name: "other letter case of a field, and perhaps another one", tool: "fill_form", args: `{"fields":{"NAME":"Ann"}}`, said: `ok`, unread: true, events: typed(name, "Ann"), want: "not known"},
		{name: "another button of a page that is too large", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, unread: true, before: []record.Control{name}, events: append(click(drop), navigate), want: "other element!"},
		{name: "the cell beside", tool: "interact", args: `{"query":"Rent"}`, said: `✓ Clicked cell "Rent"`, before: []record.Control{rent}, events: click(cell), want: "other element"},
		{name: "the cell, called a checkbox", tool: "interact", args: `{"query":"Rent"}`, said: `✓ Clicked checkbox "Rent"`, before: []record.Control{rent}, events: click(cell), want: "other element!"},
		{name: "the cell that checks the box", tool: "interact", args: `{"query":"Rent"}`, said: `ok`, before: []record.Control{rent}, events: append(click(cell), event("change", holds(rent, "on"))), want: "as asked"},
		{name: "by its row", tool: "interact", args: `{"query":"Edit Ann"}`, said: `ok`, before: []record.Control{edit, remove}, events: append(click(edit), navigate), want: "as asked"},
		{name: "its neighbour in the row", tool: "interact", args: `{"query":"Edit Ann"}`, said: `ok`, before: []record.Control{edit, remove}, events: append(click(remove), navigate), want: "not known"},
		{name: "a cell of its row", tool: "interact", args: `{"query":"Edit Ann"}`, said: `✓ Clicked tr`, before: []record.Control{edit, remove}, events: click(in("Ann Delete Edit", control(16, "cell", "Ulm"))), want: "no effect"},
		{name: "all of its row", tool: "interact", args: `{"query":"Edit Ann"}`, said: `✓ Clicked`, before: []record.Control{edit, remove}, events: append(click(control(16, "div", "Ann Delete Edit")), navigate), want: "not known"},
		{name: "by its row, and more words", tool: "interact", args: `{"query":"Open Bea"}`, said: `ok`, before: []record.Control{open}, events: append(click(open), navigate), want: "as asked"},
		{name: "another option of the list", tool: "interact", args: `{"query":"Mill Basin Harbour"}`, said: `ok`, before: []record.Control{mill, old}, events: append(click(mill), navigate), want: "other name!"},
		{name: "an error and nothing", tool: "interact", args: `{"query":"Save"}`, said: `Error`, isError: true, want: "refused"},
		{name: "an error, but done", tool: "interact", args: `{"query":"Save"}`, said: `Error`, isError: true, events: append(click(save), navigate), want: "error, but done"},
		{name: "a dialog", tool: "interact", args: `{"query":"Save"}`, said: `ok`, events: append(click(save), record.Heard{Target: "T", Kind: "closed", Dialog: "Really?"}), want: "as asked; more!"},
		{name: "a dialog, said", tool: "interact", args: `{"query":"Save"}`, said: `dismissed "Really?"`, events: append(click(save), record.Heard{Target: "T", Kind: "closed", Dialog: "Really?"}), want: "as asked; more"},
		{name: "a tab", tool: "interact", args: `{"query":"Save"}`, said: `ok`, events: append(click(save), record.Heard{Target: "U", Kind: "tab"}), want: "as asked; more!"},
		{name: "a tab, said", tool: "interact", args: `{"query":"Save"}`, said: `ok, opened https://x.test/a`, events: append(click(save), record.Heard{Target: "U", Kind: "tab", Text: "https://x.test/a"}), want: "as asked; more"},
		{name: "two tabs, one said", tool: "interact", args: `{"query":"Save"}`, said: `ok, opened https://x.test/a`, events: append(click(save), record.Heard{Target: "U", Kind: "tab", Text: "https://x.test/a"}, record.Heard{Target: "V", Kind: "tab", Text: "https://x.test/b"}), want: "as asked; more!"},
		{name: "a tab, and the answer names another", tool: "interact", args: `{"query":"Save"}`, said: `ok, at https://x.test/`, events: append(click(save), record.Heard{Target: "U", Kind: "tab", Text: "https://x.test/a"}), want: "as asked; more!"},
		{name: "a tab whose address is not known yet, perhaps said", tool: "interact", args: `{"query":"Save"}`, said: `ok, opened https://x.test/a`, events: append(click(save), record.Heard{Target: "U", Kind: "tab"}), want: "as asked; more"},
		{name: "a tab that was asked for", tool: "navigate", args: `{"url":"x"}`, said: `ok`, events: []record.Heard{{Target: "U", Kind: "tab"}}, want: ""},

		{name: "a field", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓`, events: typed(name, "Ann"), after: []record.Control{holds(name, "Ann")}, want: "as asked"},
		{name: "a part of its name", tool: "fill_form", args: `{"fields":{"Guest name":"Ann"}}`, said: `✓`, before: []record.Control{control(3, "textbox", "Full name of the guest", "")}, events: typed(control(3, "textbox", "Full name of the guest", ""), "Ann"), want: "as asked"},
		{name: "the page reformats", tool: "fill_form", args: `{"fields":{"Name":"12 34"}}`, said: `✓`, events: append(typed(name, "12 34"), event("input", holds(name, "1234"))), after: []record.Control{holds(name, "1234")}, want: "as asked"},
		{name: "it was not empty", tool: "fill_form", args: `{"fields":{"Town":"Ulm"}}`, said: `✓`, events: typed(town, "Ulm"), after: []record.Control{holds(town, "BernUlm")}, want: "other value!"},
		{name: "no input", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name`, events: []record.Heard{at(5, 3825, event("pointer", control(9, "page", "")))}, want: "nothing!"},
		{name: "no input, and the answer says so", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: "✓ Filled\nErrors: Failed to fill \"Name\"", want: "nothing"},
		{name: "another field", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, before: []record.Control{name, control(9, "textbox", "Note", "")}, events: typed(control(9, "textbox", "Note", ""), "Ann"), want: "other element!"},
		{name: "a box", tool: "fill_form", args: `{"fields":{"News":"true"}}`, said: `✓`, events: append(click(box), event("change", holds(box, "on"))), after: []record.Control{holds(box, "on")}, want: "as asked"},
		{name: "a box that stays", tool: "fill_form", args: `{"fields":{"News":"true"}}`, said: `✓`, events: click(box), want: "nothing!"},
		{name: "a box that is checked already", tool: "fill_form", args: `{"fields":{"News":"true"}}`, said: `✓`, before: []record.Control{holds(box, "on")}, want: "as asked"},
		{name: "a list", tool: "fill_form", args: `{"fields":{"Plan":"large"}}`, said: `✓`, events: []record.Heard{event("change", holds(plan, "Large"))}, after: []record.Control{holds(plan, "Large")}, want: "as asked"},
		{name: "an empty list", tool: "fill_form", args: `{"fields":{"Plan":"Huge"}}`, said: `✓`, events: []record.Heard{event("change", holds(plan, ""))}, after: []record.Control{holds(plan, "")}, want: "other value!"},
		{name: "the button of a form", tool: "fill_form", args: `{"fields":{"Name":"Ann"},"submit":"Save"}`, said: `✓`, events: append(typed(name, "Ann"), append(click(save), navigate)...), after: []record.Control{}, want: "as asked; as asked"},
		{name: "another button of the form", tool: "fill_form", args: `{"fields":{"Name":"Ann"},"submit":"Save"}`, said: `✓ Name: Ann, submitted`, events: append(typed(name, "Ann"), click(drop)...), want: "as asked; other element!"},
		{name: "an option that repeats a value", tool: "fill_form", args: `{"fields":{"Name":"Ann"},"submit":"Save"}`, said: `✓ Name: Ann, submitted`, events: append(typed(name, "Ann"), click(control(9, "option", "Ann"))...), want: "as asked; other element!"},
		{name: "the browser refuses", tool: "fill_form", args: `{"fields":{"Name":"Ann"},"submit":"Save"}`, said: `✓ submitted`, events: append(typed(name, "Ann"), append(click(save), event("invalid", town))...), want: "as asked; nothing!"},

		{name: "another field too", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, events: append(typed(name, "Ann"), typed(town, "x")...), after: []record.Control{holds(name, "Ann"), holds(town, "Bernx")}, want: "as asked; more!"},
		{name: "another field too, without a press", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, events: append(typed(name, "Ann"), event("input", town, "Ann")), after: []record.Control{holds(name, "Ann"), holds(town, "BernAnn")}, want: "as asked; more!"},
		{name: "another field too, by a script of the page", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, events: append(typed(name, "Ann"), scripted(event("input", town, "Ann"))), after: []record.Control{holds(name, "Ann"), holds(town, "BernAnn")}, want: "as asked; more"},
		{name: "another field too, said", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann, Town: Bernx`, events: append(typed(name, "Ann"), typed(town, "x")...), after: []record.Control{holds(name, "Ann"), holds(town, "Bernx")}, want: "as asked; more"},
		{name: "the page changes another field", tool: "fill_form", args: `{"fields":{"Name":"Ann"}}`, said: `✓ Name: Ann`, events: typed(name, "Ann"), after: []record.Control{holds(name, "Ann"), holds(town, "Ulm"), holds(box, "on")}, want: "as asked; more"},
		{name: "a field that was not read before", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, part: true, before: []record.Control{save}, after: []record.Control{save, holds(town, "Ulm")}, events: append(click(save), navigate), want: "as asked"},
		{name: "the page spreads the value", tool: "fill_form", args: `{"fields":{"Name":"12"}}`, said: `✓ Name: 12`, events: append(typed(name, "1"), event("input", town, "2")), after: []record.Control{holds(name, "1"), holds(town, "2")}, want: "other value!; more"},
		{name: "the box of a label", tool: "interact", args: `{"query":"Get the letter"}`, said: `✓ Clicked label`, before: []record.Control{box}, events: append(click(control(9, "label", "Get the letter News")), event("click", holds(box, "on")), event("change", holds(box, "on"))), after: []record.Control{holds(box, "on")}, want: "as asked"},
		{name: "the radio of a label", tool: "interact", args: `{"query":"Get the letter"}`, said: `✓ Clicked label`, before: []record.Control{daily, weekly}, events: append(click(control(9, "label", "Get the letter Weekly")), event("click", holds(weekly, "on")), event("change", holds(weekly, "on"))), after: []record.Control{holds(daily, "off"), holds(weekly, "on")}, want: "as asked"},
		{name: "a radio that the page switches off", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, before: []record.Control{save, daily, weekly}, events: append(click(save), navigate), after: []record.Control{save, holds(daily, "off"), weekly}, want: "as asked; more"},
		{name: "a box that the page checks", tool: "interact", args: `{"query":"Save"}`, said: `✓ Clicked`, events: append(click(save), event("click", holds(box, "on")), event("change", holds(box, "on"))), after: []record.Control{save, holds(box, "on")}, want: "as asked; more"},

		{name: "a point", tool: "computer", args: `{"action":"left_click","coordinate":[10,20]}`, said: `Clicked`, events: []record.Heard{at(10, 20, event("click", save)), navigate}, want: "as asked"},
		{name: "a point outside", tool: "computer", args: `{"action":"left_click","coordinate":[10,3000]}`, said: `Clicked`, want: "nothing!"},
		{name: "text", tool: "computer", args: `{"action":"type","text":"Ann"}`, said: `Typed`, events: typed(name, "Ann"), want: "as asked"},
		{name: "text to nobody", tool: "computer", args: `{"action":"type","text":"Ann"}`, said: `Typed`, want: "nothing!"},
		{name: "text to the page itself", tool: "computer", args: `{"action":"type","text":"Ann"}`, said: `Typed`, events: []record.Heard{event("key", control(9, "body", "")), event("key", control(9, "body", "")), event("key", control(9, "body", ""))}, want: "no effect"},
		{name: "a key", tool: "computer", args: `{"action":"key","text":"Enter"}`, said: `Pressed`, events: []record.Heard{event("key", name)}, want: "as asked"},
		{name: "an unknown ref", tool: "computer", args: `{"action":"left_click","ref":"ref_9"}`, said: `Clicked`, events: click(save), want: "not known"},
		{name: "a drag that drops nowhere", tool: "drag_drop", args: `{"sourceSelector":"#a"}`, said: `ok`, events: []record.Heard{event("drag", save)}, want: "nothing!"},
		{name: "a drop", tool: "drag_drop", args: `{"sourceSelector":"#a"}`, said: `ok`, events: []record.Heard{event("drag", save), event("drop", drop)}, want: "as asked"},
		{name: "a file", tool: "file_upload", args: `{"selector":"#f","filePaths":["/x/bill.txt"]}`, said: `ok`, after: []record.Control{control(9, "button", "Bill", "bill.txt")}, want: "as asked"},
		{name: "no file", tool: "file_upload", args: `{"selector":"#f","filePaths":["/x/bill.txt"]}`, said: `ok`, after: []record.Control{control(9, "file", "Bill")}, want: "nothing!"},
		{name: "a file for a field outside the page", tool: "file_upload", args: `{"selector":"#f","filePaths":["/x/bill.txt"]}`, said: `ok`, want: "not known"},
		{name: "a tool that does nothing", tool: "read_page", args: `{}`, said: `page`, events: click(save), want: ""},
		{name: "arguments that are none", tool: "interact", args: `[]`, said: `ok`, want: ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t0 := record.Trace{Events: test.events, Moved: test.changed, Deaf: test.lost}
			t0.Before.List, t0.After.List = test.before, test.after
			if test.before == nil {
				t0.Before.List = page
			}
			if test.after == nil {
				t0.After.List = t0.Before.List
			}
			t0.Before.Whole, t0.After.Whole = !test.part && !test.unread, !test.unread
			parts := partsOf(t, test.tool, test.args, answer(test.said, test.isError), t0)
			if diff := cmp.Diff(test.want, wordsOf(parts)); diff != "" {
				t.Errorf("(-want +got):\n%s%+v", diff, parts)
			}
		})
	}
}

// A ref names one of several fields that look alike. The word is "as asked", and the line says which one got the value.
func TestRefOfOneName(t *testing.T) {
	one, other := control(3, "textbox", "Limit", ""), control(4, "textbox", "Limit", "")
	one.Field, other.Field = "everyday", "savings"
	set := one
	set.Value = "5"
	parts := partsOf(t, "form_input", `{"ref":"ref_1","value":"5"}`, answer("Set value", false), record.Trace{
		Node:   &one,
		Before: record.Survey{List: []record.Control{one, other}, Whole: true}, After: record.Survey{List: []record.Control{set, other}, Whole: true},
	})
	if len(parts) != 1 || parts[0].Untrue || parts[0].Word != record.AsAsked || parts[0].Did != `2 fields have this name, and "everyday" got it` {
		t.Errorf("%+v", parts)
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
		t.Run(described.Title, func(t *testing.T) {
			used := map[string]bool{}
			check := func(file string, c adapter.Call) {
				act, ok := described.ToolOf(c)
				switch {
				case !ok:
					t.Errorf("%s: the description does not say what %s does", file, c.Tool)
				case !act.Asks():
					return
				}
				used[c.Tool] = true
				list := asks(act, c, new(refs), nil)
				if ok && len(list) == 0 {
					t.Errorf("%s: %s asks for nothing: %s", file, c.Tool, c.Args)
				}
				for _, a := range list {
					if a.query+a.ref+a.value == "" && a.point == nil {
						t.Errorf("%s: a part of %s has no name: %s", file, c.Tool, c.Args)
					}
				}
			}
			profile := described.Name + ".json"
			raw, err := fs.ReadFile(servers.FS, profile)
			need.OK(t, err)
			for _, c := range calls(t, raw) {
				check(profile, c)
			}
			for _, file := range transcripts {
				if described.IsPeer() {
					break // they are calls of OpenChrome's
				}
				raw, err := fs.ReadFile(fixtures.FS, file)
				need.OK(t, err)
				for line := range strings.Lines(string(raw)) {
					var c adapter.Call
					if json.Unmarshal([]byte(line), &c) == nil && c.Tool != "" {
						check(file, c)
					}
				}
			}
			if len(used) < 3 {
				t.Errorf("only %v are used", used)
			}
		})
	}
}

// calls returns each object with a tool and arguments in a profile. A form's fields are one field.
func calls(t *testing.T, raw json.RawMessage) (list []adapter.Call) {
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
	for _, name := range slices.Sorted(maps.Keys(object)) {
		array = append(array, object[name])
	}
	for _, part := range array {
		list = append(list, calls(t, part)...)
	}
	return list
}

// Typing is one event for the keys and one for the input.
func TestEventsAreJoined(t *testing.T) {
	name := control(3, "textbox", "Name", "")
	list := typed(name, "Ann")
	for i := range list {
		if list[i].Kind == "key" {
			list[i].Text = "Ann"[(i-2)/2 : (i-2)/2+1]
		}
	}
	want := []string{`pointer: textbox "Name"`, `click: textbox "Name"`, `key, 3 times: textbox "Name": Ann`, `input, 3 times: textbox "Name"`}
	need.Equal(t, "", want, lines(list))
}

func FuzzJudge(f *testing.F) {
	f.Add("interact", `{"query":"Save"}`, "ok")
	f.Add("fill_form", `{"fields":[{"query":"x"},1],"submit":{}}`, "Errors: \"x\"")
	f.Add("computer", `{"action":"left_click","coordinate":[1]}`, "[3]<input id=\"x\"/>")
	f.Fuzz(func(t *testing.T, tool, args, said string) {
		known := new(refs)
		for _, s := range server.All() {
			known.learn(s, said)
			name := control(3, "textbox", said, "")
			call := adapter.Call{Tool: tool, Args: json.RawMessage(args)}
			judge(s, adapter.Step{Call: call, Result: answer(said, false)}, known, record.Trace{
				Tab: "T", Before: record.Survey{List: []record.Control{name}}, Events: typed(name, "x"),
			})
		}
	})
}

// A person reads what was asked for and what was hit.
func TestWordsOfParts(t *testing.T) {
	drop, field := control(1, "button", "Delete all"), control(2, "textbox", "Name")
	for _, test := range []struct {
		name, tool, args string
		events           []record.Heard
		asked, did       string
	}{
		{"a name that no control has", "interact", `{"query":"Publish"}`, click(drop), "Publish", `no control has this name; hit button "Delete all"`},
		{"an element without a name", "interact", `{"query":"Publish"}`, click(control(3, "main", "")), "Publish", "no control has this name; hit a main without a name"},
		{"typing", "computer", `{"action":"type","text":"Ann"}`, nil, "the focused field", "no key and no input came"},
	} {
		t.Run(test.name, func(t *testing.T) {
			parts := partsOf(t, test.tool, test.args, answer("ok", false), record.Trace{
				Before: record.Survey{List: []record.Control{drop, field, control(3, "main", "")}, Whole: true}, After: record.Survey{Whole: true}, Events: test.events,
			})
			if len(parts) != 1 || parts[0].Asked != test.asked || parts[0].Did != test.did {
				t.Errorf("%+v", parts)
			}
		})
	}
}
