package web

import (
	"maps"
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

// walk makes the requests of the lines, and returns each with its answer below it.
func walk(t *testing.T, w *Web, steps string) string {
	t.Helper()
	var got []string
	for step := range strings.SplitSeq(steps, "\n") {
		got = append(got, step, visit(t, w, step))
	}
	return strings.Join(got, "\n")
}

func TestRoutes(t *testing.T) {
	need.Cases(t, "routes", func(t *testing.T, files map[string]string) string {
		maps.Copy(files, map[string]string{
			"index.html":        "home",
			"page.html":         "page",
			"error.html":        "error",
			"form.tmpl.html":    "form {{.Form.name}}",
			"show.tmpl.html":    "state {{.State.name}} {{.State.n}} {{num .State.n | add 1 | mul 2}} {{blank .State.name}}",
			"_gate.html":        "inside",
			"area/hidden.html":  "hidden",
			"cookie.tmpl.html":  "cookie {{.Cookie.who}}",
			"reading/more.html": "more",
		})
		return walk(t, oneSite(t, files).NewWeb(), files["steps"])
	})
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
