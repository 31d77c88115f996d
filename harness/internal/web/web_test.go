package web

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openchrome/bench/harness/internal/need"
)

// do sends a request to h; a body is an urlencoded form.
func do(t testing.TB, h http.Handler, method, url, body string, cookies ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, url, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for _, c := range cookies {
		r.Header.Add("Cookie", c)
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	return rec
}

// oneSite returns a Set with the one host a.test.
func oneSite(t testing.TB, files map[string]string) *Set {
	t.Helper()
	host := make(map[string][]byte)
	for name, content := range files {
		host[name] = []byte(content)
	}
	s, faults := build(tree{"a.test": host}, func(_, name string) string { return name })
	need.OK(t, faults.Err())
	return s
}

func TestFiles(t *testing.T) {
	s := oneSite(t, map[string]string{
		"index.html":       "home",
		"plain.html":       "plain",
		"dir/index.html":   "dir",
		"dir/deep.html":    "deep",
		"hello.tmpl.html":  `{{template "_part.tmpl.html" .Query.who}}`,
		"_part.tmpl.html":  "Hello {{.}}",
		"_plain.html":      "x",
		"_dir/x.html":      "x",
		"404.html":         "none",
		"style.css":        "b{}",
		"pixel.PNG":        "png",
		"data.json":        "{}",
		"note.txt":         "note",
		"blob":             "blob",
		"a b.html":         "space",
		"routes.json":      "[]",
		"dir/routes.json":  "{}",
		"dir/404.html":     "x",
		"method.tmpl.html": "{{.Method}} {{.Host}} {{.Path}}",
	})
	w := s.NewWeb()
	const html = "text/html; charset=utf-8"
	for _, c := range []struct {
		url    string
		status int
		kind   string
		body   string
	}{
		{"/", 200, html, "home"},
		{"/?q", 200, html, "home"},
		{"/index.html", 200, html, "home"},
		{"/index", 404, html, "none"},
		{"/plain", 200, html, "plain"},
		{"/plain.html", 200, html, "plain"},
		{"/plain/", 404, html, "none"},
		{"/Plain", 404, html, "none"},
		{"/dir", 200, html, "dir"},
		{"/dir/", 200, html, "dir"},
		{"/dir/index.html", 200, html, "dir"},
		{"/dir/deep", 200, html, "deep"},
		{"/dir/../plain", 404, html, "none"},
		{"//plain", 404, html, "none"},
		{"/hello?who=%3Cb%3E", 200, html, "Hello &lt;b&gt;"},
		{"/hello?who=a&who=b", 200, html, "Hello a, b"},
		{"/hello", 200, html, "Hello "},
		{"/hello.html", 200, html, "Hello "},
		{"/hello.tmpl.html", 404, html, "none"},
		{"/_part.tmpl.html", 404, html, "none"},
		{"/_plain", 404, html, "none"},
		{"/_dir/x", 404, html, "none"},
		{"/404", 404, html, "none"},
		{"/404.html", 404, html, "none"},
		{"/dir/404", 200, html, "x"},
		{"/style.css", 200, "text/css; charset=utf-8", "b{}"},
		{"/pixel.PNG", 200, "image/png", "png"},
		{"/data.json", 200, "application/json", "{}"},
		{"/note.txt", 200, "text/plain; charset=utf-8", "note"},
		{"/blob", 200, "application/octet-stream", "blob"},
		{"/a%20b", 200, html, "space"},
		{"/routes.json", 404, html, "none"},
		{"/dir/routes.json", 200, "application/json", "{}"},
		{"/method", 200, html, "GET a.test /method"},
	} {
		r := do(t, w, "GET", "http://a.test"+c.url, "")
		if r.Code != c.status || r.Header().Get("Content-Type") != c.kind || r.Body.String() != c.body {
			t.Errorf("%s = %d %q %q, want %d %q %q", c.url, r.Code, r.Header().Get("Content-Type"), r.Body, c.status, c.kind, c.body)
		}
		if v, ok := r.Header()["Date"]; !ok || v != nil {
			t.Errorf("%s: the Date header is not suppressed", c.url)
		}
		need.Is(t, fmt.Sprintf("%s may be cached", c.url), "no-store", r.Header().Get("Cache-Control"))
	}
}

func TestMethods(t *testing.T) {
	s := oneSite(t, map[string]string{
		"page.html":   "page",
		"routes.json": `[{"method": "POST", "path": "/send", "status": 204}, {"method": "PUT", "path": "/page", "when": {"empty": ["x"]}, "status": 500}]`,
	})
	for _, c := range []struct {
		method, path string
		status       int
		allow, body  string
	}{
		{"HEAD", "/page", 200, "", ""},
		{"OPTIONS", "/page", 405, "GET, HEAD, PUT", "this page does not take \"OPTIONS\"\n"},
		{"POST", "/page", 405, "GET, HEAD, PUT", "this page does not take \"POST\"\n"},
		{"TRACE", "/page", 405, "GET, HEAD, PUT", "this page does not take \"TRACE\"\n"},
		{"GET", "/send", 405, "POST", "this page does not take \"GET\"\n"},
		{"POST", "/send", 204, "", ""},
	} {
		r := do(t, s.NewWeb(), c.method, "http://a.test"+c.path, "")
		if r.Code != c.status || r.Header().Get("Allow") != c.allow || r.Body.String() != c.body {
			t.Errorf("%s %s = %d Allow %q %q, want %d %q %q", c.method, c.path, r.Code, r.Header().Get("Allow"), r.Body, c.status, c.allow, c.body)
		}
	}
	if r := do(t, s.NewWeb(), "HEAD", "http://a.test/page", ""); r.Header().Get("Content-Length") != "4" {
		t.Errorf("HEAD says %q bytes, want 4", r.Header().Get("Content-Length"))
	}
	for _, c := range []struct{ method, want string }{{"OPTIONS", ""}, {"POST", ""}, {"GET", "<h1>404 Not Found</h1>"}} {
		if r := do(t, s.NewWeb(), c.method, "http://a.test/none", ""); r.Code != 404 || !strings.Contains(r.Body.String(), c.want) {
			t.Errorf("%s /none = %d %s, want a 404 page", c.method, r.Code, r.Body)
		}
	}
	// The handler of a PUT route exists, but its conditions do not hold.
	if r := do(t, s.NewWeb(), "PUT", "http://a.test/page", "x=1"); r.Code != 404 {
		t.Errorf("PUT with no fitting route = %d, want 404", r.Code)
	}
}

func TestHosts(t *testing.T) {
	w := oneSite(t, map[string]string{"index.html": "home"}).NewWeb()
	for _, c := range []struct {
		host   string
		status int
	}{
		{"a.test", 200}, {"A.Test", 200}, {"a.test:8080", 200}, {"a.test.", 200},
		{"b.test", 421}, {"x.a.test", 421}, {"", 421}, {"[::1]:80", 421}, {"\x00<script>", 421},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = c.host
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, r)
		need.Is(t, fmt.Sprintf("host %q", c.host), c.status, rec.Code)
	}
	need.Is(t, "requests in the log", 4, len(w.Log().Requests))
}

func TestForms(t *testing.T) {
	s := oneSite(t, map[string]string{
		"form.tmpl.html": "{{.Form.name}}|{{.Query.name}}",
		"routes.json":    `[{"method": "POST", "path": "/form"}]`,
	})
	const multipart = "--B\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nAda\r\n--B\r\nContent-Disposition: form-data; name=\"name\"; filename=\"f.txt\"\r\n\r\ndata\r\n--B--\r\n"
	for _, c := range []struct {
		name, kind, body string
		status           int
		want             string
	}{
		{"urlencoded", "application/x-www-form-urlencoded", "name=Ada+L&x=1", 200, "Ada L|q"},
		{"with charset", "application/x-www-form-urlencoded; charset=UTF-8", "name=%C3%A9", 200, "é|q"},
		{"multipart", "multipart/form-data; boundary=B", multipart, 200, "Ada, f.txt|q"},
		{"json", "application/json", `{"name": "Ada"}`, 200, "|q"},
		{"no type", "", "name=Ada", 200, "|q"},
		{"bad escape", "application/x-www-form-urlencoded", "name=%zz", 400, "the form cannot be read\n"},
		{"no boundary", "multipart/form-data", multipart, 400, "the form cannot be read\n"},
		{"cut off", "multipart/form-data; boundary=B", multipart[:70], 400, "the form cannot be read\n"},
		{"at the limit", "application/x-www-form-urlencoded", strings.Repeat("x", maxBody), 200, "|q"},
		{"too large", "application/x-www-form-urlencoded", strings.Repeat("x", maxBody+1), 413, "the form is larger than 1 MiB\n"},
		{"too large in parts", "multipart/form-data; boundary=B", multipart[:60] + strings.Repeat("x", maxBody), 413, "the form is larger than 1 MiB\n"},
		{"no form", "text/plain", strings.Repeat("x", maxBody+1), 200, "|q"},
	} {
		r := httptest.NewRequest("POST", "http://a.test/form?name=q", strings.NewReader(c.body))
		r.Header.Set("Content-Type", c.kind)
		rec := httptest.NewRecorder()
		s.NewWeb().ServeHTTP(rec, r)
		if rec.Code != c.status || rec.Body.String() != c.want {
			t.Errorf("%s: %d %q, want %d %q", c.name, rec.Code, rec.Body, c.status, c.want)
		}
	}
}

func TestLog(t *testing.T) {
	w := open(t).NewWeb()
	do(t, w, "GET", "http://example.com:8080/more?a=b%20c&d", "")
	do(t, w, "GET", "http://example.com/favicon.ico", "")
	do(t, w, "GET", "https://example.com/no%20page", "")
	do(t, w, "POST", "https://forms.test/contact", "name=")
	do(t, w, "HEAD", "http://example.com/?", "")
	do(t, w, "POST", "https://forms.test/contact", "name="+strings.Repeat("x", maxLogBody)) // too long for the log
	want := []Request{
		{Method: "GET", URL: "http://example.com/more?a=b%20c&d", Host: "example.com", Path: "/more", Status: 200},
		{Method: "GET", URL: "https://example.com/no%20page", Host: "example.com", Path: "/no page", Status: 404},
		{Method: "POST", URL: "https://forms.test/contact", Host: "forms.test", Path: "/contact", Status: 422, Type: "application/x-www-form-urlencoded", Body: "name="},
		{Method: "HEAD", URL: "http://example.com/?", Host: "example.com", Path: "/", Status: 200},
		{Method: "POST", URL: "https://forms.test/contact", Host: "forms.test", Path: "/contact", Status: 422},
	}
	got := w.Log().Requests
	need.Equal(t, "Log", want, got, cmpopts.IgnoreFields(Request{}, "Came", "Time", "Sent"))
	if since := time.Since(got[0].Time); since < 0 || since > time.Minute {
		t.Errorf("answered %v ago, want just now", since)
	}
	got[0].Path = "changed"
	need.Is(t, "a change of the snapshot changed the log", "/more", w.Log().Requests[0].Path)
	if w.Log().Full {
		t.Error("truncated after 5 requests")
	}
}

func TestLogBounds(t *testing.T) {
	s := oneSite(t, map[string]string{"index.html": ""})
	for _, c := range []struct {
		name  string
		typ   string
		query string
		n     int
	}{
		{"entries", "", "", maxLog},
		{"bytes", "", strings.Repeat("q", 16<<10), maxLogBytes/(16<<10) - 1},
		{"bytes of a type", "application/x-www-form-urlencoded; t=" + strings.Repeat("t", 16<<10), "", maxLogBytes/(16<<10) - 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.NewWeb()
			send := func() {
				r := httptest.NewRequest("POST", "http://a.test/?"+c.query, strings.NewReader("b"))
				r.Header.Set("Content-Type", c.typ)
				w.ServeHTTP(discard{}, r)
			}
			for range c.n {
				send()
			}
			if len(w.Log().Requests) != c.n || w.Log().Full {
				t.Fatalf("%d entries, truncated %v; want %d, false", len(w.Log().Requests), w.Log().Full, c.n)
			}
			send()
			if len(w.Log().Requests) != c.n || !w.Log().Full {
				t.Errorf("one more: %d entries, truncated %v; want %d, true", len(w.Log().Requests), w.Log().Full, c.n)
			}
		})
	}
}

type discard struct{}

func (discard) Header() http.Header         { return http.Header{} }
func (discard) Write(b []byte) (int, error) { return io.Discard.Write(b) }
func (discard) WriteHeader(int)             {}

// A response must find its own request in the log.
func TestLogBeforeAnswer(t *testing.T) {
	w := open(t).NewWeb()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 50 {
				url := fmt.Sprintf("http://shop.test/cart?%d-%d", i, j)
				seen := &logReader{web: w, url: url}
				w.ServeHTTP(seen, httptest.NewRequest("GET", url, nil))
				if !seen.found {
					t.Errorf("%s was answered before it was in the log", url)
				}
			}
		})
	}
	wg.Wait()
	log := w.Log().Requests
	inOrder := slices.IsSortedFunc(log, func(a, b Request) int { return a.Time.Compare(b.Time) })
	if len(log) != 8*50 || !inOrder {
		t.Errorf("%d entries, in order: %t; want %d in order", len(log), inOrder, 8*50)
	}
}

type logReader struct {
	discard
	web   *Web
	url   string
	found bool
}

func (l *logReader) WriteHeader(int) {
	for _, r := range l.web.Log().Requests {
		l.found = l.found || r.URL == l.url
	}
}
