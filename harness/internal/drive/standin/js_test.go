package standin

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// Results of expressions, as OpenChrome 1.7.15 on Chromium 156 gave them.
func TestJavaScript(t *testing.T) {
	s := start(t, Options{})
	s.call("navigate", args{"url": "http://shop.example/"})
	for _, row := range []struct{ code, want string }{
		{"document.title", "Home"},
		{"location.href + location.pathname + document.URL", "http://shop.example//http://shop.example/"},
		{"''", ""},
		{"null", "null"},
		{"[1, [null, 'a'], true]", "[\n  1,\n  [\n    null,\n    \"a\"\n  ],\n  true\n]"},
		{"document.querySelector('a')", `<a id="f">`},
		{"document.querySelector('main')", "<main>"},
		{"document.querySelector('nope')", "null"},
		{"document.querySelectorAll('a')", "[3 elements]"},
		{"[...document.querySelectorAll('li')].map(e => e.textContent).join('|')", "Form page|Section|Gone"},
		{"[...document.querySelectorAll('li')].length + 1", "4"},
		{"document.querySelectorAll('li')[1].innerText + document.querySelectorAll('li')[2].innerText", "SectionGone"},
		{"document.querySelectorAll('li')[9]", "undefined"},
		{"document.querySelector('a').href + document.querySelector('a').getAttribute('href')", "http://shop.example/form/form"},
		{"document.body.getAttribute('x')", "null"},
		{"document.querySelector('ul').tagName + document.querySelector('a').id + document.body.className", "ULf"},
		{"document.querySelector('a') === document.querySelector('#f')", "true"},
		{"document.getElementById('f').textContent !== 'x' && 1 == 1 || null.x", "true"},
		{"!document.querySelector('nope') ? 'a\\'b' : 0", "a'b"},
		{"[3, 10, 2].sort((a, b) => a - b).slice(0, 2).join()", "2,3"},
		{"['1,204.10', '0.205'].map(c => Math.round(c.replace(',', '') * 100)).reduce((sum, c) => sum + c, 0) / 8", "15053.875"},
		{"(1 + 2 * 3 - 8 / 4).toFixed(2) + [[1], null].join() + (2 - 5)", "5.001,-3"},
		{"[1, 2].join([][0]) + [1, 2].join(null) + 1.25.toFixed(2)", "1,21null21.25"},
		{"['ab', 'b'].filter((t, i, all) => t.includes('a') === (i == 0)).length", "2"},
		{evidence.Expression([]string{"body", "h1", "nope", "li["}, []string{"li", "li[", `a[href="/form"]`}), `{"url":"http://shop.example/","state":"complete","text":{"body":"Hello\n\nIntro text\n\nForm page\nSection\nGone\n\nMain content goes here\n\nSection head\n\nMore","h1":"Hello","nope":null},"count":{"li":3,"a[href=\"/form\"]":1},` +
			`"errors":{"dom_text li[":"Failed to execute 'querySelector' on 'Document': 'li[' is not a valid selector.","dom_count li[":"Failed to execute 'querySelectorAll' on 'Document': 'li[' is not a valid selector."}}`},
		{"document.querySelector('li[')", "ERROR JavaScript error: SyntaxError: Failed to execute 'querySelector' on 'Document': 'li[' is not a valid selector."},
		{"document.body.querySelectorAll('li[')", "ERROR JavaScript error: SyntaxError: Failed to execute 'querySelectorAll' on 'Element': 'li[' is not a valid selector."},
		{"document.querySelector('nope').innerText", "ERROR JavaScript error: TypeError: Cannot read properties of null (reading 'innerText')"},
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

// What the view cannot do is refused in words, and makes the session inconclusive.
func TestJavaScriptRefuses(t *testing.T) {
	doubling := "[...document.querySelectorAll('*'), ...document.querySelectorAll('*')].reduce((text, e) => text + text, 'x')"
	text := "[" + strings.Repeat("1,", 16) + "].reduce((s, x) => s + s, 'x')"
	wide := func(n int) string { // an array of 2^n items
		return "[" + strings.Repeat("1,", n) + "].reduce((s, x) => [...s, ...s], [1])"
	}
	for code, what := range map[string]string{
		"document.foo":                           "document.foo",
		"document.body.innerHTML":                "element.innerHTML",
		"document.body.getBoundingClientRect()":  "element.getBoundingClientRect",
		"document.title = 'x'":                   noScript,
		"delete document.title":                  noScript,
		"fetch('/')":                             noScript,
		"localStorage.x":                         "window.localStorage",
		"typeof localStorage":                    noScript,
		"let q = 5":                              noScript,
		"document.querySelector('h1').value":     "element.value",
		"location":                               "showing the location",
		"document":                               "showing the document",
		"Math":                                   "showing the Math",
		"document.querySelector(':is(a)')":       "the selector :is",
		"1; 2":                                   noScript,
		"a b":                                    noScript,
		"10n":                                    noScript,
		"1 / 0":                                  "showing such a number",
		"/* nothing */":                          noScript,
		"document.querySelectorAll('a').item(0)": "NodeList.item",
		"document.querySelectorAll('a').map(a => a.id)": "NodeList.map",
		"document.title.length":                         "string.length",
		"[1.005].map(x => x.toFixed(2)).join()":         "number.toFixed",
		"'a' * 2":                                       "a number from string",
		"'1' == 1":                                      "comparing string with number",
		"document.title // return":                      noScript,
		"await 3":                                       noScript,
		"(() => 1)()":                                   noScript,
		"[x => x]":                                      "showing the function",
		"[1].map(location, b => b)":                     "array.map",
		"[1].map((a, b, c, d) => 1)":                    noScript,
		"[1].map(1)":                                    "array.map",
		"[1].map(f => f(f))":                            noScript,
		"'a'.replace('a', '$&')":                        "string.replace",
		"a--b":                                          noScript,
		doubling:                                        "an expression that takes so long",
		"[...document.title]":                           "the items of string",
		"[[1]].filter(x => x.includes(1))":              "array.includes",
		"[1].reduce((a, b) => a + b)":                   "array.reduce",
		"[...document.querySelectorAll('a')] + ''":      "the text of element",
		"[document.querySelectorAll('a')]":              "showing the NodeList",
		"[f => [f].map(f)].map(f => [f].map(f))":        tooLong,
		"[f => " + strings.Repeat("!", 9000) + "[f].map(f)].map(f => [f].map(f))": tooLong,
		wide(10) + ".reduce((s, x) => [s], 1)":                                    tooLong,
		wide(10) + ".reduce((s, x) => [s], 1) + ''":                               tooLong,
		// Few values are made, but many are shown.
		"[" + strings.Repeat("1,", 18) + "].reduce((s, x) => [s, s], [1])":                tooLong,
		"[" + text + "].map(t => " + wide(8) + ".map(x => t))":                            tooLong,
		"[" + text + "].map(t => " + wide(8) + ".map(x => t + '').length)":                tooLong,
		"[" + text + "].map(t => " + wide(8) + ".map(x => [t].join()).length)":            tooLong,
		"[" + text + "].map(t => " + wide(8) + ".map(x => t.replace('x', '')).length)":    tooLong,
		"[" + wide(16) + "].map(a => " + wide(8) + ".map(x => a.slice(0, 65536)).length)": tooLong,
		wide(13) + ".map(x => [" + strings.Repeat("1,", 2000) + "]).length":               tooLong,
		"1.toFixed(2)":                           noScript,
		"(999999999999999 * 9999999).toFixed(2)": "number.toFixed",
		"(0 * (0 - 1)).toFixed(2)":               "number.toFixed",
		strings.Repeat("[", 40000):               noScript,
		strings.Repeat("[", maxCode):             noScript,
		strings.Repeat("(", maxCode/2-1) + "1":   noScript,
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
		strings.Repeat("!", deep) + "1":                                 "true",
		strings.Repeat("(", deep/2) + "1" + strings.Repeat(")", deep/2): "1",
	} {
		if got := s.call("javascript_tool", args{"tabId": "TAB", "code": code}); got != want {
			t.Errorf("%.80s = %.200q, want %q", code, got, want)
		}
	}
	if got, want := s.call("javascript_tool", args{"tabId": "TAB", "code": "document.title + ''", "timeout": 1e-6}), "ERROR JavaScript execution error: JS execution timed out after 1e-06ms"; got != want {
		t.Errorf("after its time: %q, want %q", got, want)
	}
	// The session goes on.
	if got := s.call("javascript_tool", args{"tabId": "TAB", "code": "document.title"}); got != "Home" {
		t.Errorf("document.title = %q", got)
	}
}
