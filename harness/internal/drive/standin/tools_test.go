package standin

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/openchrome/bench/harness/internal/need"
)

type step struct {
	tool string
	args args
	want string // whole text; "...x" means it contains x
}

const tabIs = `"tabId":"TAB","workerId":"default",`

// Each row is a fresh session. The texts are those of OpenChrome 1.7.15.
func TestTools(t *testing.T) {
	nav := func(path string) step {
		return step{"navigate", args{"url": "http://shop.example" + path}, "..." + `"action":"navigate"`}
	}
	js := func(code, want string) step { return step{"javascript_tool", args{"tabId": "TAB", "code": code}, want} }
	fields := func(want string) step { return step{"fields", nil, "..." + want} }
	for _, row := range []struct {
		name     string
		steps    []step
		requests []string
	}{
		{"navigate", []step{
			{"navigate", args{"url": "http://shop.example/"}, `{"action":"navigate","url":"http://shop.example/","title":"Home",` + tabIs + `"created":true,"elementCount":20,"visualSummary":"[Page State] url: http://shop.example/ | title: \"Home\" | scroll: 0/1080 (0%)\n[Headings] h1: \"Hello\" | h2: \"Section head\""}`},
			{"navigate", args{"url": "http://shop.example/form"}, `...` + tabIs + `"reused":true`},
			{"navigate", args{"url": "back", "tabId": "TAB"}, `...{"action":"back","url":"http://shop.example/","title":"Home","elementCount":20,`},
			{"navigate", args{"url": "back", "tabId": "TAB"}, `{"action":"back","url":"about:blank","title":"","elementCount":3,"visualSummary":"[Page State] url: about:blank | title: \"\" | scroll: 0/1080 (0%)"}`},
			{"navigate", args{"url": "back", "tabId": "TAB"}, `...{"action":"back","url":"about:blank"`},
			{"navigate", args{"url": "forward", "tabId": "TAB"}, `...{"action":"forward","url":"http://shop.example/"`},
			{"navigate", args{"url": "forward", "tabId": "TAB"}, `...{"action":"forward","url":"http://shop.example/form"`},
			{"navigate", args{"url": "http://shop.example/missing", "tabId": "TAB"}, `...{"action":"navigate","url":"http://shop.example/missing","title":"Not found","elementCount"`},
		}, []string{"GET /", "GET /form", "GET /missing"}},
		{"navigate errors", []step{
			{"navigate", args{}, "ERROR Error: url is required"},
			{"navigate", args{"url": "back"}, "ERROR Error: tabId is required for back/forward navigation"},
			{"navigate", args{"url": "about:blank"}, "ERROR Error: Invalid URL format - Invalid URL"},
			{"navigate", args{"url": "http://"}, "ERROR Error: Invalid URL format - Invalid URL"},
			{"navigate", args{"url": "http://no.invalid/"}, "ERROR Error creating tab: net::ERR_NAME_NOT_RESOLVED at http://no.invalid/"},
			{"tabs_context", args{"summary": true}, `..."tabCount": 0`},
			{"navigate", args{"tabId": "X", "url": "http://shop.example/"}, "ERROR Error: Tab X is no longer available"},
			nav("/"),
			{"navigate", args{"url": "http://no.invalid/", "tabId": "TAB"}, "ERROR Navigation error: net::ERR_NAME_NOT_RESOLVED at http://no.invalid/"},
			js("location.href", "chrome-error://chromewebdata/"),
		}, nil},
		{"redirects", []step{
			{"navigate", args{"url": "shop.example/redirect"}, `..."url":"https://shop.example/form#x"`},
		}, nil},
		{"tabs", []step{
			nav("/form"),
			{"tabs_context", args{}, "{\n  \"sessionId\": \"default\",\n  \"defaultWorkerId\": \"default\",\n  \"workerCount\": 1,\n  \"tabCount\": 1,\n  \"workers\": [\n    {\n      \"id\": \"default\",\n      \"name\": \"Default Worker\",\n      \"tabCount\": 1,\n      \"tabs\": [\n        {\n          \"tabId\": \"TAB\",\n          \"workerId\": \"default\",\n          \"url\": \"http://shop.example/form\",\n          \"title\": \"Form\"\n        }\n      ]\n    }\n  ]\n}"},
		}, nil},
		{"read_page", []step{
			{"read_page", args{"tabId": "X"}, "ERROR Read page error: Target X not found in session default. The tab may have been closed or Chrome may have been restarted. No tabs available in this session. Use navigate to open a new page."},
			nav("/rich"),
			{"read_page", args{"tabId": "X"}, `...Available tabIds: ["TAB"]. Use tabs_context to see their URLs and titles.`},
			{"read_page", args{"tabId": "TAB"}, "[page_stats] url: http://shop.example/rich | title: Rich | scroll: 0,0 | viewport: 1920x1080 | docSize: 1920x1080\n\n[1]<html/>\n  [2]<body/>\n    [3]main>[4]section>[5]div> [6]<em/>deep\n    [7]<ul/>\n      [8]<li/>a\n      [9]<li/>b\n      [10]<li/>c\n      [8-11] li ×5 (showing 3 of 5)\n      [11]<li/>e\n    [12]<button aria-label=\"Close dialog\"/>x ★\n"},
			nav("/chain"),
			{"read_page", args{"tabId": "TAB"}, "..." + "    [15]div>[16]div>[17]div>[18]div>[19]div>[20]div>[21]div>[22]div> [23]<div/>\n      [24]<p/>deep\n    [25]<main/>\n      [26]<section/>\n        [27]<div/>\n          [28]<p/>a\n          [29]<p/>b\n"},
			{"read_page", args{}, "ERROR Error: tabId is required"},
		}, nil},
		{"find", []step{
			nav("/"),
			{"find", args{"tabId": "TAB", "query": "form page link"}, "Found 3 elements matching \"form page link\":\n\n[ref_1] link: \"Form page\" at (0, 0) ★★\n[ref_2] ul: \"Form pageSectionGone\" at (0, 0) ★\n[ref_3] li: \"Form page\" at (0, 0) ★"},
			{"find", args{"tabId": "TAB", "query": "purple elephant"}, `ERROR No elements found matching "purple elephant". Page: http://shop.example/ (complete), 20 elements.`},
			{"find", args{"tabId": "TAB", "query": "secret"}, `...ERROR No elements`},
			{"find", args{"tabId": "TAB"}, "ERROR Error: query is required"},
			nav("/many"), // thirty are looked at, links first, so the heading is not; twenty are told
			{"find", args{"tabId": "TAB", "query": "thing"}, "Found 20 elements matching \"thing\":\n\n[ref_4] link: \"thing\" at (0, 0) ★★★" + things()},
			nav("/aria"),
			{"interact", args{"tabId": "TAB", "query": "buy"}, "...✓ Clicked a \"now\""},
			nav("/aria"),
			{"fill_form", args{"tabId": "TAB", "fields": args{"my telephone": "1"}}, `ERROR Errors: Could not find field matching "my telephone". Available fields: [q]`},
			{"fill_form", args{"tabId": "TAB", "fields": args{"tel": "1"}}, "...✓ Filled 1 field"},
		}, nil},
		{"interact follows a link", []step{
			nav("/"),
			{"interact", args{"tabId": "TAB", "query": "Form page"}, "✓ Clicked a \"Form page\" [ref_1]\n\n[Page navigated: http://shop.example/form]\n[Title: \"Form\"]\n[State Summary] url: http://shop.example/form | scroll: 0,0 | active: none\n[Headings] \"Form\""},
			{"form_input", args{"tabId": "TAB", "ref": "ref_1", "value": "x"}, "ERROR Error: Reference 'ref_1' not found. Use read_page first to get element references (ref_N or backendNodeId)."},
			{"interact", args{"tabId": "TAB", "query": "purple elephant"}, `ERROR No elements found matching "purple elephant"`},
			nav("/alike"),
			{"interact", args{"tabId": "TAB", "query": "Leave button"}, "...✓ Clicked button \"Leave\""},
			nav("/alike"),
			{"interact", args{"tabId": "TAB", "query": "More"}, "...[Page navigated: http://shop.example/rich]"}, // the first of two that are the same
		}, []string{"GET /", "GET /form", "GET /alike", "GET /submit?", "GET /alike", "GET /rich"}},
		{"interact in the page", []step{
			nav("/"),
			{"interact", args{"tabId": "TAB", "query": "More"}, "✓ Clicked p \"More\" [ref_1]\n[State Summary] url: http://shop.example/ | scroll: 0,0 | active: none\n[Headings] \"Hello\" | \"Section head\""},
			{"interact", args{"tabId": "TAB", "query": "Section"}, "...✓ Clicked a \"Section\" [ref_2]\n\n[Page navigated: http://shop.example/#sec]\n[Title: \"Home\"]"},
		}, []string{"GET /"}},
		{"computer clicks a ref", []step{
			nav("/alike"),
			{"computer", args{"action": "left_click", "ref": "ref_1"}, "ERROR Error: tabId is required"},
			{"computer", args{"tabId": "X", "action": "left_click", "ref": "ref_1"}, `...ERROR Computer action error: Target X not found in session default.`},
			{"computer", args{"tabId": "TAB", "action": "left_click"}, "ERROR Error: coordinate is required for left_click"},
			{"computer", args{"tabId": "TAB", "action": "left_click", "ref": "ref_9"}, "ERROR Error: Element ref or node ID 'ref_9' not found"},
			{"computer", args{"tabId": "TAB", "action": "left_click", "ref": "Leave"}, "ERROR Error: Element ref or node ID 'Leave' not found"},
			{"find", args{"tabId": "TAB", "query": "more link"}, "...[ref_2] link: \"More\" at (0, 0) ★★\n"},
			{"computer", args{"tabId": "TAB", "action": "left_click", "ref": "ref_2"}, "Clicked element ref_2 at (0, 0)\n[Page navigated: http://shop.example/]\n[Title: \"Home\"]\n[Page State] url: http://shop.example/ | title: \"Home\" | scroll: 0/1080 (0%)\n[Headings] h1: \"Hello\" | h2: \"Section head\""},
			{"computer", args{"tabId": "TAB", "action": "left_click", "ref": "ref_2"}, "ERROR Error: Element ref or node ID 'ref_2' not found"},
			nav("/form"),
			{"read_page", args{"tabId": "TAB", "filter": "interactive"}, `...[7]<input type="checkbox" name="agree" value="yes"/>`},
			{"computer", args{"tabId": "TAB", "action": "left_click", "ref": "node_7"}, "Clicked element node_7 at (0, 0)\n[Page State] url: http://shop.example/form | title: \"Form\" | scroll: 0/1080 (0%)\n[Headings] h1: \"Form\""},
			fields(" agree=yes! "),
		}, []string{"GET /alike", "GET /", "GET /form"}},
		{"form_input", []step{
			nav("/form"),
			{"find", args{"tabId": "TAB", "query": "you@x"}, "...[ref_1] email:"},
			{"form_input", args{"tabId": "TAB", "ref": "ref_1", "value": "e@x.test"}, `Set value to "e@x.test"`},
			{"form_input", args{"tabId": "TAB", "ref": "1", "value": "x"}, "ERROR Error: Reference '1' not found. Use read_page first to get element references (ref_N or backendNodeId)."},
			{"form_input", args{"tabId": "TAB", "ref": "ref_1"}, "ERROR Error: value is required"},
			{"read_page", args{"tabId": "TAB", "filter": "interactive"}, `...[5]<select name="plan" aria-label="Plan"/> ★`},
			{"form_input", args{"tabId": "TAB", "ref": "5", "value": "Pro"}, `Selected "Pro"`},
			{"form_input", args{"tabId": "TAB", "ref": "5", "value": "Max"}, `ERROR Error: Option not found: Max`},
			fields(" email=e@x.test agree=yes plan=pro c=r c=b! notes=old "),
		}, nil},
		{"required stops a submit", []step{
			nav("/form"),
			{"interact", args{"tabId": "TAB", "query": "Submit"}, "✓ Clicked button \"Submit\" [ref_1]\n[State Summary] url: http://shop.example/form | scroll: 0,0 | active: text\n[Headings] \"Form\""},
			{"fill_form", args{"tabId": "TAB", "fields": args{"Name": "A", "email": "bad"}, "submit": "Submit"}, "...✓ Filled 2 fields, submitted\n"},
			js("location.href", "http://shop.example/form"),
		}, []string{"GET /form"}},
		{"fill_form", []step{
			nav("/form"),
			{"fill_form", args{"tabId": "TAB", "fields": args{"zzz": "A"}}, `ERROR Errors: Could not find field matching "zzz". Available fields: [Name, Email, I agree, Red, Blue, ro, Notes, plan]`},
			{"fill_form", args{"tabId": "TAB", "fields": args{}}, "ERROR Error: fields is required and must be a non-empty object"},
			{"fill_form", args{"tabId": "TAB", "fields": args{"Name": "Eve & Bob"}, "submit": "Fly"}, "✓ Filled 1 field\n  Name: \"Eve & Bob\" → ✓\nErrors: Could not find submit button matching \"Fly\""},
			{"fill_form", args{"tabId": "TAB", "fields": args{"I agree": true, "Plan": "pro", "Red": "true", "Notes": "l1\nl2"}, "submit": "Submit"}, "...[Page navigated: http://shop.example/submit]\n[Title: \"Done\"]"},
			js("document.querySelector('#b').innerText", "name=Eve+%26+Bob&email=&agree=yes&plan=pro&c=r&notes=l1%0D%0Al2&ro=fixed"),
			{"navigate", args{"tabId": "TAB", "url": "back"}, `..."action":"back"`},
			fields(" name=Eve & Bob email= agree=yes! plan=pro c=r! "),
			{"fill_form", args{"tabId": "TAB", "fields": args{"Name": "Bo", "I agree": false, "Plan": "free", "Blue": "true", "Notes": "old"}}, "...✓ Filled 5 fields"},
			{"interact", args{"tabId": "TAB", "query": "Delete"}, "...[Page navigated: http://shop.example/submit]"},
		}, []string{"GET /form", "POST /submit name=Eve+%26+Bob&email=&agree=yes&plan=pro&c=r&notes=l1%0D%0Al2&ro=fixed", "POST /submit name=Bo&email=&plan=free&c=b&notes=old&op=del&ro=fixed"}},
		{"cookies", []step{
			nav("/cookie"),
			{"cookies", args{"tabId": "TAB", "action": "get"}, "Functional cookies (3):\n[\n  {\n    \"name\": \"who\",\n    \"value\": \"abc\",\n    \"domain\": \"shop.example\"\n  },\n  {\n    \"name\": \"theme\",\n    \"value\": \"dark\",\n    \"domain\": \"shop.example\"\n  },\n  {\n    \"name\": \"lang\",\n    \"value\": \"x\",\n    \"domain\": \"shop.example\"\n  }\n]"},
			{"navigate", args{"url": "http://shop.example/cookie"}, "...title"},
			js("document.body.innerText", "who=abc; theme=dark; lang=x"),
			{"cookies", args{"tabId": "TAB", "action": "clear"}, `{"action":"clear","clearedCount":3,"message":"Cleared 3 cookies"}`},
			{"cookies", args{"tabId": "TAB", "action": "get"}, "No cookies found"},
		}, nil},
		{"a redirect back to the page is an entry of its own", []step{
			nav("/"),
			{"navigate", args{"url": "http://shop.example/self", "tabId": "TAB"}, "{\"action\":\"navigate\",\"url\":\"http://shop.example/self\",\"title\":\"A\u00a0B\",\"elementCount\":11,\"visualSummary\":\"[Page State] url: http://shop.example/self | title: \\\"A\u00a0B\\\" | scroll: 0/1080 (0%)\\n[Headings] h4: \\\"Four\\\"\"}"},
			{"read_page", args{"tabId": "TAB"}, "...<p role=\"option\"/>one\n two\n    [8]<p role=\"textbox\"/>x ★\n"},
			{"interact", args{"tabId": "TAB", "query": "Round"}, "...[Page navigated: http://shop.example/self]"},
			{"navigate", args{"url": "back", "tabId": "TAB"}, `..."url":"http://shop.example/self"`},
			{"navigate", args{"url": "back", "tabId": "TAB"}, `..."url":"http://shop.example/"`},
		}, []string{"GET /", "GET /self", "GET /round", "GET /self"}},
		{"a fragment again", []step{
			nav("/"),
			{"interact", args{"tabId": "TAB", "query": "Section"}, "...[Page navigated: http://shop.example/#sec]"},
			{"interact", args{"tabId": "TAB", "query": "Section"}, "...[Page navigated: http://shop.example/#sec]\n[Title: \"Home\"]\n[State Summary] url: http://shop.example/#sec | scroll: 0,0 | active: none"},
			{"navigate", args{"url": "back", "tabId": "TAB"}, `..."url":"http://shop.example/"`},
		}, []string{"GET /"}},
		{"a ref dies with its page", []step{
			nav("/form"),
			{"find", args{"tabId": "TAB", "query": "you@x"}, "...[ref_1] email:"},
			{"navigate", args{"url": "http://no.invalid/"}, "ERROR Error creating tab: net::ERR_NAME_NOT_RESOLVED at http://no.invalid/"},
			nav("/form"),
			{"form_input", args{"tabId": "TAB", "ref": "ref_1", "value": "x"}, "...ERROR Error: Reference 'ref_1' not found."},
		}, nil},
		{"values as JavaScript takes them", []step{
			nav("/form"),
			{"fill_form", args{"tabId": "TAB", "fields": args{"Name": 1000000, "Red": "false", "I agree": "1"}}, "✓ Filled 3 fields\n  I agree: \"1\" → ✓\n  Name: \"1000000\" → ✓\n  Red: \"false\" → ✓"},
			fields(" name=1000000 email= agree=yes! plan=free c=r! "),
			{"fill_form", args{"tabId": "TAB", "fields": args{"I agree": 1}}, "✓ Filled 1 field\n  I agree: \"1\" → ✓"},
			fields(" agree=yes "),
			nav("/inside"),
			{"find", args{"tabId": "TAB", "query": "Plan"}, "...[ref_1] select:"},
			{"form_input", args{"tabId": "TAB", "ref": "ref_1", "value": "A\n B"}, "Selected \" A\n B \""},
		}, nil},
		{"wait_for", []step{
			nav("/"),
			{"wait_for", args{"tabId": "TAB", "type": "selector", "value": "h1"}, `{"action":"wait_for","type":"selector","selector":"h1","visible":false,"elapsed":0,"message":"Element \"h1\" found after 0ms"}`},
			{"wait_for", args{"tabId": "TAB", "type": "function", "value": `document.body.innerText.includes("Hello")`}, `{"action":"wait_for","type":"function","elapsed":0,"message":"Function returned truthy after 0ms"}`},
			{"wait_for", args{"tabId": "TAB", "type": "function", "value": `document.body.innerText.includes("Bye")`, "timeout": 300}, `ERROR {"action":"wait_for","type":"function","error":"timeout","message":"Wait timed out after 300ms"}`},
			{"wait_for", args{"tabId": "TAB", "type": "selector", "value": "nope", "timeout": 300}, `ERROR {"action":"wait_for","type":"selector","error":"timeout","message":"Wait timed out after 300ms"}`},
			{"wait_for", args{"tabId": "TAB", "type": "selector", "value": "li["}, `ERROR {"action":"wait_for","type":"selector","error":"timeout","message":"Wait timed out after 30000ms"}`},
		}, []string{"GET /"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := start(t, Options{})
			for i, st := range row.steps {
				got := s.call(st.tool, st.args)
				if part, ok := strings.CutPrefix(st.want, "..."); ok && strings.Contains(got, part) {
					continue
				}
				if diff := cmp.Diff(st.want, got); diff != "" {
					t.Fatalf("step %d %s %v (-want +got):\n%s", i, st.tool, st.args, diff)
				}
			}
			if row.requests != nil {
				need.Equal(t, "requests", row.requests, s.requests())
			}
			if doubt := s.doubt(); doubt != "" {
				t.Errorf("doubt = %q", doubt)
			}
		})
	}
}

// things are the paragraphs that find tells of on /many.
func things() (out string) {
	for i := range 19 {
		out += fmt.Sprintf("\n[ref_%d] p: \"thing or two\" at (0, 0) ★★", 5+i)
	}
	return out
}

func TestUnknownTool(t *testing.T) {
	s := start(t, Options{})
	_, err := s.raw(t.Context(), "click_element", args{})
	if !errors.Is(err, mcp.ErrInternalError) || !strings.HasSuffix(err.Error(), "Unknown tool: click_element") {
		t.Errorf("CallTool = %v, want internal error (-32603) Unknown tool: click_element", err)
	}
	if doubt := s.doubt(); doubt != "" {
		t.Errorf("doubt after a tool that no OpenChrome has = %q", doubt)
	}
	if got := s.call("page_reload", args{}); got != "ERROR stand-in: the tool page_reload is not supported; use a real browser" {
		t.Errorf("page_reload = %q", got)
	}
	need.Is(t, "doubt", "needs a real browser: the tool page_reload", s.doubt())
}

func TestListTools(t *testing.T) {
	list, err := start(t, Options{}).ListTools(t.Context(), mcp.ListToolsRequest{})
	need.OK(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Description == "" || len(tool.InputSchema.Properties) == 0 {
			t.Errorf("%s has no description or no properties", tool.Name)
		}
	}
	want := "computer cookies fill_form find form_input interact javascript_tool navigate oc_progress_status read_page tabs_context wait_for"
	need.Is(t, "tools", want, strings.Join(names, " "))
}
