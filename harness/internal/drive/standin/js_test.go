package standin

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// Results of scripts, as OpenChrome 1.7.15 on Chromium 156 gave them, and refusals.
func TestJavaScript(t *testing.T) {
	const (
		refused = "ERROR stand-in: "
		beyond  = " is not supported; use a real browser"
	)
	for _, row := range []struct{ code, want, doubt string }{
		{code: "location.href", want: "http://shop.example/"},
		{code: "document.querySelector('a').innerText", want: "Form page"},
		{code: `document.querySelector("#f").innerText`, want: "Form page"},
		{code: evidence.Expression([]string{"body", "h1", "nope", "li["}, []string{"li", "li[", `a[href="/form"]`}), want: `{"url":"http://shop.example/","state":"complete","text":{"body":"Hello\n\nIntro text\n\nForm page\nSection\nGone\n\nMain content goes here\n\nSection head\n\nMore","h1":"Hello","nope":null},"count":{"li":3,"a[href=\"/form\"]":1},` +
			`"errors":{"dom_text li[":"Failed to execute 'querySelector' on 'Document': 'li[' is not a valid selector.","dom_count li[":"Failed to execute 'querySelectorAll' on 'Document': 'li[' is not a valid selector."}}`},
		{code: "document.querySelector('li[').innerText", want: "ERROR JavaScript error: SyntaxError: Failed to execute 'querySelector' on 'Document': 'li[' is not a valid selector."},
		{code: "document.querySelector('nope').innerText", want: "ERROR JavaScript error: TypeError: Cannot read properties of null (reading 'innerText')"},
		{code: "", want: "ERROR Error: code is required (JS code to execute)"},
		{"document.querySelector(':is(a)').innerText", refused + "the selector :is" + beyond, "needs a real browser: the selector :is"},
		{evidence.Expression(nil, []string{":is(a)"}), refused + "the selector :is" + beyond, "needs a real browser: the selector :is"},
		{"document.title", refused + noScript + beyond, "needs a real browser: " + noScript},
		{"document.body.innerText = 'x'", refused + noScript + beyond, "needs a real browser: " + noScript},
		{"document.querySelector('a\\'').innerText", refused + noScript + beyond, "needs a real browser: " + noScript},
	} {
		s := start(t, Options{})
		s.call("navigate", args{"url": "http://shop.example/"})
		if got := s.call("javascript_tool", args{"tabId": "TAB", "code": row.code}); got != row.want {
			t.Errorf("%s\n got %q\nwant %q", row.code, got, row.want)
		}
		if doubt := s.doubt(); doubt != row.doubt {
			t.Errorf("%s: doubt = %q, want %q", row.code, doubt, row.doubt)
		}
	}
}
