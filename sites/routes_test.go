package sites

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRoutesFaults(t *testing.T) {
	files := map[string][]byte{"page.html": nil, "x.html": nil}
	for _, c := range []struct{ name, routes, want string }{
		{"empty file", ``, `r.json:1:1: not JSON: unexpected end of JSON input`},
		{"not JSON", "[\n  {\"path\": /page}]", `r.json:2:12: not JSON: invalid character '/' looking for beginning of value`},
		{"cut off", `[{"path": "/a"`, `r.json:1:14: not JSON: unexpected end of JSON input`},
		{"two values", `[] []`, `r.json:1:4: not JSON: invalid character '[' after top-level value`},
		{"not UTF-8", "[{\"path\": \"\xff\"}]", `r.json:1:12: not UTF-8; save the file as UTF-8`},
		{"object", "\n {}", `r.json:2:2: the file is an object; write a list in [ ]`},
		{"not a route", `[1]`, `r.json:1:2: a route is 1; write an object in { }
r.json:1:2: a route without path; add "path": "/…"`},
		{"unknown key", `[{"path": "/page", "stats": 200}]`, `r.json:1:20: unknown key "stats"; a route has add, file, keep, location, method, path, set, setCookie, status, when`},
		{"case counts", `[{"Path": "/page", "path": "/page"}]`, `r.json:1:3: unknown key "Path"; a route has add, file, keep, location, method, path, set, setCookie, status, when`},
		{"unknown condition", `[{"path": "/page", "when": {"cookies": {}}}]`, `r.json:1:29: unknown key "cookies"; when has cookie, empty, field, first, state`},
		{"twice", `[{"path": "/page", "path": "/x"}]`, `r.json:1:20: "path" is given twice; remove one`},
		{"no path", `[{"file": "x.html"}]`, `r.json:1:2: a route without path; add "path": "/…"`},
		{"relative path", `[{"path": "page", "file": "x.html"}]`, `r.json:1:11: path "page" does not begin with /`},
		{"query", `[{"path": "/page?a=b", "file": "x.html"}]`, `r.json:1:11: path "/page?a=b" has a query or fragment; match a query with "when": {"field": …}`},
		{"star", `[{"path": "/*/page", "file": "x.html"}]`, `r.json:1:11: path "/*/page": a * may stand only at the end, after a /`},
		{"escaped", `[{"path": "/a%20b", "file": "x.html"}]`, `r.json:1:11: path "/a%20b" is escaped; write it as it reads`},
		{"method", `[{"method": "get", "path": "/page"}]`, `r.json:1:13: method "get" is none of DELETE, GET, PATCH, POST, PUT`},
		{"status type", `[{"path": "/page", "status": "404"}]`, `r.json:1:30: status is a string; write a whole number from 200 to 599`},
		{"status fraction", `[{"path": "/page", "status": 404.5}]`, `r.json:1:30: status is 404.5; write a whole number from 200 to 599`},
		{"status null", `[{"path": "/page", "status": null}]`, `r.json:1:30: status is null; write a whole number from 200 to 599`},
		{"status too low", `[{"path": "/page", "status": 101}]`, `r.json:1:30: status is 101; write a whole number from 200 to 599`},
		{"redirect to nowhere", `[{"path": "/page", "status": 302}]`, `r.json:1:30: status 302 without a location; add "location"`},
		{"location with 200", `[{"path": "/page", "status": 200, "location": "/x"}]`, `r.json:1:30: status 200 with a location; write 303, 302, 301, 307 or 308, or leave status out for 303`},
		{"location with 304", `[{"path": "/page", "status": 304, "location": "/x"}]`, `r.json:1:30: status 304 with a location; write 303, 302, 301, 307 or 308, or leave status out for 303`},
		{"location and file", `[{"path": "/page", "file": "x.html", "location": "/x"}]`, `r.json:1:28: a file with a location, which shows none; remove one of the two`},
		{"bad location", `[{"path": "/page", "location": "x"}]`, `r.json:1:32: location "x" is neither a path that begins with / nor a URL with http:// or https://`},
		{"script location", `[{"path": "/page", "location": "javascript:1"}]`, `r.json:1:32: location "javascript:1" is neither a path that begins with / nor a URL with http:// or https://`},
		{"missing file", `[{"path": "/page", "file": "gone.html"}]`, `r.json:1:28: file "gone.html" is not in the folder of this host; add it or correct the name`},
		{"file with 204", `[{"path": "/page", "status": 204, "file": "x.html"}]`, `r.json:1:43: a file with status 204, which shows none; remove it or take another status`},
		{"no page", `[{"method": "POST", "path": "/none"}]`, `r.json:1:2: nothing to answer with: no page at /none; add "file", "location" or a "status"`},
		{"cookie name", `[{"path": "/page", "setCookie": {"a b": "c"}}]`, `r.json:1:33: setCookie "a b": http: invalid Cookie.Name`},
		{"cookie value", `[{"path": "/page", "setCookie": {"a": 1}}]`, `r.json:1:39: setCookie a is 1; write a string in quotes`},
		{"empty when", `[{"path": "/page", "when": {}}]`, `r.json:1:28: when is empty; name something or leave the key out`},
		{"empty cookie", `[{"path": "/page", "when": {"cookie": {}}}]`, `r.json:1:39: cookie is empty; name something or leave the key out`},
		{"empty list", `[{"path": "/page", "keep": []}]`, `r.json:1:28: keep is empty; name something or leave the key out`},
		{"zero times", `[{"path": "/page", "when": {"first": 0}}]`, `r.json:1:38: first is 0; write a whole number from 1 to 1000`},
		{"never reached", "[{\"path\": \"/page\"},\n {\"path\": \"/page\", \"status\": 500}]", `r.json:2:2: never reached: the route in line 1 answers every GET /page; put this one before it or give that one a when`},
		{"every fault", "[{\"path\": \"/page\", \"status\": 1},\n {\"path\": \"x\", \"keep\": [1]}]", `r.json:1:30: status is 1; write a whole number from 200 to 599
r.json:2:11: path "x" does not begin with /
r.json:2:25: keep element is 1; write a string in quotes
r.json:2:2: nothing to answer with: no page at x; add "file", "location" or a "status"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := newSite(files, func(name string) string { return name })
			if err != nil {
				t.Fatal(err)
			}
			_, err = parseRoutes([]byte(c.routes), "r.json", s)
			if err == nil {
				t.Fatal("no fault found")
			}
			if diff := cmp.Diff(c.want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRoutesFaultNamesFile(t *testing.T) {
	_, err := Open(folder(t, map[string]string{"a.test/routes.json": "[\n\n  {}]"}))
	if err == nil || !strings.Contains(err.Error(), "routes.json:3:3: a route without path") {
		t.Errorf("error %v does not lead to line 3, column 3", err)
	}
}

// Whatever is in a routes.json: no panic, faults have a place, and what was
// accepted can be served.
func FuzzRoutes(f *testing.F) {
	for _, host := range []string{"forms.test", "recovery.test", "shop.test"} {
		data, err := builtIn.ReadFile(host + "/" + routesFile)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(data))
	}
	f.Add(`[{"path": "/*", "when": {"first": 2, "state": {"a": "1"}}, "add": {"a": 1}, "status": 404}]`)
	f.Add(`[{"method": "POST", "path": "/page", "keep": ["a"], "setCookie": {"b": "c"}, "location": "http://a.test"}]`)
	f.Fuzz(func(t *testing.T, routes string) {
		files := map[string][]byte{"page.html": []byte("page"), "x.tmpl.html": []byte("{{.State.a}}"), routesFile: []byte(routes)}
		s, err := build(tree{"a.test": files}, func(_, name string) string { return name })
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, "routes.json:") {
					// Some faults quote what they found, line ends and all.
					if !strings.Contains(routes, "\\n") && !strings.Contains(routes, "\\r") {
						t.Errorf("fault without its place: %q", line)
					}
				}
			}
			return
		}
		w := s.NewWeb()
		for _, r := range s.sites["a.test"].routes {
			do(t, w, r.method, "http://a.test/page", "a=b")
			if a := r.reply(s.sites["a.test"], Page{Path: r.path}); a.status < 200 || a.status > 599 {
				t.Errorf("route %+v answers with status %d", r, a.status)
			}
		}
	})
}
