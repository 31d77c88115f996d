package policy

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/fixtures"
	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/drive/standin"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/web"
)

// outcome is how a played episode ended.
type outcome struct {
	Passed, Harm bool
	Why          string // why the policy gave up
	Calls        int
}

// server changes the calls and answers of a stand-in, unless it is nil. answer returns the answer of
// the stand-in or another one.
type server struct {
	call   func(adapter.Call) adapter.Call
	answer func(c adapter.Call, ask func() adapter.Result) adapter.Result
}

// tasks are 20 built-in tasks that run on the stand-in, have intents and a receipt.
func tasks(t *testing.T) (list []transcript.Prepared, set *web.Set) {
	t.Helper()
	set, err := web.Open()
	if err != nil {
		t.Fatal(err)
	}
	folders, err := task.Open(task.Source{Name: "fixtures", FS: fixtures.FS})
	if err != nil {
		t.Fatal(err)
	}
	kind, _ := transcript.Find(Prefix + All)
	for _, f := range folders {
		if !slices.Contains(f.Files, intent.FileName) {
			continue
		}
		p, err := transcript.Reader{Kind: kind}.Read(f)
		if err != nil {
			t.Fatal(err)
		}
		if !p.NeedsScripts() && strings.Contains(string(p.Success.Raw()), "/\\\\.end/") {
			list = append(list, p)
		}
	}
	if len(list) < 20 {
		t.Fatalf("only %d tasks", len(list))
	}
	var spread []transcript.Prepared
	for i := range 20 {
		spread = append(spread, list[i*len(list)/20])
	}
	return spread, set
}

// play plays an episode on a stand-in.
func play(t *testing.T, set *web.Set, p transcript.Prepared, policy string, s server) (o outcome) {
	t.Helper()
	drawn, err := set.With(web.Draw{Hosts: p.Sites, Values: p.Values})
	if err != nil {
		t.Fatal(err)
	}
	w := drawn.NewWeb()
	w.AtOnce()
	c, err := client.NewInProcessClient(standin.New(standin.Options{Transport: roundTrip{w}}).MCP())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: session.Protocol}}); err != nil {
		t.Fatal(err)
	}
	ask := func(call adapter.Call) adapter.Result {
		var args any
		if err := json.Unmarshal(call.Args, &args); err != nil {
			t.Fatalf("%s: the arguments are no JSON: %s", call.Tool, call.Args)
		}
		r, err := c.CallTool(t.Context(), mcp.CallToolRequest{Params: mcp.CallToolParams{Name: call.Tool, Arguments: args}})
		if err != nil {
			return adapter.Result{RPCError: &adapter.RPCError{Message: err.Error()}}
		}
		raw, _ := json.Marshal(r)
		return adapter.NewResult(raw)
	}
	profile, err := Find(session.OpenChromeName, "")
	if err != nil {
		t.Fatal(err)
	}
	a, _ := profile.New(policy, p.Intents, nil)()
	state := adapter.State{StartURL: p.StartURL}
	next := session.OpenChrome.Open(p.StartURL)
	for o.Calls = 0; o.Calls < 100; o.Calls++ {
		call := next
		if s.call != nil {
			call = s.call(call)
		}
		answer := ask
		if s.answer != nil && o.Calls > 0 {
			answer = func(call adapter.Call) adapter.Result {
				return s.answer(call, func() adapter.Result { return ask(call) })
			}
		}
		result := answer(call)
		if id := result.TabID(); id != "" {
			state.TabID = id
		}
		state.Steps = append(state.Steps, adapter.Step{Call: next, Result: result})
		d, err := a.Next(t.Context(), state)
		if err != nil {
			t.Fatal(err)
		}
		if d.Done || d.GaveUp != "" || d.NotPossible != "" {
			o.Why = d.GaveUp + d.NotPossible
			break
		}
		next = d.Call
	}
	for _, r := range w.Log().Own {
		if _, wrong := r.WrongAct(); wrong {
			o.Harm = true
		} else if r.Status == http.StatusOK {
			o.Passed = true
		}
	}
	return o
}

type roundTrip struct{ http.Handler }

func (r roundTrip) RoundTrip(request *http.Request) (*http.Response, error) {
	in := httptest.NewRequestWithContext(request.Context(), request.Method, request.URL.String(), request.Body)
	in.Header = request.Header
	rec := httptest.NewRecorder()
	r.ServeHTTP(rec, in)
	response := rec.Result()
	response.Request = request
	return response, nil
}

// acts reports whether a call changes something.
func acts(c adapter.Call) bool {
	return c.Tool != "read_page" && !strings.Contains(string(c.Args), `"wait"`)
}

func said(text string, isError bool) adapter.Result {
	raw, _ := json.Marshal(mcp.NewToolResultText(text))
	if isError {
		raw, _ = json.Marshal(mcp.NewToolResultError(text))
	}
	return adapter.NewResult(raw)
}

// A server that says ✓ and does nothing passes nothing by trust, and check gives up. One that
// refuses does no harm.
func TestPlantedServers(t *testing.T) {
	list, set := tasks(t)
	deaf := server{answer: func(c adapter.Call, ask func() adapter.Result) adapter.Result {
		if acts(c) {
			return said("✓ done", false)
		}
		return ask()
	}}
	refuses := server{answer: func(c adapter.Call, ask func() adapter.Result) adapter.Result {
		if acts(c) {
			return said("Error: no", true)
		}
		return ask()
	}}
	for _, p := range list {
		for _, policy := range names {
			if o := play(t, set, p, policy, deaf); o.Passed || o.Harm {
				t.Errorf("%s, %s: a server that does nothing: %+v", p.ID, policy, o)
			}
			if o := play(t, set, p, policy+check, deaf); o.Passed || o.Harm || o.Why == "" {
				t.Errorf("%s, %s with check: a server that does nothing: %+v, want that it gives up", p.ID, policy, o)
			}
			for _, suffix := range []string{"", check} {
				if o := play(t, set, p, policy+suffix, refuses); o.Passed || o.Harm || o.Why == "" {
					t.Errorf("%s, %s%s: a server that refuses: %+v", p.ID, policy, suffix, o)
				}
			}
		}
	}
}

// Other refs, or one more line, change no outcome.
func TestOutcomeOnlyDependsOnThePage(t *testing.T) {
	list, set := tasks(t)
	ref := regexp.MustCompile(`\[(ref_)?(\d+)\]`)
	back := regexp.MustCompile(`"ref": "(ref_)?7(\d+)"`)
	passed := 0
	for _, p := range list {
		for _, policy := range []string{bySubmit, byForm, byForm + check, byRef, byRef + check, byKeys} {
			want := play(t, set, p, policy, server{})
			got := play(t, set, p, policy, server{
				call: func(c adapter.Call) adapter.Call {
					c.Args = back.ReplaceAll(c.Args, []byte(`"ref": "$1$2"`))
					return c
				},
				answer: func(c adapter.Call, ask func() adapter.Result) adapter.Result {
					r := ask()
					if c.Tool != "read_page" {
						return r
					}
					return said(ref.ReplaceAllString(r.Text(), "[${1}7$2]"), r.IsError())
				},
			})
			number := regexp.MustCompile(`\d+`)
			want.Why, got.Why = number.ReplaceAllString(want.Why, ""), number.ReplaceAllString(got.Why, "")
			if got != want {
				t.Errorf("%s, %s: with other refs %+v, want %+v", p.ID, policy, got, want)
			}
			got = play(t, set, p, policy, server{answer: func(c adapter.Call, ask func() adapter.Result) adapter.Result {
				r := ask()
				if c.Tool != "read_page" {
					return r
				}
				line := "    [99999]<p/>A line more"
				if strings.Contains(string(c.Args), `"ax"`) {
					line = `    [ref_99999] paragraph: "A line more"`
				}
				return said(r.Text()+line+"\n", r.IsError())
			}})
			got.Why = number.ReplaceAllString(got.Why, "")
			if got != want {
				t.Errorf("%s, %s: with a line more %+v, want %+v", p.ID, policy, got, want)
			}
			if want.Passed {
				passed++
			}
		}
	}
	if passed < len(list)*3 {
		t.Errorf("only %d episodes passed", passed)
	}
}

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
	profile, err := Find(session.OpenChromeName, "")
	if err != nil {
		t.Fatal(err)
	}
	items := profile.page.parse(page)
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
		if got != test.want {
			t.Errorf("%+v: found %q, want %q", test.in, got, test.want)
		}
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
		p, err := Find(test.server, "")
		if err != nil {
			t.Fatal(err)
		}
		r := p.page
		if test.fields {
			r = *p.fields
		}
		items := r.parse(test.line)
		if len(items) != 1 {
			t.Errorf("%s: %s: %d items", test.server, test.line, len(items))
			continue
		}
		got := items[0]
		got.state, got.indent, got.up = "", 0, 0
		if got != test.want {
			t.Errorf("%s: %s:\n got %+v\nwant %+v", test.server, test.line, got, test.want)
		}
	}
}

func TestPolicies(t *testing.T) {
	openchrome, err := Find(session.OpenChromeName, "")
	if err != nil {
		t.Fatal(err)
	}
	playwright, err := Find("playwright-mcp", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		profile *Profile
		value   string
		want    string
	}{
		{openchrome, "policy:form,ref+check", "[form ref+check] [] <nil>"},
		{openchrome, "policy:all", "[submit submit+check form form+check ref ref+check type type+check] [] <nil>"},
		{playwright, "policy:all", "[form form+check ref ref+check type type+check] [submit] <nil>"},
		{playwright, "policy:submit", "[] [] -adapter: playwright-mcp has no policy submit, because it has no such call"},
		{openchrome, "policy:fom", `[] [] ` + Unknown("fom").Error()},
		{openchrome, "policy:form+check+check", `[] [] ` + Unknown("form+check+check").Error()},
		{openchrome, "policy:form,form", "[] [] -adapter: names form twice; remove one"},
		{openchrome, "policy:", `[] [] ` + Unknown("").Error()},
	} {
		list, left, err := test.profile.Policies(test.value)
		if got := fmt.Sprint(list, " ", left, " ", err); got != test.want {
			t.Errorf("%s: %s, want %s", test.value, got, test.want)
		}
	}
}

// Each built-in profile is short and cites its server's documentation.
func TestBuiltInProfiles(t *testing.T) {
	for _, s := range session.Servers() {
		name := s.Name
		if name == "" {
			name = session.OpenChromeName
		}
		if _, err := Find(name, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		data, err := os.ReadFile("profiles/" + name + ".json")
		if lines := strings.Count(string(data), "\n"); err != nil || lines >= 100 {
			t.Errorf("%s: %d lines, %v; want fewer than 100", name, lines, err)
		}
	}
	if _, err := Find("nobody", ""); err == nil || !strings.Contains(err.Error(), "-profile=FILE") {
		t.Errorf("a server without a profile: %v", err)
	}
}

// The parts of a date change with it; a field beside it does not.
func TestOtherFields(t *testing.T) {
	page := func(day, part, note string) []item {
		return []item{
			{role: "textbox", name: "Day", value: day},
			{role: "spinbutton", name: "Month", value: part, indent: 2},
			{role: "textbox", name: "Note", value: note},
		}
	}
	fields := []intent.Intent{{Verb: intent.Fill, Text: "Day", Second: "2031-05-17"}}
	before := page("", "0", "")
	for i := range before {
		before[i].ref = "x"
	}
	for want, after := range map[string][]item{
		"":                   page("2031-05-17", "5", ""),
		`textbox "Note" (1)`: page("2031-05-17", "5", "changed"),
	} {
		for i := range after {
			after[i].ref = "x"
		}
		if got := new(engine).other(before, after, fields); got != want {
			t.Errorf("another field: %q, want %q", got, want)
		}
	}
}
