package web

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness/internal/need"
)

// send posts a body of a type and returns "status body".
func send(w *Web, path, kind, body string) string {
	r := httptest.NewRequest("POST", "http://a.test"+path, strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	return strings.TrimSpace(fmt.Sprint(rec.Code, " ", rec.Body))
}

func TestState(t *testing.T) {
	need.Cases(t, "state", func(t *testing.T, files map[string]string) string {
		maps.Copy(files, map[string]string{
			"show.tmpl.html": `{{range .List.l}}[{{.id}} {{.a}} {{.b}}]{{end}} {{.State.n}} {{.State.s}}`,
			"sort.tmpl.html": `{{range sort "a" .List.l}}{{.id}}{{end}}`,
			"page.html":      "page",
			"state.json":     `{"s": "start", "n": "7", "l": [{"id": "1", "a": "x", "b": "x"}, {"id": "2", "a": "10"}, {"id": "3", "a": "9.5", "b": ""}], "none": []}`,
		})
		s := oneSite(t, files)
		first := walk(t, s.NewWeb(), files["steps"])
		need.Equal(t, "every session begins with the same state", first, walk(t, s.NewWeb(), files["steps"]))
		return first
	})
}

func TestStateIsBounded(t *testing.T) {
	w := oneSite(t, map[string]string{
		"n.tmpl.html": "{{len .List.l}} {{.State.n}}",
		"routes.json": `[{"method": "POST", "path": "/n", "add": {"n": 1}, "rows": [{"do": "append", "in": "l", "keep": ["a"]}]}]`,
	}).NewWeb()
	big := "a=" + strings.Repeat("x", 1_000_000)
	for i, want := range []string{"200 1 1", "200 2 2", "200 3 3", "200 4 4", "507 the state of this host would exceed 4 MiB; the request changed nothing"} {
		need.Is(t, fmt.Sprintf("append %d", i+1), want, visit(t, w, "POST /n "+big))
	}
	need.Is(t, "afterwards", "200 4 4", visit(t, w, "GET /n"))
}

func TestJSON(t *testing.T) {
	w := oneSite(t, map[string]string{
		"x.tmpl.html": `{{.JSON.name}} {{.JSON.list}} {{index .JSON "to.city"}} {{index .JSON "items.1.n"}} {{.Form.name}}`,
		"out.tmpl.json": `{{define "item"}}{{.}}{{end}}{"name": {{.State.name}}, "n": {{num .State.n | add 1}}, "rows": {{.List.l}},
			"ids": [{{range $i, $r := .List.l}}{{if $i}}, {{end}}{{$r.id}}{{end}}], "part": {{template "item" .State.none}}, "both": {{with printf "%s!" .State.name}}{{.}}{{end}}}`,
		"bad.tmpl.json": `{{if .Query.a}}[{{else}}[]{{end}}`,
		"routes.json": `[
			{"method": "POST", "path": "/x", "when": {"field": {"to.city": {"matches": "Oslo"}}}, "keep": ["name"], "rows": [{"do": "append", "in": "l", "set": {"id": {"from": "field.list"}}}], "status": 201, "file": "x.tmpl.html"},
			{"method": "POST", "path": "/empty", "when": {"empty": ["name"]}, "status": 422},
			{"method": "POST", "path": "/empty", "status": 204},
			{"method": "POST", "path": "/x"}]`,
	}).NewWeb()
	const kind = "application/json; charset=utf-8"
	for _, c := range []struct{ path, kind, body, want string }{
		{"/x", kind, `{"name": "<Ada>", "list": ["a", 1.50, true, null], "items": [[], {"n": 2}]}`, "200 &lt;Ada&gt; a, 1.50, true,   2"},
		{"/x", "application/merge-patch+json", ` {"name": "Ada"} `, "200 Ada"},
		{"/x", kind, ``, "200"},
		{"/x", kind, `7`, "200"},
		{"/x", kind, `{"name": "Ada"`, "400 the JSON cannot be read"},
		{"/x", kind, `{"name": "Ada"} {}`, "400 the JSON cannot be read"},
		{"/x", kind, `{"name": "Ada"} x`, "400 the JSON cannot be read"},
		{"/x", kind, `name=Ada`, "400 the JSON cannot be read"},
		{"/x", kind, strings.Repeat(`[`, 300) + `1` + strings.Repeat(`]`, 300), "400 the JSON cannot be read"},
		{"/x", kind, `"` + strings.Repeat("x", maxBody) + `"`, "413 the JSON is larger than 1 MiB"},
		{"/x", "text/plain", `{"name": "Ada"}`, "200"},
		{"/x?name=q", kind, `{"name": null}`, "200"},
		{"/empty?name=q", kind, `{"name": null}`, "422 "},
		{"/empty", kind, `{"name": 0}`, "204"},
		{"/x", kind, `{"name": "\"<é>\u2028", "to": {"city": "Oslo"}, "list": ["\\", "]"]}`, "201 &#34;&lt;é&gt;\u2028 \\, ] Oslo"},
	} {
		got := send(w, c.path, c.kind, c.body)
		if c.want == "422 " {
			got = got[:4]
		}
		if got != c.want {
			t.Errorf("%s %.60s: %s, want %s", c.path, c.body, got, c.want)
		}
	}
	r := do(t, w, "GET", "http://a.test/out.json", "")
	want := `{"name": "\"\u003cé\u003e\u2028", "n": 1, "rows": [{"id":"\\, ]"}],
			"ids": ["\\, ]"], "part": "", "both": "\"\u003cé\u003e\u2028!"}`
	if diff := cmp.Diff(want, r.Body.String()); diff != "" || r.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%s (-want +got):\n%s", r.Header().Get("Content-Type"), diff)
	}
	if r := do(t, w.set.Load().NewWeb(), "GET", "http://a.test/out.json", ""); !strings.Contains(r.Body.String(), `"rows": [],`) {
		t.Errorf("a list without rows: %s", r.Body)
	}
	if got := visit(t, w, "GET /bad.json?a=1"); got != "500 bad.tmpl.json did not give valid JSON for this request" {
		t.Errorf("a template that is wrong for some requests: %s", got)
	}
	need.Is(t, "a template's own name", "404", visit(t, w, "GET /out.tmpl.json"))
}

func TestUpload(t *testing.T) {
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("data\n")))
	w := oneSite(t, map[string]string{
		"up.tmpl.html": `{{.Form.doc}} {{index .Form "doc.size"}} {{index .Form "doc.sha256"}} {{.Form.note}}`,
		"routes.json": `[{"method": "POST", "path": "/up", "when": {"empty": ["doc"]}, "status": 422, "file": "up.tmpl.html"},
			{"method": "POST", "path": "/up", "when": {"field": {"doc.sha256": "` + sum + `", "doc.size": {"less": 6}}}, "status": 201, "file": "up.tmpl.html"},
			{"method": "POST", "path": "/up"}]`,
	}).NewWeb()
	part := func(params, body string) string {
		return "--B\r\nContent-Disposition: form-data; " + params + "\r\n" + body + "\r\n"
	}
	const typed = "Content-Type: text/plain\r\n\r\n"
	forged := part(`name="doc.sha256"`, "\r\n"+sum)
	for _, c := range []struct{ name, body, want string }{
		{"right", part(`name="doc"; filename="a.txt"`, typed+"data\n") + part(`name="note"`, "\r\nhello"), "201 a.txt 5 " + sum + " hello"},
		{"no file chosen", part(`name="doc"; filename=""`, typed), "422"},
		{"forged hash", part(`name="doc"; filename="a"`, typed+"x") + forged, fmt.Sprintf("200 a 1 %x", sha256.Sum256([]byte("x")))},
		{"forged file", part(`name="doc"`, "\r\na.txt") + forged, "200 a.txt"},
		{"two", part(`name="doc"; filename="a"`, typed+"x") + part(`name="doc"; filename="b"`, typed+"data\n"), fmt.Sprintf("200 a, b 1, 5 %x, %s", sha256.Sum256([]byte("x")), sum)},
	} {
		if got := send(w, "/up", "multipart/form-data; boundary=B", c.body+"--B--\r\n"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	for _, c := range [][2]string{{"application/x-www-form-urlencoded", "doc=a&doc.size=5&doc.sha256=" + sum}, {"application/json", `{"doc": "a", "doc.size": 5, "doc.sha256": "` + sum + `"}`}} {
		if got := send(w, "/up?doc.sha256="+sum, c[0], c[1]); !strings.HasPrefix(got, "200") {
			t.Errorf("%s with the hash as text: %s, want 200", c[0], got)
		}
	}
}

func TestHeaders(t *testing.T) {
	w := oneSite(t, map[string]string{"a.csv": "a,b", "routes.json": `[
		{"path": "/a.csv", "headers": {"Content-Disposition": "attachment; filename=\"a.csv\"", "X-Count": "1"}},
		{"path": "/busy", "status": 429, "headers": {"Retry-After": "2"}},
		{"path": "/go", "location": "/", "headers": {"WWW-Authenticate": "Basic realm=\"a b\""}}]`}).NewWeb()
	for _, c := range []struct{ path, name, want string }{
		{"/a.csv", "Content-Disposition", `attachment; filename="a.csv"`}, {"/a.csv", "X-Count", "1"}, {"/a.csv", "Content-Length", "3"},
		{"/busy", "Retry-After", "2"}, {"/go", "WWW-Authenticate", `Basic realm="a b"`}, {"/go", "Location", "/"}, {"/busy", "X-Count", ""},
	} {
		if got := do(t, w, "GET", "http://a.test"+c.path, "").Header().Get(c.name); got != c.want {
			t.Errorf("%s: %s is %q, want %q", c.path, c.name, got, c.want)
		}
	}
}
