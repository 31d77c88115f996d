package standin

import (
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Results of expressions, as OpenChrome 1.7.15 on Chromium 156 gave them.
func TestJavaScript(t *testing.T) {
	s := start(t, Options{})
	s.call("navigate", args{"url": "http://shop.example/"})
	for _, row := range []struct{ code, want string }{
		{"document.title", "Home"},
		{"location.href + location.pathname + document.URL", "http://shop.example//http://shop.example/"},
		{"''", ""},
		{"undefined", "undefined"},
		{"null", "null"},
		{"1/0", "Infinity"},
		{"() => 1", "() => 1"},
		{"new Date(0)", `"1970-01-01T00:00:00.000Z"`},
		{"({a:1,b:[1,2,{c:undefined}]})", "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2,\n    {}\n  ]\n}"},
		{"document.querySelector('a')", `<a id="f">`},
		{"document.querySelector('main')", "<main>"},
		{"document.querySelector('nope')", "null"},
		{"document.querySelectorAll('a')", "[3 elements]"},
		{"Object.keys(document.querySelectorAll('a'))", "[\n  \"0\",\n  \"1\",\n  \"2\"\n]"},
		{"Array.from(document.querySelectorAll('li')).map(e => e.textContent).join('|')", "Form page|Section|Gone"},
		{"[...document.querySelectorAll('li')].length", "3"},
		{"document.querySelectorAll('li')[1].innerText + document.querySelectorAll('li')[2].innerText", "SectionGone"},
		{"document.querySelectorAll('li')[9]", "undefined"},
		{"document.querySelectorAll('li').map", "undefined"},
		{"document.querySelector('a').href + document.querySelector('a').getAttribute('href')", "http://shop.example/form/form"},
		{"document.body.getAttribute('x')", "null"},
		{"document.querySelector('ul').tagName + document.querySelector('a').id + document.body.className", "ULf"},
		{"document.querySelector('a') === document.querySelector('#f')", "true"},
		{"JSON.stringify({a: document.body, b: [1]})", `{"a":{},"b":[1]}`},
		{"Promise.resolve(3)", "{}"},
		{factsExpression, `{"url":"http://shop.example/","text":{"body":"Hello\n\nIntro text\n\nForm page\nSection\nGone\n\nMain content goes here\n\nSection head\n\nMore","h1":"Hello"},"count":{"li":3},"errors":{}}`},
		{strings.Replace(factsExpression, `["h1"]`, `["li["]`, 1), `{"url":"http://shop.example/","text":{"body":"Hello\n\nIntro text\n\nForm page\nSection\nGone\n\nMain content goes here\n\nSection head\n\nMore"},"count":{"li":3},"errors":{"dom_text li[":"Failed to execute 'querySelector' on 'Document': 'li[' is not a valid selector."}}`},
		{"document.querySelector('li[')", "ERROR JavaScript error: SyntaxError: Failed to execute 'querySelector' on 'Document': 'li[' is not a valid selector."},
		{"document.body.querySelectorAll('li[')", "ERROR JavaScript error: SyntaxError: Failed to execute 'querySelectorAll' on 'Element': 'li[' is not a valid selector."},
		{"a b", "ERROR JavaScript error: SyntaxError: (anonymous): Line 1:3 Unexpected identifier"},
		{"(() => { throw new Error('boom') })()", "ERROR JavaScript error: Error: boom"},
		{"(() => { throw 'str' })()", "ERROR JavaScript error: Uncaught"},
		{"", "ERROR Error: code is required (JS code to execute)"},
	} {
		if got := s.call("javascript_tool", args{"tabId": "TAB", "code": row.code}); got != row.want {
			t.Errorf("%s\n got %q\nwant %q", row.code, got, row.want)
		}
	}
	if doubt := s.doubt(); doubt != "" {
		t.Errorf("doubt = %q", doubt)
	}
}

// What the view cannot do is refused in words, whatever the code does to
// catch it, and makes the session inconclusive.
func TestJavaScriptRefuses(t *testing.T) {
	const tooMuch = "code that is too long, has too large numbers, or has statements"
	for code, what := range map[string]string{
		"document.foo":                          "document.foo",
		"document.body.innerHTML":               "element.innerHTML",
		"document.body.getBoundingClientRect()": "element.getBoundingClientRect",
		"document.title = 'x'":                  "changing document.title",
		"delete document.title":                 "changing document.title",
		"location.href = '/'":                   "changing location.href",
		"fetch('/')":                            "window.fetch",
		"typeof localStorage":                   "window.localStorage",
		"setTimeout(() => 1)":                   "window.setTimeout",
		"getComputedStyle(document.body)":       "window.getComputedStyle",
		"window.x = 1":                          "window.x",
		"y = 1":                                 "window.y",
		"let q = 5":                             "code that is not one expression",
		"nope()":                                "window.nope",
		"document.querySelector('h1').value":    "element.value",
		"location":                              "showing the location",
		"'x'.repeat(9999999).repeat(9999)":      tooMuch, // would end the process
		"Array(1e9).fill(0)":                    tooMuch,
		"((s, i) => { while (i < 9999999) { s += s , i++ } })('xxxxxxxx', 0)": "code that needs too much memory",
		"document.querySelector(':is(a)')":                                    "the selector :is",
		"(() => { try { document.foo } catch (e) { } })()":                    "document.foo",
		"document":                               "showing the document",
		"1; 2":                                   tooMuch,
		"10n":                                    "showing this value",
		"Symbol('x')":                            "showing this value",
		"new Map([[1, 2]])":                      "showing this value",
		"/* nothing */":                          "code that is not one expression",
		"document.querySelectorAll('a').item(0)": "NodeList.item",
		"JSON.stringify(document.querySelectorAll('a'))": "NodeList.toJSON",
		"String(document.querySelectorAll('a'))":         "NodeList.toString",
		"document.title // return":                       tooMuch,
		"await 3":                                        tooMuch,
		strings.Repeat("[", 40000):                       tooMuch,
	} {
		s := start(t, Options{})
		s.call("navigate", args{"url": "http://shop.example/"})
		if got, want := s.call("javascript_tool", args{"tabId": "TAB", "code": code}), "ERROR stand-in: "+what+" is not supported; use a real browser"; got != want {
			t.Errorf("%.80s\n got %q\nwant %q", code, got, want)
		}
		if got, want := s.doubt(), "needs a real browser: "+what; got != want {
			t.Errorf("%.80s: doubt = %q, want %q", code, got, want)
		}
	}
}

func TestJavaScriptIsBounded(t *testing.T) {
	s := start(t, Options{})
	s.call("navigate", args{"url": "http://shop.example/"})
	deep := maxCode - 10
	for code, want := range map[string]string{
		"(() => { while (true) {} })()":                                 "ERROR JavaScript execution error: JS execution timed out after 50ms",
		"(f => f(f))(f => f(f))":                                        "ERROR JavaScript error: RangeError: Maximum call stack size exceeded",
		strings.Repeat("[", deep):                                       "ERROR JavaScript error: SyntaxError",
		strings.Repeat("-~", deep/2) + "1":                              "",
		strings.Repeat("(", deep/2) + "1" + strings.Repeat(")", deep/2): "1",
	} {
		begin := time.Now()
		got := s.call("javascript_tool", args{"tabId": "TAB", "code": code, "timeout": map[bool]int{true: 50, false: 4000}[strings.Contains(code, "while")]})
		if !strings.HasPrefix(got, want) {
			t.Errorf("%.80s = %.200q, want %q", code, got, want)
		}
		if took := time.Since(begin); took > 30*time.Second { // far above what it takes, for a busy machine
			t.Errorf("%.80s took %v", code, took)
		}
	}
	// The session goes on.
	if got := s.call("javascript_tool", args{"tabId": "TAB", "code": "document.title"}); got != "Home" {
		t.Errorf("document.title = %q", got)
	}
}

func TestJavaScriptIsCancelled(t *testing.T) {
	s := start(t, Options{})
	s.call("navigate", args{"url": "http://shop.example/"})
	ctx := within(t, 30*time.Millisecond)
	r, err := s.raw(ctx, "javascript_tool", args{"tabId": "TAB", "code": "(() => { while (true) {} })()"})
	if err == nil {
		t.Errorf("CallTool = %v, want an error", r.Content[0].(mcp.TextContent).Text)
	}
}
