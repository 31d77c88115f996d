package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/param"
)

func TestDraw(t *testing.T) {
	set, faults := build(tree{"a.test": {
		"index.tmpl.html": []byte(`<p>{{.Param.price}}</p>{{range .Param.rows}}{{.name}} {{end}}`),
		"_receipt.html":   []byte("receipt"),
		"_no.html":        []byte("no"),
		"state.json":      []byte(`{"wanted": "{{param.rows.1.name}}"}`),
		"routes.json": []byte(`[
			{"method": "POST", "path": "/buy", "when": {"field": {"price": "{{param.price}}"}}, "location": "/ok/{{param.token}}"},
			{"method": "POST", "path": "/buy", "when": {"field": {"price": {"matches": "{{param.price}} EUR"}}}, "location": "/pattern"},
			{"method": "POST", "path": "/buy", "location": "/no"}
		]`),
	}}, func(host, name string) string { return host + "/" + name })
	need.OK(t, faults.Err())
	d := Draw{Hosts: []string{"a.test"}, Values: param.Values{
		"price": "12.50", "token": "abc", "rows": []map[string]string{{"name": "Oslo"}, {"name": "Bergen"}},
	}}
	web := set.NewWeb()
	need.OK(t, web.Draw(d))
	post := func(price string) string {
		r := httptest.NewRequest("POST", "http://a.test/buy", strings.NewReader(url.Values{"price": {price}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		rec := httptest.NewRecorder()
		web.ServeHTTP(rec, r)
		return rec.Header().Get("Location")
	}
	for price, want := range map[string]string{"12.50": "/ok/abc", "12.50 EUR": "/pattern", "12x50 EUR": "/no", "1": "/no"} {
		need.Is(t, fmt.Sprintf("POST of %q leads to", price), want, post(price))
	}
	rec := httptest.NewRecorder()
	web.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "http://a.test/", nil))
	if got, want := rec.Body.String(), "<p>12.50</p>Oslo Bergen "; got != want {
		t.Errorf("page is %q, want %q", got, want)
	}
}

// drawSite returns the faults of a host with these files and values.
func drawSite(t *testing.T, files map[string]string, values param.Values) string {
	t.Helper()
	host := make(map[string][]byte)
	for name, text := range files {
		host[name] = []byte(text)
	}
	s, faults := build(tree{"a.test": host, "b.test": {"index.html": nil}}, func(host, name string) string { return host + "/" + name })
	need.OK(t, faults.Err())
	if _, err := s.With(Draw{Hosts: []string{"a.test"}, Values: values}); err != nil {
		return err.Error()
	}
	return ""
}

// A name that is not drawn is a fault with a place, wherever it stands.
func TestUnknownValues(t *testing.T) {
	values := param.Values{
		"price": "12.50", "person": param.Row{"name": "Ada"}, "cities": []string{"Oslo"}, "rows": []param.Row{{"name": "Oslo", "price": "1"}},
	}
	for _, c := range []struct{ name, file, content, want string }{
		{"fine", "x.tmpl.html", `{{.Param.price}} {{$.Param.person.name}} {{range .Param.cities}}{{.}}{{end}}
{{range .Param.rows}}{{.name}} {{if .price}}{{$.Path}}{{end}} {{with $.State}}{{.none}}{{end}}{{end}}{{range $i, $r := .Param.rows}}{{$r.none}}{{end}}
{{range sort "price" .Param.rows}}{{.price}}{{end}}{{with .Param.person}}{{.name}}{{end}}{{range .List.l}}{{.none}}{{end}}{{(index .Param.rows 0).name}}`, ""},
		{"fine JSON", "x.tmpl.json", `{"p": {{.Param.price}}, "rows": {{.Param.rows}}, "all": [{{range .Param.rows}}{{.name}}{{end}}]}`, ""},
		{"template", "x.tmpl.html", "<p>\n{{.Param.prize}}", `a.test/x.tmpl.html:2:9: <.Param.prize>: prize is not in params.json; did you mean "price"?`},
		{"variable", "x.tmpl.html", "{{if $.Param.none}}{{end}}", `a.test/x.tmpl.html:1:7: <$.Param.none>: none is not in params.json`},
		{"else", "x.tmpl.html", "{{if .Path}}{{else}}{{.Param.none}}{{end}}", `a.test/x.tmpl.html:1:29: <.Param.none>: none is not in params.json`},
		{"argument", "x.tmpl.html", `{{template "_p.tmpl.html" .Param.none}}`, `a.test/x.tmpl.html:1:33: <.Param.none>: none is not in params.json`},
		{"column", "x.tmpl.html", "{{.Param.person.nmae}}", `a.test/x.tmpl.html:1:9: <.Param.person.nmae>: nmae is not in params.json; did you mean "name"?`},
		{"column of rows", "x.tmpl.html", "{{range .Param.rows}}{{if true}}{{.nmae}}{{end}}{{end}}", `a.test/x.tmpl.html:1:35: <.nmae>: nmae is not in params.json; did you mean "name"?`},
		{"partial", "_x.tmpl.html", "{{.Param.none}}", `a.test/_x.tmpl.html:1:9: <.Param.none>: none is not in params.json`},
		{"definition", "x.tmpl.html", `{{define "d"}}{{.Param.none}}{{end}}`, `a.test/x.tmpl.html:1:23: <.Param.none>: none is not in params.json`},
		{"JSON", "x.tmpl.json", "[\n{{.Param.none}}]", `a.test/x.tmpl.json:2:9: <.Param.none>: none is not in params.json`},
		{"routes", "routes.json", `[{"path": "/x", "location": "/{{param.none}}"}]`, `a.test/routes.json:1:29: /0/location: has {{param.none}}, which is not in params.json`},
		{"key of the state", "state.json", `{"{{param.none}}": "1"}`, `a.test/state.json:1:20: /{{param.none}}: has {{param.none}}, which is not in params.json`},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"_p.tmpl.html": "{{.}}", "y.tmpl.html": "{{.Param.price}}", c.file: c.content}
			need.Equal(t, "faults", c.want, drawSite(t, files, values))
		})
	}
}

// A host that shows values is served only with values, and only a host that shows values
// can be drawn.
func TestDraws(t *testing.T) {
	files := tree{
		"page.test": {"x.tmpl.html": []byte("{{.Param.a}}")}, "state.test": {"state.json": []byte(`{"a": "{{param.a}}"}`), "x.html": nil},
		"plain.test": {"x.html": []byte("{{param.a}} .Param"), "x.js": []byte("a.Param")},
	}
	s, faults := build(files, func(host, name string) string { return host + "/" + name })
	need.OK(t, faults.Err())
	need.Equal(t, "Draws", []string{"page.test", "state.test"}, s.Draws())
	w := s.NewWeb()
	if r := do(t, w, "GET", "http://page.test/x", ""); r.Code != 421 || !strings.Contains(r.Body.String(), `the task has no values for the host "page.test"`) {
		t.Errorf("without values: %d %s", r.Code, r.Body)
	}
	need.OK(t, w.Draw(Draw{Hosts: []string{"page.test"}, Values: param.Values{"a": "<b>"}}))
	for url, want := range map[string]string{"http://page.test/x": "200 &lt;b&gt;", "http://state.test/x": "421", "http://plain.test/x": "200"} {
		r := do(t, w, "GET", url, "")
		if got := fmt.Sprint(r.Code, " ", r.Body); !strings.HasPrefix(got, want) {
			t.Errorf("%s = %s, want %s", url, got, want)
		}
	}
	if r := do(t, s.NewWeb(), "GET", "http://page.test/x", ""); r.Code != 421 {
		t.Errorf("another session: %d %s", r.Code, r.Body)
	}
	for host, want := range map[string]string{
		"plain.test": `plain.test: no fixture site of this name shows drawn values; did you mean "page.test"?`,
		"pages.test": `pages.test: no fixture site of this name shows drawn values; did you mean "page.test"?`,
	} {
		if _, err := s.With(Draw{Hosts: []string{host}}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", host, err, want)
		}
	}
}
