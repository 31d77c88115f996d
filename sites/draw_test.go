package sites

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/param"
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
	if err := faults.Err(); err != nil {
		t.Fatal(err)
	}
	d := Draw{Hosts: []string{"a.test"}, Values: param.Values{
		"price": "12.50", "token": "abc", "rows": []map[string]string{{"name": "Oslo"}, {"name": "Bergen"}},
	}}
	web := set.NewWeb()
	if err := web.Draw(d); err != nil {
		t.Fatal(err)
	}
	post := func(price string) string {
		r := httptest.NewRequest("POST", "http://a.test/buy", strings.NewReader(url.Values{"price": {price}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		rec := httptest.NewRecorder()
		web.ServeHTTP(rec, r)
		return rec.Header().Get("Location")
	}
	for price, want := range map[string]string{"12.50": "/ok/abc", "12.50 EUR": "/pattern", "12x50 EUR": "/no", "1": "/no"} {
		if got := post(price); got != want {
			t.Errorf("POST of %q leads to %q, want %q", price, got, want)
		}
	}
	rec := httptest.NewRecorder()
	web.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "http://a.test/", nil))
	if got, want := rec.Body.String(), "<p>12.50</p>Oslo Bergen "; got != want {
		t.Errorf("page is %q, want %q", got, want)
	}
}
