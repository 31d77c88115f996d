package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// A page with other controls of the same name.
const page = `[1]<html/>
  [2]<h2/>Bill
  [3]<label/>Name
  [4]<input type="text" value="old"/> ★
  [5]<fieldset disabled=""/>
    [6]<label/>Name
    [7]<input type="text"/> ★
  [8]<h2/>Gift
  [9]<label/>Name
  [10]<input type="text"/> ★
  [11]<input type="radio"/> ★
  [12]<label/>By post
  [13]<button/> ★
    [14]<span/>Save
    [15]<span/>all
  [16]<button/>Save all drafts ★
  [17]<select/> ★
    [18]<option/>One
    [19]<option selected=""/>Two
  [20]div>[21]section> [22]<a aria-label="Help"/>? ★
  [23]<label/>New room of
    [24]<span/>Ruth
  [25]<input type="text"/> ★
  [26]<label/>Size
    [27]<select/> ★
      [28]<option/>Small`

func TestFindsTargets(t *testing.T) {
	profile := server.OpenChrome()
	items := parse(t.Context(), profile.Page, page)
	for _, test := range []struct {
		in    intent.Intent
		loose bool
		want  string
	}{
		{intent.Intent{Verb: intent.Fill, Text: "Name"}, false, "4"},
		{intent.Intent{Verb: intent.Fill, Text: "Name", After: "Gift"}, false, "10"},
		{intent.Intent{Verb: intent.Fill, Text: "Nam"}, false, ""},
		{intent.Intent{Verb: intent.Fill, Text: "Nam"}, true, "4"},
		{intent.Intent{Verb: intent.Fill, Text: "By post"}, true, ""},
		{intent.Intent{Verb: intent.Check, Text: "By post"}, false, "11"},
		{intent.Intent{Verb: intent.Press, Text: "Save all"}, false, "13"},
		{intent.Intent{Verb: intent.Press, Text: "all drafts"}, true, "16"},
		{intent.Intent{Verb: intent.Press, Text: "Help", Role: "link"}, false, "22"},
		{intent.Intent{Verb: intent.Press, Text: "Help", Role: "button"}, true, ""},
		{intent.Intent{Verb: intent.Press, Text: "Help", After: "Nowhere"}, true, ""},
		{intent.Intent{Verb: intent.Press, Text: "Gift"}, false, "8"},
		{intent.Intent{Verb: intent.Fill, Text: "New room of Ruth"}, false, "25"},
		{intent.Intent{Verb: intent.Choose, Text: "Size"}, false, "27"},
	} {
		got := ""
		if at := find(items, test.in, test.in.Text, test.loose); at >= 0 {
			got = items[at].ref
		}
		need.Is(t, fmt.Sprintf("%+v: found", test.in), test.want, got)
	}
	if at := slices.IndexFunc(items, func(it item) bool { return it.ref == "17" }); items[at].value != "Two" {
		t.Errorf("the list holds %q", items[at].value)
	}
}

// Each profile reads the form in which its server shows a page.
func TestLines(t *testing.T) {
	for _, test := range []struct {
		server string
		fields bool
		line   string
		want   item
	}{
		{"playwright-mcp", false, `  - textbox "Daily limit" [ref=e17]: "2350"`, item{ref: "e17", role: "textbox", name: "Daily limit", value: "2350"}},
		{"playwright-mcp", false, `- button "Say \"hi\"" [active] [ref=f1e9] [cursor=pointer]`, item{ref: "f1e9", role: "button", name: `Say "hi"`}},
		{"playwright-mcp", false, `- textbox "Town" [disabled] [ref=e22]`, item{ref: "e22", role: "textbox", name: "Town", disabled: true}},
		{"playwright-mcp", false, `- radio "By post" [checked] [ref=e2]`, item{ref: "e2", role: "radio", name: "By post", checked: true}},
		{"playwright-mcp", false, `- generic [ref=e11]: Name`, item{ref: "e11", role: "generic", name: "Name"}},
		{"playwright-mcp", false, `- text: "a: b"`, item{name: "a: b"}},
		{"playwright-mcp", false, `- 'button "a: b" [ref=e3]'`, item{ref: "e3", role: "button", name: "a: b"}},
		{"playwright-mcp", false, `- generic [ref=e3]:`, item{ref: "e3", role: "generic"}},
		{"chrome-devtools-mcp", false, `  uid=1_16 textbox "Daily limit" value="2350"`, item{ref: "1_16", role: "textbox", name: "Daily limit", value: "2350"}},
		{"chrome-devtools-mcp", false, `uid=1_19 textbox "Town" disableable disabled`, item{ref: "1_19", role: "textbox", name: "Town", disabled: true}},
		{"chrome-devtools-mcp", false, `uid=1_3 checkbox "News" checkable checked`, item{ref: "1_3", role: "checkbox", name: "News", checked: true}},
		{"chrome-devtools-mcp", false, `uid=1_3 checkbox "News" checkable`, item{ref: "1_3", role: "checkbox", name: "News"}},
		{"chrome-devtools-mcp", false, `uid=1_2 "Rookwood "Books""`, item{ref: "1_2", name: `Rookwood "Books"`}},
		{"chrome-devtools-mcp", false, `uid=1_7 link "Wrapping" url="https://x.test/"`, item{ref: "1_7", role: "link", name: "Wrapping"}},
		{"openchrome", true, `      [ref_29] textbox: "Daily limit" = "2350"`, item{ref: "ref_29", role: "textbox", name: "Daily limit", value: "2350"}},
		{"openchrome", true, `[ref_2] button: "Send" (focused, disabled)`, item{ref: "ref_2", role: "button", name: "Send", disabled: true}},
		{"openchrome", false, `[4]<input type="submit" value="Send & go"/> ★`, item{ref: "4", role: "button", name: "Send & go"}},
		{"openchrome", false, `[4]<textarea placeholder="Note"/> ★`, item{ref: "4", role: "textbox", name: "Note"}},
	} {
		p := server.Named(test.server)
		r := p.Page
		if test.fields {
			r = *p.Fields
		}
		items := parse(t.Context(), r, test.line)
		if len(items) != 1 {
			t.Errorf("%s: %s: %d items", test.server, test.line, len(items))
			continue
		}
		got := items[0]
		got.state, got.indent, got.up = "", 0, 0
		need.Is(t, fmt.Sprintf("%s: %s", test.server, test.line), test.want, got)
	}
}

// A tool that lists its arguments without one of a call lacks it. One that lists none may take any.
func TestLacksArgument(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties": {"tabId": {}, "mode": {}}}`: "",
		`{"properties": {"tabId": {}}}`:             "mode",
		`{"properties": {}}`:                        "mode",
		`{"type": "object"}`:                        "",
		`not JSON`:                                  "",
	} {
		c := adapter.Call{Tool: "read_page", Args: json.RawMessage(`{"mode": "dom"}`)}
		tools := []adapter.Tool{{Name: "read_page", InputSchema: json.RawMessage(schema)}}
		got := lacksArgument(c, server.OpenChrome(), tools)
		need.Is(t, schema, want, got)
	}
}
