package web

import (
	"strings"
	"testing"
	"unicode"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web/route"
	"github.com/openchrome/bench/sites"
)

func TestRoutesFaultNamesFile(t *testing.T) {
	_, err := Open(folder(t, map[string]string{"a.test/routes.json": "[\n\n  {}]"}))
	need.Fails(t, err, `routes.json:3:3: /0: missing field "path"`)
}

// Whatever is in a routes.json: no panic, each fault is one line that begins
// with its place, and what was accepted can be served.
func FuzzRoutes(f *testing.F) {
	for _, host := range []string{"forms.test", "recovery.test", "shop.test"} {
		data, err := sites.FS.ReadFile(host + "/" + route.RoutesFile)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(`[{"path": "/*", "when": {"first": 2, "state": {"a": "1"}}, "add": {"a": 1}, "status": 404}]`)
	f.Add(`[{"method": "POST", "path": "/page", "keep": ["a"], "setCookie": {"b": "c"}, "location": "http://a.test"}]`)
	f.Add("5\n")
	f.Add(`[{"path": "/page", "when": {"field": {"a": {"from": "state.a", "less": 1, "atLeast": -2.5, "matches": "a|b"}}, "rows": [{"in": "l", "where": {"b": {"from": "row.a"}}, "count": {"less": 3}}]},
		"rows": [{"do": "append", "in": "l", "keep": ["a"], "set": {"b": {"from": "field.a"}}}, {"do": "change", "in": "l", "add": {"b": 1}}, {"do": "remove", "in": "l"}]}]`)
	f.Add(`[{"path": "/page", "headers": {"X-A": "b"}, "delayMs": 5, "fault": "cut"}, {"path": "/a", "fault": "hang"}, {"path": "/b", "fault": "reset"}]`)
	f.Add(`[{"path": "/page", "when": {"header": {"Authorization": "Basic a:b", "Range": {"matches": "b.*"}}}, "headers": {"Content-Type": "a/b"}},
		{"path": "/live", "stream": ["a", {"data": "b", "event": "c", "afterMs": 5}], "end": true}, {"method": "MESSAGE", "path": "/live", "set": {"a": "b"}}]`)
	f.Add(`[{"path": "/\n\u001b[2J"}, {"path": "\r\n"}, {"path": "/a", "\u009b\n": 1, "setCookie": {"\n": "\n"}, "file": "\u202e"}]`)
	f.Add(`[{"path": "/page", "when": {"field": {"a": {"matches": "((a{10}){10}){10}|(b{1000}c{1000})"}}}}]`)
	f.Fuzz(func(t *testing.T, routes string) {
		files := map[string][]byte{"page.html": []byte("page"), "x.tmpl.html": []byte("{{.State.a}}"), route.RoutesFile: []byte(routes)}
		s, err := build(tree{"a.test": files}, func(_, name string) string { return name })
		if err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "routes.json:") || strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("fault without its place, or one that could attack a terminal: %q", line)
				}
			}
			return
		}
		w := s.NewWeb()
		for _, r := range s.site("a.test").routes {
			doNow(w, r.Method, "http://a.test/page", "a=b")
			if a := s.site("a.test").routed(r, Page{Path: r.Path}); a.status < 200 || a.status > 599 {
				t.Errorf("route %+v answers with status %d", r, a.status)
			}
		}
	})
}
