package web

import (
	"regexp"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// The example of README.md is taken from it and works as it says.
func TestReadmeExample(t *testing.T) {
	text := need.Read(t, "../../../sites/README.md")
	files := make(map[string]string)
	for _, m := range regexp.MustCompile("(?s)\n`sites/([^`]+)`\n\n```[a-z]+\n(.*?)```\n").FindAllStringSubmatch(string(text), -1) {
		files[m[1]] = m[2]
	}
	if len(files) != 3 {
		t.Fatalf("%d files in the example, want 3", len(files))
	}
	w := open(t, folder(t, files)).NewWeb()
	for _, c := range []struct {
		method, path, form string
		status             int
		says               string
	}{
		{"GET", "/", "", 200, "<h1>What is your name?</h1>\n<form"},
		{"GET", "/hello", "", 303, ""},
		{"POST", "/hello", "name=", 422, "<p>Enter a name.</p>"},
		{"POST", "/hello", "name=Ada", 303, ""},
		{"GET", "/hello", "", 200, "<h1>Hello, Ada!</h1>\n<p>This is greeting number 1.</p>"},
	} {
		if r := do(t, w, c.method, "https://hello.test"+c.path, c.form); r.Code != c.status || !strings.Contains(r.Body.String(), c.says) {
			t.Errorf("%s %s %s = %d\n%s\nwant %d with %s", c.method, c.path, c.form, r.Code, r.Body, c.status, c.says)
		}
	}
	testReadmeRoutes(t, string(text))
	set := open(t)
	for _, h := range set.Hosts() {
		if drawn := set.draws[h] != nil; !drawn && !strings.Contains(string(text), "| `"+h+"` |") {
			t.Errorf("README.md does not list %s", h)
		}
	}
}

// The routes and the state in README.md work as its text says.
func testReadmeRoutes(t *testing.T, text string) {
	t.Helper()
	files := map[string][]byte{
		"_receipt.html": []byte("receipt"), "_receipt.tmpl.html": []byte("paid {{.Param.price}}"), "search.json": []byte("[]"), "price.html": []byte("price"), "order.html": nil, "_paid.html": []byte("paid"),
		"cart.tmpl.json": []byte(regexp.MustCompile("`({\"name\": {{.*?}}})` gives").FindStringSubmatch(text)[1]),
	}
	_, text, _ = strings.Cut(text, "\n### Lists\n")
	var routes []string
	for _, m := range regexp.MustCompile("(?s)\n```json\n(.*?)```\n").FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(m[1], `{"owner"`) {
			files[route.StateFile] = []byte(m[1])
		} else {
			routes = append(routes, strings.Trim(m[1], "[] \n"))
		}
	}
	files[route.RoutesFile] = []byte("[" + strings.Join(routes, ",") + "]")
	s, err := build(tree{"a.test": files}, func(_, name string) string { return name })
	if err != nil {
		t.Fatalf("%v\nin %s", err, files[route.RoutesFile])
	}
	w := s.NewWeb()
	need.OK(t, w.Draw(Draw{Hosts: []string{"a.test"}, Values: param.Values{"price": "1.50", "receipt": "abcd", "name": "Ada"}}))
	for _, c := range [][2]string{
		{"GET /receipt", "404"}, {"POST /archive id=1", "303 /"}, {"GET /receipt", "200 receipt"},
		{"POST /archive id=1&id=2", "303 /"}, {"GET /receipt", "404"}, {"GET /cart.json", `200 {"name": "", "cart": []}`},
		{"GET /claims/abcd", "404"}, {"POST /claims fare=1.5", "404"}, {"POST /claims fare=1.50", "303 /claims/abcd"}, {"GET /claims/abcd", "200 paid 1.50"},
		{"POST /pay to=Ada", "303 /paid/abcd"}, {"GET /paid/abcd", "200 paid"}, {"POST /pay to=Ada", "303 /paid"}, {"GET /paid/abcd", "404"}, {"GET /staff", "401 receipt"},
	} {
		if got := visit(t, w, c[0]); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
