package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
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
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/read/transcript"
	"github.com/openchrome/bench/harness/internal/web"
)

// outcome is how a played episode ended.
type outcome struct {
	Passed, WrongSideEffects bool
	Why                      string // why the policy gave up
	Calls                    int
}

// tamper changes the calls and answers of a stand-in, unless it is nil. answer returns the answer of
// the stand-in or another one.
type tamper struct {
	call   func(adapter.Call) adapter.Call
	answer func(c adapter.Call, ask func() adapter.Result) adapter.Result
}

// tasks are 20 built-in tasks that run on the stand-in, have intents and a receipt.
func tasks(t *testing.T) (list []transcript.Prepared, set *web.Set) {
	t.Helper()
	set, err := web.Open()
	need.OK(t, err)
	folders, err := task.Open(task.Source{Name: "fixtures", FS: fixtures.FS})
	need.OK(t, err)
	kind, _ := transcript.Find(Prefix + All)
	for _, f := range folders {
		if !slices.Contains(f.Files, intent.FileName) {
			continue
		}
		p, err := transcript.Reader{Kind: kind}.Read(f)
		need.OK(t, err)
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
func play(t *testing.T, set *web.Set, p transcript.Prepared, policy string, s tamper) (o outcome) {
	t.Helper()
	drawn, err := set.With(web.Draw{Hosts: p.Sites, Values: p.Values})
	need.OK(t, err)
	w := drawn.NewWeb()
	w.AtOnce()
	c, err := client.NewInProcessClient(standin.New(standin.Options{Transport: roundTrip{w}}).MCP())
	need.OK(t, err)
	defer c.Close()
	need.OK(t, need.Err(c.Initialize(t.Context(), mcp.InitializeRequest{Params: mcp.InitializeParams{ProtocolVersion: session.Protocol}})))
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
	profile := server.OpenChrome()
	a := quick(profile, policy, p.Intents)
	state := adapter.State{StartURL: p.StartURL}
	next := server.OpenChrome().Opening(p.StartURL)
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
		need.OK(t, err)
		if d.Done || d.GaveUp != "" || d.NoTool != "" {
			o.Why = d.GaveUp + d.NoTool
			break
		}
		next = d.Call
	}
	for _, r := range w.Log().Own {
		if _, wrong := r.WrongAct(); wrong {
			o.WrongSideEffects = true
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
	deaf := tamper{answer: func(c adapter.Call, ask func() adapter.Result) adapter.Result {
		if acts(c) {
			return said("✓ done", false)
		}
		return ask()
	}}
	refuses := tamper{answer: func(c adapter.Call, ask func() adapter.Result) adapter.Result {
		if acts(c) {
			return said("Error: no", true)
		}
		return ask()
	}}
	for _, p := range list {
		for _, policy := range server.PolicyNames {
			if o := play(t, set, p, policy, deaf); o.Passed || o.WrongSideEffects {
				t.Errorf("%s, %s: a server that does nothing: %+v", p.ID, policy, o)
			}
			if o := play(t, set, p, policy+check, deaf); o.Passed || o.WrongSideEffects || o.Why == "" {
				t.Errorf("%s, %s with check: a server that does nothing: %+v, want that it gives up", p.ID, policy, o)
			}
			for _, suffix := range []string{"", check} {
				if o := play(t, set, p, policy+suffix, refuses); o.Passed || o.WrongSideEffects || o.Why == "" {
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
		for _, policy := range []string{server.BySubmit, server.ByForm, server.ByForm + check, server.ByRef, server.ByRef + check, server.ByKeys} {
			want := play(t, set, p, policy, tamper{})
			got := play(t, set, p, policy, tamper{
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
			need.Is(t, fmt.Sprintf("%s, %s: with other refs", p.ID, policy), want, got)
			got = play(t, set, p, policy, tamper{answer: func(c adapter.Call, ask func() adapter.Result) adapter.Result {
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
			need.Is(t, fmt.Sprintf("%s, %s: with a line more", p.ID, policy), want, got)
			if want.Passed {
				passed++
			}
		}
	}
	if passed < len(list)*3 {
		t.Errorf("only %d episodes passed", passed)
	}
}

func TestPolicies(t *testing.T) {
	openchrome := server.OpenChrome()
	playwright := server.Named("playwright-mcp")
	for _, test := range []struct {
		profile *server.Server
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
		list, left, err := Policies(test.profile, test.value)
		if got := fmt.Sprint(list, " ", left, " ", err); got != test.want {
			t.Errorf("%s: %s, want %s", test.value, got, test.want)
		}
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
		need.Is(t, "another field", want, new(engine).other(before, after, fields))
	}
}

// quick is the adapter of a policy that looks again at once.
func quick(s *server.Server, policy string, intents []intent.Intent) adapter.Adapter {
	a, _ := New(s, policy, intents, nil)()
	a.(*engine).pause = func(context.Context) {}
	return a
}
