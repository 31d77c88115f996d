package web

import (
	"strings"
	"sync"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// visit sends "METHOD path [body] [| cookie]" and returns
// "status [location] [cookie set] [body]", which makes the tables below short.
func visit(t *testing.T, w *Web, step string) string {
	t.Helper()
	step, cookie, _ := strings.Cut(step, " | ")
	f := append(strings.Fields(step), "")
	var cookies []string
	if cookie != "" {
		cookies = []string{cookie}
	}
	r := do(t, w, f[0], "http://a.test"+f[1], f[2], cookies...)
	out := r.Result().Status[:3]
	for _, h := range []string{"Location", "Set-Cookie"} {
		for _, v := range r.Header()[h] {
			out += " " + v
		}
	}
	if body := strings.TrimSpace(r.Body.String()); body != "" && !strings.HasPrefix(body, "<!doctype") {
		out += " " + body
	}
	return out
}

func TestRoutes(t *testing.T) {
	files := map[string]string{
		"index.html":        "home",
		"page.html":         "page",
		"error.html":        "error",
		"form.tmpl.html":    "form {{.Form.name}}",
		"show.tmpl.html":    "state {{.State.name}} {{.State.n}} {{num .State.n | add 1 | mul 2}} {{blank .State.name}}",
		"_gate.html":        "inside",
		"area/hidden.html":  "hidden",
		"cookie.tmpl.html":  "cookie {{.Cookie.who}}",
		"reading/more.html": "more",
	}
	for _, c := range []struct {
		name, routes string
		steps        []string // step, answer, step, answer, …
	}{
		{"redirects", `[{"path": "/old", "status": 301, "location": "/page"}, {"path": "/out", "location": "https://b.test/x"}]`, []string{
			"GET /old", "301 /page", "GET /old?q=1", "301 /page", "HEAD /old", "301 /page", "POST /old", "405 this page does not take \"POST\"",
			"GET /out", "303 https://b.test/x"}},
		{"post, redirect, get", `[
			{"method": "POST", "path": "/form", "when": {"empty": ["name", "mail"]}, "status": 422, "file": "form.tmpl.html"},
			{"method": "POST", "path": "/form", "keep": ["name"], "status": 303, "location": "/show"}]`, []string{
			"GET /form?name=q", "200 form",
			"POST /form name=Ada", "422 form Ada",
			"POST /form name=Ada&mail=+", "422 form Ada",
			"GET /show", "200 state   2 true",
			"POST /form name=<b>&mail=x", "303 /show",
			"GET /show", "200 state &lt;b&gt;  2 false",
			"POST /form mail=y&name=a&name=b", "303 /show",
			"GET /show", "200 state a, b  2 false"}},
		{"fails first", `[{"path": "/page", "when": {"first": 2}, "status": 503, "file": "error.html"}]`, []string{
			"GET /page", "503 error", "GET /", "200 home", "GET /page", "503 error", "GET /page", "200 page", "GET /page", "200 page"}},
		{"fails first, for one field", `[{"path": "/page", "when": {"first": 1, "field": {"n": "1"}}, "status": 500}]`, []string{
			"GET /page", "200 page", "GET /page?n=1", "500", "GET /page?n=1", "200 page"}},
		{"cookie gate", `[
			{"path": "/area/*", "when": {"cookie": {"in": "yes"}}},
			{"path": "/area/*", "status": 302, "location": "/page"},
			{"method": "POST", "path": "/in", "setCookie": {"in": "yes", "who": "ada"}, "status": 204},
			{"method": "POST", "path": "/out", "setCookie": {"in": ""}, "location": "/"}]`, []string{
			"GET /area/hidden", "302 /page",
			"GET /area", "302 /page",
			"GET /areas", "404",
			"POST /in", "204 in=yes; Path=/ who=ada; Path=/",
			"GET /area/hidden | in=yes", "200 hidden",
			"GET /area/none | in=yes", "404",
			"GET /area/hidden | in=no", "302 /page",
			"GET /cookie | who=ada; in=yes; who=bob", "200 cookie ada",
			"POST /out", "303 / in=; Path=/; Max-Age=0"}},
		{"cookie attributes", `[
			{"path": "/set", "setCookie": {"a": {"value": "1", "path": "/area", "secure": true, "httpOnly": true, "sameSite": "None", "maxAge": 7200}, "b": {"value": "2"}, "__Host-c": {"value": "3", "secure": true, "sameSite": "Strict"}}, "status": 204},
			{"path": "/drop", "setCookie": {"a": {"value": "", "path": "/area"}}, "status": 204}]`, []string{
			"GET /set", "204 a=1; Path=/area; Max-Age=7200; HttpOnly; Secure; SameSite=None b=2; Path=/ __Host-c=3; Path=/; Secure; SameSite=Strict",
			"GET /drop", "204 a=; Path=/area; Max-Age=0"}},
		// The session ends with its third page. After another sign-in it goes on.
		{"a session that expires by its requests", `[
			{"method": "POST", "path": "/in", "set": {"seen": "0"}, "setCookie": {"in": {"value": "yes", "httpOnly": true}}, "status": 204},
			{"path": "/area/*", "when": {"cookie": {"in": "yes"}, "state": {"seen": {"less": 2}}}, "add": {"seen": 1}},
			{"path": "/area/*", "setCookie": {"in": ""}, "location": "/page"}]`, []string{
			"GET /area/hidden", "303 /page in=; Path=/; Max-Age=0",
			"POST /in", "204 in=yes; Path=/; HttpOnly",
			"GET /area/hidden | in=yes", "200 hidden", "GET /area/hidden | in=yes", "200 hidden",
			"GET /area/hidden | in=yes", "303 /page in=; Path=/; Max-Age=0",
			"POST /in", "204 in=yes; Path=/; HttpOnly", "GET /area/hidden | in=yes", "200 hidden"}},
		{"counting", `[
			{"method": "POST", "path": "/n", "when": {"field": {"by": "up"}}, "add": {"n": 1}, "location": "/show"},
			{"method": "POST", "path": "/n", "add": {"n": -1000}, "location": "/show"},
			{"method": "POST", "path": "/zero", "set": {"n": ""}, "location": "/show"},
			{"path": "/page", "when": {"state": {"n": "2"}}, "file": "_gate.html"}]`, []string{
			"GET /page", "200 page",
			"POST /n by=up", "303 /show", "POST /n?by=up", "303 /show",
			"GET /show", "200 state  2 6 true",
			"GET /page", "200 inside",
			"POST /n by=down", "303 /show",
			"GET /show", "200 state  -998 -1994 true",
			"POST /zero", "303 /show",
			"GET /show", "200 state   2 true"}},
		{"posted before query", `[{"method": "POST", "path": "/page", "when": {"field": {"a": "1"}}, "status": 204}, {"method": "POST", "path": "/page"}]`, []string{
			"POST /page?a=1", "204", "POST /page?a=1 a=2", "200 page", "POST /page?a=2 a=1", "204"}},
		{"first that fits", `[{"path": "/page", "when": {"state": {"x": ""}}, "file": "error.html"}, {"path": "/page", "file": "_gate.html"}]`, []string{
			"GET /page", "200 error"}},
		{"everything", `[{"path": "/*", "when": {"first": 1}, "status": 500}]`, []string{
			"GET /", "500", "GET /", "200 home", "GET /none", "404"}},
		{"own error page", `[{"path": "/page", "status": 410}]`, []string{"GET /page", "410"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files["routes.json"] = c.routes
			w := oneSite(t, files).NewWeb()
			var got []string
			for i := 0; i < len(c.steps); i += 2 {
				got = append(got, c.steps[i], visit(t, w, c.steps[i]))
			}
			need.Equal(t, "steps and answers", c.steps, got)
		})
	}
}

func TestCountIsBounded(t *testing.T) {
	w := oneSite(t, map[string]string{"index.tmpl.html": "{{.State.n}}", "routes.json": `[{"path": "/", "add": {"n": 1000}}]`}).NewWeb()
	for range 1_000_000/1000 + 5 {
		do(t, w, "GET", "http://a.test/", "")
	}
	need.Is(t, "counted to", "1000000", do(t, w, "GET", "http://a.test/", "").Body.String())
}

// Two Webs of a Set, and two hosts of a Web, see nothing of each other.
func TestIsolation(t *testing.T) {
	s := open(t)
	one, two := s.NewWeb(), s.NewWeb()
	post := "name=Ada&email=ada@example.com&message=Hello"
	if r := do(t, one, "POST", "http://forms.test/contact", post); r.Code != 303 {
		t.Fatalf("POST /contact = %d", r.Code)
	}
	do(t, one, "GET", "http://recovery.test/delivery", "")
	for _, c := range []struct {
		name   string
		web    *Web
		url    string
		status int
	}{
		{"kept", one, "http://forms.test/contact/sent", 200},
		{"other web", two, "http://forms.test/contact/sent", 303},
		{"counted", one, "http://recovery.test/delivery", 200},
		{"not counted", two, "http://recovery.test/delivery", 503},
	} {
		if r := do(t, c.web, "GET", c.url, ""); r.Code != c.status {
			t.Errorf("%s: %s = %d, want %d", c.name, c.url, r.Code, c.status)
		}
	}
	if len(one.Log().Requests) != 4 || len(two.Log().Requests) != 2 {
		t.Errorf("logs of %d and %d entries, want 4 and 2", len(one.Log().Requests), len(two.Log().Requests))
	}
}

// Of requests that come together, exactly n fail.
func TestFirstIsExact(t *testing.T) {
	w := oneSite(t, map[string]string{"index.html": "home", "routes.json": `[{"path": "/", "when": {"first": 7}, "status": 503, "add": {"n": 1}}]`}).NewWeb()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { do(t, w, "GET", "http://a.test/", "") })
	}
	wg.Wait()
	failed := 0
	for _, r := range w.Log().Requests {
		if r.Status == 503 {
			failed++
		}
	}
	need.Is(t, "of 50 failed", 7, failed)
}
