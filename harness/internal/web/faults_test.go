package web

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// Faults of routes.json, state.json and JSON templates: each is reported at its place.
func TestSiteFaults(t *testing.T) {
	for _, c := range []struct {
		name, file, content string
		want                string
	}{
		{"delay", route.RoutesFile, `[{"path": "/p", "delayMs": 60001}, {"path": "/p", "delayMs": 1.5}]`, `routes.json:1:28: /0/delayMs: is 60001, want an integer from 1 to 60000
routes.json:1:36: /1: never reached: the route in line 1 answers every GET /p; move this route before it, or add a "when" to that route
routes.json:1:62: /1/delayMs: is 1.5, want an integer from 1 to 60000`},
		{"fault", route.RoutesFile, `[{"path": "/none", "fault": "rest"}]`, `routes.json:1:29: /0/fault: is "rest", want one of cut, hang, reset; did you mean "reset"?`},
		{"no answer to set", route.RoutesFile, `[{"path": "/none", "fault": "reset", "status": 500, "headers": {"X-A": "b"}, "setCookie": {"a": "b"}, "delayMs": 5}]`, `routes.json:1:48: /0/status: the fault reset sends no answer; remove status
routes.json:1:64: /0/headers: the fault reset sends no answer; remove headers
routes.json:1:91: /0/setCookie: the fault reset sends no answer; remove setCookie`},
		{"hang late", route.RoutesFile, `[{"path": "/none", "fault": "hang", "delayMs": 5}]`, `routes.json:1:48: /0/delayMs: the fault hang waits anyway; remove delayMs`},
		{"cut of nothing", route.RoutesFile, `[{"path": "/a", "fault": "cut", "location": "/p"}, {"path": "/b", "fault": "cut", "status": 204}, {"path": "/c", "fault": "cut"}]`, `routes.json:1:26: /0/fault: cuts the body, but an answer with status 303 has no body; use reset
routes.json:1:76: /1/fault: cuts the body, but an answer with status 204 has no body; use reset
routes.json:1:99: /2: nothing to answer with: there is no page at /c; add "file", "location" or a "status"`},
		{"headers", route.RoutesFile, `[{"path": "/p", "headers": {"Content-Length": "5", "Location": "/", "set-cookie": "a=b", "Content-Type": "a/b", "Retry-after": "2", "X-Content-Type-Options": "a", "X-A": 1, "X-\n": "a", "X-B": "a\nb", "X-C": ""}}]`, `routes.json:1:47: /0/headers/Content-Length: is not a header that a route can set; did you mean "Content-Language"?
routes.json:1:64: /0/headers/Location: is not a header that a route can set; use "location"
routes.json:1:83: /0/headers/set-cookie: is not a header that a route can set; use "setCookie"
routes.json:1:106: /0/headers/Content-Type: is not a header that a route can set; the extension of the file decides it
routes.json:1:128: /0/headers/Retry-after: is not a header that a route can set; did you mean "Retry-After"?
routes.json:1:159: /0/headers/X-Content-Type-Options: is not a header that a route can set; allowed: Access-Control-Allow-Credentials, Access-Control-Allow-Headers, Access-Control-Allow-Methods, Access-Control-Allow-Origin, Access-Control-Expose-Headers, Content-Disposition, Content-Language, Content-Security-Policy, Cross-Origin-Embedder-Policy, Cross-Origin-Opener-Policy, Cross-Origin-Resource-Policy, Link, Permissions-Policy, Referrer-Policy, Refresh, Retry-After, WWW-Authenticate, and names that begin with X-
routes.json:1:171: /0/headers/X-A: is 1, want a string
routes.json:1:182: /0/headers/X-\n: is not a header that a route can set; allowed: Access-Control-Allow-Credentials, Access-Control-Allow-Headers, Access-Control-Allow-Methods, Access-Control-Allow-Origin, Access-Control-Expose-Headers, Content-Disposition, Content-Language, Content-Security-Policy, Cross-Origin-Embedder-Policy, Cross-Origin-Opener-Policy, Cross-Origin-Resource-Policy, Link, Permissions-Policy, Referrer-Policy, Refresh, Retry-After, WWW-Authenticate, and names that begin with X-
routes.json:1:194: /0/headers/X-B: is "a\nb", want printable ASCII without a space at the start or end
routes.json:1:209: /0/headers/X-C: is "", want printable ASCII without a space at the start or end`},
		{"no headers", route.RoutesFile, `[{"path": "/p", "headers": {}}]`, `routes.json:1:28: /0/headers: is empty; add a name or remove the key`},
		{"conditions", route.RoutesFile, `[{"path": "/p", "when": {"field": {"a": 1, "b": {}, "c": {"lss": 1}, "d": {"less": "1"}, "e": {"matches": "("}, "f": {"from": "fields.a"}, "g": {"from": "row.a"}, "h": {"from": "state"}, "i": {"from": "state.", "matches": 1}}, "state": [], "cookie": {"a": {"atLeast": null}}}}]`, "routes.json:1:41: /0/when/field/a: is 1, want a string, or an object with from, less, atLeast or matches\nroutes.json:1:49: /0/when/field/b: is empty; add a name or remove the key\nroutes.json:1:59: /0/when/field/c/lss: unknown field \"lss\"; allowed: from, less, atLeast, matches; did you mean \"less\"?\nroutes.json:1:84: /0/when/field/d/less: is \"1\", want a number\nroutes.json:1:107: /0/when/field/e/matches: is not an RE2 pattern: missing closing ): `(`\nroutes.json:1:127: /0/when/field/f/from: is \"fields.a\", want one of field.NAME, cookie.NAME, state.NAME\nroutes.json:1:154: /0/when/field/g/from: is \"row.a\", want one of field.NAME, cookie.NAME, state.NAME\nroutes.json:1:178: /0/when/field/h/from: is \"state\", want one of field.NAME, cookie.NAME, state.NAME\nroutes.json:1:202: /0/when/field/i/from: is \"state.\", want one of field.NAME, cookie.NAME, state.NAME\nroutes.json:1:223: /0/when/field/i/matches: is 1, want a pattern\nroutes.json:1:237: /0/when/state: is an empty array, want an object\nroutes.json:1:269: /0/when/cookie/a/atLeast: is null, want a number"},
		{"set", route.RoutesFile, `[{"path": "/p", "set": {"a": 1, "b": {}, "c": {"from": "row.a"}, "d": {"from": 1, "to": 2}}}]`, `routes.json:1:30: /0/set/a: is 1, want a string, or an object with from
routes.json:1:38: /0/set/b: missing field "from"; required: from
routes.json:1:56: /0/set/c/from: is "row.a", want one of field.NAME, cookie.NAME, state.NAME
routes.json:1:80: /0/set/d/from: is 1, want one of field.NAME, cookie.NAME, state.NAME
routes.json:1:83: /0/set/d/to: unknown field "to"; allowed: from`},
		{"rows", route.RoutesFile, `[{"path": "/p", "rows": []}, {"path": "/p", "rows": [1, {}, {"do": "add", "in": "l"}, {"do": "append", "in": "l"}, {"do": "append", "in": "l", "where": {"a": "1"}, "keep": ["a"], "set": {"b": {"from": "row.a"}}}, {"do": "remove", "in": "l", "add": {"a": 1}}, {"do": "change", "in": "", "keep": ["a"]}]}]`, `routes.json:1:25: /0/rows: is empty; add a name or remove the key
routes.json:1:30: /1: never reached: the route in line 1 answers every GET /p; move this route before it, or add a "when" to that route
routes.json:1:54: /1/rows/0: is 1, want an object
routes.json:1:57: /1/rows/1: missing field "do"; required: do, in
routes.json:1:57: /1/rows/1: missing field "in"; required: do, in
routes.json:1:68: /1/rows/2/do: is "add", want one of append, change, remove
routes.json:1:87: /1/rows/3: there is nothing to write into the row; add "keep", "set" or "add"
routes.json:1:153: /1/rows/4/where: append adds a new row and compares no rows; move the condition to the route's "when"
routes.json:1:202: /1/rows/4/set/b/from: is "row.a", want one of field.NAME, cookie.NAME, state.NAME
routes.json:1:249: /1/rows/5/add: "remove" deletes the whole row and writes no columns; leave out add
routes.json:1:283: /1/rows/6/in: is "", want a non-empty string`},
		{"rows of when", route.RoutesFile, `[{"path": "/p", "when": {"rows": {}}}, {"path": "/p", "when": {"rows": [{"in": 1}, {"in": "l", "count": "2"}, {"in": "l", "count": {"less": 0}}, {"in": "l", "count": {}}, {"in": "l", "count": -1, "by": 1}, {"where": {"a": 1}}]}}]`, `routes.json:1:34: /0/when/rows: is an object, want an array of conditions
routes.json:1:80: /1/when/rows/0/in: is 1, want a non-empty string
routes.json:1:105: /1/when/rows/1/count: is "2", want an integer, or an object with less or atLeast
routes.json:1:141: /1/when/rows/2/count/less: is 0, want an integer from 1 to 1000000
routes.json:1:167: /1/when/rows/3/count: is empty; add a name or remove the key
routes.json:1:193: /1/when/rows/4/count: is -1, want an integer from 0 to 1000000
routes.json:1:197: /1/when/rows/4/by: unknown field "by"; allowed: in, where, count
routes.json:1:207: /1/when/rows/5: missing field "in"; required: in
routes.json:1:223: /1/when/rows/5/where/a: is 1, want a string, or an object with from, less, atLeast or matches`},
		{"unknown list and column", route.RoutesFile, `[{"path": "/p", "when": {"rows": [{"in": "ll"}, {"in": "l", "where": {"aa": "1", "a": {"from": "row.bb"}}}]}},
{"path": "/p", "rows": [{"do": "change", "in": "orders", "set": {"a": "1"}}, {"do": "change", "in": "l", "set": {"new": {"from": "row.nwe"}}}]}]`, `routes.json:1:42: /0/when/rows/0/in: is "ll", but there is no list of this name; add it to state.json, or append to it in a route
routes.json:1:77: /0/when/rows/1/where/aa: no row of "l" has the column "aa"; correct the name, or write the column in state.json or in a route
routes.json:1:96: /0/when/rows/1/where/a/from: no row of "l" has the column "bb"; correct the name, or write the column in state.json or in a route
routes.json:2:48: /1/rows/0/in: is "orders", but there is no list of this name; add it to state.json, or append to it in a route
routes.json:2:130: /1/rows/1/set/new/from: no row of "l" has the column "nwe"; correct the name, or write the column in state.json or in a route`},
		{"state", route.StateFile, `{"a": 1, "b": ["x", {"c": 1}, {"c": "d"}], "c": {}, "a": "twice"}`, `state.json:1:7: /a: is 1, want a string, or a list of rows
state.json:1:16: /b/0: is "x", want a row: an object of strings
state.json:1:27: /b/1/c: is 1, want a string
state.json:1:49: /c: is an object, want a string, or a list of rows
state.json:1:53: /a: duplicate key "a"; keep one of them`},
		{"state is a list", route.StateFile, `[]`, `state.json:1:1: /: is an empty array, want an object of strings and lists`},
		{"empty state", route.StateFile, ``, `state.json:1:1: /: the file is empty, want a JSON object`},
		{"state syntax", route.StateFile, "{\"a\": \"b\",\n \"l\": [{]}", `state.json:2:9: /l/0: syntax: invalid character ']' at start of value`},
		{"large state", route.StateFile, `{"a": [` + strings.Repeat("{},", (4<<20)/64) + `{}]}`, `state.json:1:1: /: is larger than 4 MiB; shorten it`},
		{"no JSON", "x.tmpl.json", "{\"a\": \"{{.Path}}\"}", `x.tmpl.json: gives no valid JSON for an empty request: invalid character '"' after object key:value pair; write no quotes around a value, because it is inserted as JSON`},
		{"JSON template syntax", "x.tmpl.json", "{\n{{if}}}", `x.tmpl.json:2: missing value for if`},
		{"JSON template field", "x.tmpl.json", "[\n{{.Nope}}]", `x.tmpl.json:2:3: <.Nope>: can't evaluate field Nope; the fields are Method, Host, Path, Query, Form, JSON, Cookie, State, List and Param`},
		{"JSON template function", "x.tmpl.json", "{{json .Path}}", `x.tmpl.json:1: function "json" not defined`},
		{"JSON template partial", "x.tmpl.json", `{{template "p.tmpl.html"}}`, `x.tmpl.json:1:12: <{{template "p.tmpl.html"}}>: template "p.tmpl.html" not defined`},
		{"JSON template and file", "data.tmpl.json", `{}`, `data.tmpl.json: answers /data.json, as data.json does; remove or rename one of the two`},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string][]byte{"p.tmpl.html": nil, "data.json": nil, "state.json": []byte(`{"l": [{"a": "", "b": ""}]}`)}
			files[c.file] = []byte(c.content)
			_, err := build(tree{"a.test": files}, func(_, name string) string { return name })
			if err == nil {
				t.Fatal("no fault found")
			}
			need.Equal(t, "error", c.want, err.Error())
		})
	}
}
