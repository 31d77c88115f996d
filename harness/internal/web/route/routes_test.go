package route

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
)

// host has the pages page.html and x.html.
var host = Host{
	Start:   NewState(),
	HasFile: func(name string) bool { return slices.Contains([]string{"page.html", "x.html"}, name) },
	HasPage: func(path string) bool { return slices.Contains([]string{"/page", "/page.html", "/x", "/x.html"}, path) },
}

func TestRoutesFaults(t *testing.T) {
	for _, c := range []struct{ name, routes, want string }{
		{"empty file", ``, `r.json:1:1: /: the file is empty, want an array of routes`},
		{"not JSON", "[\n  {\"path\": /page}]", `r.json:2:12: /0/path: syntax: invalid character '/' at start of value`},
		{"before a syntax error", `[{"path": "/a", "status": 1}, {"add": {"a": 1.5}, "when": {x`, `r.json:1:27: /0/status: is 1, want an integer from 200 to 599
r.json:1:45: /1/add/a: is 1.5, want an integer from -1000 to 1000
r.json:1:60: /1/when: syntax: invalid character 'x' at start of value`},
		{"cut off", `[{"path": "/a"`, `r.json:1:15: /0: syntax: the file ends here`},
		{"two values", `[] []`, `r.json:1:4: /: syntax: more follows after the end of the value, want one value per file; remove it`},
		{"not UTF-8", "[{\"path\": \"\xff\"}]", `r.json:1:11: /0/path: is "�", want a path that begins with /
r.json:1:12: /0/path: byte 0xff is not UTF-8; save the file as UTF-8`},
		{"object", "\n {}", `r.json:2:2: /: is an object, want an array of routes`},
		{"not a route", `[1]`, `r.json:1:2: /0: is 1, want an object`},
		{"unknown key", `[{"path": "/page", "stats": 200}]`, `r.json:1:20: /0/stats: unknown field "stats"; allowed: path, method, when, keep, set, add, rows, setCookie, headers, delayMs, fault, status, location, file, wrong, receipt; did you mean "status"?`},
		{"case counts", `[{"Path": "/page", "path": "/page"}]`, `r.json:1:3: /0/Path: unknown field "Path" (keys are case-sensitive); allowed: path, method, when, keep, set, add, rows, setCookie, headers, delayMs, fault, status, location, file, wrong, receipt; did you mean "path"?`},
		{"unknown condition", `[{"path": "/page", "when": {"cookies": {}}}]`, `r.json:1:29: /0/when/cookies: unknown field "cookies"; allowed: empty, field, query, cookie, state, rows, first; did you mean "cookie"?`},
		{"twice", `[{"path": "/page", "path": "/x"}]`, `r.json:1:20: /0/path: duplicate key "path"; keep one of them`},
		{"no path", `[{"file": "x.html"}]`, `r.json:1:2: /0: missing field "path"; required: path`},
		{"relative path", `[{"path": "page", "file": "x.html"}]`, `r.json:1:11: /0/path: is "page", want a path that begins with /`},
		{"query", `[{"path": "/page?a=b", "file": "x.html"}]`, `r.json:1:11: /0/path: is "/page?a=b", which has a query or fragment; match a query with "when": {"field": …}`},
		{"star", `[{"path": "/*/page", "file": "x.html"}]`, `r.json:1:11: /0/path: is "/*/page"; a * may stand only at the end, after a /`},
		{"escaped", `[{"path": "/a%20b", "file": "x.html"}]`, `r.json:1:11: /0/path: is "/a%20b", which is escaped; write it unescaped`},
		{"method", `[{"method": "get", "path": "/page"}]`, `r.json:1:13: /0/method: is "get", want one of DELETE, GET, PATCH, POST, PUT; did you mean "GET"?`},
		{"status type", `[{"path": "/page", "status": "404"}]`, `r.json:1:30: /0/status: is "404", want an integer from 200 to 599`},
		{"status fraction", `[{"path": "/page", "status": 404.5}]`, `r.json:1:30: /0/status: is 404.5, want an integer from 200 to 599`},
		{"status null", `[{"path": "/page", "status": null}]`, `r.json:1:30: /0/status: is null, want an integer from 200 to 599`},
		{"status too low", `[{"path": "/page", "status": 101}]`, `r.json:1:30: /0/status: is 101, want an integer from 200 to 599`},
		{"redirect to nowhere", `[{"path": "/page", "status": 302}]`, `r.json:1:30: /0/status: is 302 without a location; add "location"`},
		{"location with 200", `[{"path": "/page", "status": 200, "location": "/x"}]`, `r.json:1:30: /0/status: is 200 with a location; write 303, 302, 301, 307 or 308, or leave status out for 303`},
		{"location with 304", `[{"path": "/page", "status": 304, "location": "/x"}]`, `r.json:1:30: /0/status: is 304 with a location; write 303, 302, 301, 307 or 308, or leave status out for 303`},
		{"location and file", `[{"path": "/page", "file": "x.html", "location": "/x"}]`, `r.json:1:28: /0/file: a redirect shows no file; remove file or location`},
		{"bad location", `[{"path": "/page", "location": "x"}]`, `r.json:1:32: /0/location: is "x", want a path that begins with / or a URL with http:// or https://`},
		{"bad in itself", `[{"path": "/a", "status": 301, "location": 1}, {"path": "/b", "file": 1}, {"path": "/c", "status": 1}, {"path": 1},
{"path": "/page", "when": {"first": 0}}, {"path": "/page"}]`, `r.json:1:44: /0/location: is 1, want a path that begins with / or a URL with http:// or https://
r.json:1:71: /1/file: is 1, want the name of a file
r.json:1:100: /2/status: is 1, want an integer from 200 to 599
r.json:1:113: /3/path: is 1, want a path that begins with /
r.json:2:37: /4/when/first: is 0, want an integer from 1 to 1000`},
		{"script location", `[{"path": "/page", "location": "javascript:1"}]`, `r.json:1:32: /0/location: is "javascript:1", want a path that begins with / or a URL with http:// or https://`},
		{"missing file", `[{"path": "/page", "file": "gone.html"}]`, `r.json:1:28: /0/file: is "gone.html", which is not in the folder of this host; add it or correct the name`},
		{"file with 204", `[{"path": "/page", "status": 204, "file": "x.html"}]`, `r.json:1:43: /0/file: status 204 shows no file; remove the file or use another status`},
		{"no page", `[{"method": "POST", "path": "/none"}]`, `r.json:1:2: /0: nothing to answer with: there is no page at /none; add "file", "location" or a "status"`},
		{"cookie name", `[{"path": "/page", "setCookie": {"a b": "c"}}]`, `r.json:1:41: /0/setCookie/a b: is not a valid cookie: http: invalid Cookie.Name`},
		{"cookie byte", `[{"path": "/page", "setCookie": {"a": "\n"}}]`, `r.json:1:39: /0/setCookie/a: is not a valid cookie: http: invalid byte '\n' in Cookie.Value`},
		{"cookie value", `[{"path": "/page", "setCookie": {"a": 1}}]`, `r.json:1:39: /0/setCookie/a: is 1, want a string, or an object with value`},
		{"empty when", `[{"path": "/page", "when": {}}]`, `r.json:1:28: /0/when: is empty; add a name or remove the key`},
		{"cookie attributes", `[{"path": "/page", "setCookie": {"a": {}, "b": {"value": 1, "path": "x", "secure": "yes", "httpOnly": 1, "sameSite": "lax", "maxAge": 5, "domain": "x"}}}]`, `r.json:1:39: /0/setCookie/a: missing field "value"; required: value
r.json:1:58: /0/setCookie/b/value: is 1, want a string
r.json:1:69: /0/setCookie/b/path: is "x", want a path that begins with /
r.json:1:84: /0/setCookie/b/secure: is "yes", want true or false
r.json:1:103: /0/setCookie/b/httpOnly: is 1, want true or false
r.json:1:118: /0/setCookie/b/sameSite: is "lax", want one of Lax, None, Strict; did you mean "Lax"?
r.json:1:135: /0/setCookie/b/maxAge: is 5, want an integer from 3600 to 31536000
r.json:1:138: /0/setCookie/b/domain: unknown field "domain"; allowed: value, path, secure, httpOnly, sameSite, maxAge`},
		{"ignored cookies", `[{"path": "/page", "setCookie": {"a": {"value": "1", "sameSite": "None"}, "__Secure-b": "1", "__Host-c": {"value": "1", "secure": true, "path": "/x"}, "d": {"value": "", "maxAge": 7200}}}]`, `r.json:1:66: /0/setCookie/a/sameSite: browsers ignore a cookie with sameSite None unless it is secure; add "secure": true
r.json:1:89: /0/setCookie/__Secure-b: browsers ignore a cookie with this name unless it is secure; add "secure": true
r.json:1:145: /0/setCookie/__Host-c/path: browsers ignore a cookie with this name unless its path is /; remove the path
r.json:1:181: /0/setCookie/d/maxAge: an empty value deletes the cookie; remove maxAge`},
		{"empty cookie", `[{"path": "/page", "when": {"cookie": {}}}]`, `r.json:1:39: /0/when/cookie: is empty; add a name or remove the key`},
		{"empty list", `[{"path": "/page", "keep": []}]`, `r.json:1:28: /0/keep: is empty; add a name or remove the key`},
		{"zero times", `[{"path": "/page", "when": {"first": 0}}]`, `r.json:1:38: /0/when/first: is 0, want an integer from 1 to 1000`},
		{"never reached", "[{\"path\": \"/page\"},\n {\"path\": \"/page\", \"status\": 500}]", `r.json:2:2: /1: never reached: the route in line 1 answers every GET /page; move this route before it, or add a "when" to that route`},
		{"hostile", `[{"path": "/\n\u001b", "method": "\n"}, {"path": "/\n\u001b", "file": "\n", "\n": 1}, {"path": "/\n\u001b"}]`, `r.json:1:2: /0: nothing to answer with: there is no page at /\n\x1b; add "file", "location" or a "status"
r.json:1:34: /0/method: is "\n", want one of DELETE, GET, PATCH, POST, PUT
r.json:1:71: /1/file: is "\n", which is not in the folder of this host; add it or correct the name
r.json:1:77: /1/\n: unknown field "\n"; allowed: path, method, when, keep, set, add, rows, setCookie, headers, delayMs, fault, status, location, file, wrong, receipt
r.json:1:87: /2: never reached: the route in line 1 answers every GET /\n\x1b; move this route before it, or add a "when" to that route
r.json:1:87: /2: nothing to answer with: there is no page at /\n\x1b; add "file", "location" or a "status"`},
		{"every fault", "[{\"path\": \"/page\", \"status\": 1},\n {\"path\": \"x\", \"keep\": [1]},\n {\"path\": \"/none\", \"when\": {\"first\": 1.5}}]", `r.json:1:30: /0/status: is 1, want an integer from 200 to 599
r.json:2:11: /1/path: is "x", want a path that begins with /
r.json:2:25: /1/keep/0: is 1, want a name
r.json:3:2: /2: nothing to answer with: there is no page at /none; add "file", "location" or a "status"
r.json:3:38: /2/when/first: is 1.5, want an integer from 1 to 1000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.routes), "r.json", host)
			if err == nil {
				t.Fatal("no fault found")
			}
			need.Equal(t, "error", c.want, err.Error())
		})
	}
}

// Where a string is a value to compare with or to keep, it may be empty.
func TestRoutesEmptyStrings(t *testing.T) {
	got, err := Parse([]byte(`[{"path": "/page", "when": {"empty": [""], "field": {"a": ""}, "cookie": {"b": ""}, "state": {"c": " "}},
		"keep": [""], "set": {"d": ""}, "setCookie": {"e": ""}}]`), "r.json", host)
	need.OK(t, err.Err())
	want := []*Route{{
		Method: "GET", Path: "/page", Status: 200,
		empty: []string{""}, field: []pair{{"a", ""}}, cookie: []pair{{"b", ""}}, state: []pair{{"c", " "}},
		keep: []string{""}, set: []pair{{"d", ""}}, Cookies: []*http.Cookie{{Name: "e", Path: "/", MaxAge: -1}},
	}}
	need.Equal(t, "routes", want, got, cmp.AllowUnexported(Route{}, pair{}, sum{}))
}
