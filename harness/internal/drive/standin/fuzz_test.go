package standin

import (
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// Whatever the code, javascript_tool answers in time and the session goes on.
func FuzzExpression(f *testing.F) {
	for _, code := range []string{evidence.Expression([]string{"h1"}, []string{"li"}), "document.querySelector('li[')", "/^*/", "((((", "[...document.querySelectorAll('*')].map(e => e.innerText)",
		"await x", "a => a", "`${1}`", "({...document})", "new Proxy({}, {})", "JSON.stringify(location)",
		"document.body[Symbol.iterator]", "Object.assign({}, document.body)", "eval('1')", "Function('return this')()", "return 1", "1;\n2", "for(;;);"} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		s := start(t, Options{})
		s.call("navigate", args{"url": "http://shop.example/"})
		begin := time.Now()
		s.call("javascript_tool", args{"tabId": "TAB", "code": code, "timeout": 200})
		if took := time.Since(begin); took > 50*time.Second {
			t.Errorf("%q took %v", code, took)
		}
		if got := s.call("javascript_tool", args{"tabId": "TAB", "code": "document.title"}); got != "Home" {
			t.Errorf("after %q: %q", code, got)
		}
	})
}
