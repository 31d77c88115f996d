package web

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// The web's own entries in the log say which acts were wrong, and whether a receipt's state
// holds.
func TestEnd(t *testing.T) {
	const routes = `[
		{"method": "POST", "path": "/pay", "when": {"field": {"to": "Ada"}, "first": 1}, "set": {"paid": "yes"}, "location": "/paid/k7"},
		{"method": "POST", "path": "/pay", "when": {"field": {"to": "Ada"}}, "wrong": "paid twice", "location": "/paid"},
		{"method": "POST", "path": "/pay", "wrong": "paid / another", "status": 422},
		{"method": "POST", "path": "/undo", "set": {"paid": ""}, "location": "/"},
		{"path": "/paid/k7", "receipt": true, "when": {"state": {"paid": "yes"}}, "file": "_paid.html"},
		{"path": "/*", "status": 200, "file": "index.html"}
	]`
	s := oneSite(t, map[string]string{"index.html": "home", "_paid.html": "paid", "routes.json": routes})
	for _, c := range []struct {
		name  string
		steps []string // step, answer, step, answer, …
		own   []string
	}{
		{"nothing", nil, nil},
		{"looked only", []string{"GET /", "200 home"}, []string{"409 https://a.test/.end/paid/k7"}},
		{"done, and the receipt is not read", []string{"POST /pay to=Ada", "303 /paid/k7"}, []string{"200 https://a.test/.end/paid/k7"}},
		{"undone", []string{"POST /pay to=Ada", "303 /paid/k7", "GET /paid/k7", "200 paid", "POST /undo", "303 /"}, []string{"409 https://a.test/.end/paid/k7"}},
		{"twice", []string{"POST /pay to=Ada", "303 /paid/k7", "POST /pay to=Ada", "303 /paid", "POST /pay to=Ada", "303 /paid"},
			[]string{"200 https://a.test/.wrong/paid%20twice", "409 https://a.test/.end/paid/k7"}},
		{"wrong first: no receipt", []string{"POST /pay to=Bo", "422", "POST /pay to=Ada", "303 /paid/k7", "GET /paid/k7", "200 home"},
			[]string{"200 https://a.test/.wrong/paid%20/%20another", "409 https://a.test/.end/paid/k7"}},
		{"forged entries", []string{"GET /.end/paid/k7", "404 this path is for the log of requests", "GET /.wrong/x", "404 this path is for the log of requests"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := s.NewWeb()
			for i := 0; i < len(c.steps); i += 2 {
				if got := visit(t, w, c.steps[i]); got != c.steps[i+1] {
					t.Errorf("%s = %s, want %s", c.steps[i], got, c.steps[i+1])
				}
			}
			var own []string
			for _, r := range w.Log().Own {
				own = append(own, fmt.Sprint(r.Status, " ", r.URL))
			}
			need.Equal(t, "own entries", c.own, own)
		})
	}
}

// A full log still has the web's own entries.
func TestEndWithFullLog(t *testing.T) {
	w := oneSite(t, map[string]string{"routes.json": `[{"path": "/x", "wrong": "looked", "status": 204}]`}).NewWeb()
	for range maxLog + 1 {
		do(t, w, "GET", "http://a.test/", "")
	}
	do(t, w, "GET", "http://a.test/x", "")
	l := w.Log()
	if reason, ok := l.Own[0].WrongAct(); !l.Full || reason != "looked" || !ok {
		t.Errorf("full %t, wrong act %q, %t", l.Full, reason, ok)
	}
}

// A wrong act on one host refuses the receipts of all hosts.
func TestWrongOnAnotherHost(t *testing.T) {
	w := open(t, folder(t, map[string]string{
		"a.test/routes.json": `[{"path": "/do", "set": {"done": "yes"}, "status": 204}, {"path": "/receipt", "receipt": true, "when": {"state": {"done": "yes"}}, "status": 204}]`,
		"b.test/routes.json": `[{"path": "/*", "wrong": "visited", "status": 204}]`,
	})).NewWeb()
	var got []int
	for _, url := range []string{"http://a.test/do", "http://a.test/receipt", "https://b.test/?q", "http://a.test/receipt"} {
		got = append(got, do(t, w, "GET", url, "").Code)
	}
	need.Equal(t, "answers", []int{204, 204, 204, 404}, got)
}

func TestActive(t *testing.T) {
	w := oneSite(t, map[string]string{"index.html": "home"}).NewWeb()
	if at := w.Log().Active; !at.IsZero() {
		t.Errorf("active at %v before any request", at)
	}
	end := w.open()
	first := w.Log().Active
	if second := w.Log().Active; !second.After(first) {
		t.Error("an open request does not count as active")
	}
	end()
	if first = w.Log().Active; !w.Log().Active.Equal(first) {
		t.Error("active without an open request")
	}
}

func TestReceiptFaults(t *testing.T) {
	for _, c := range []struct{ name, route, want string }{
		{"without state", `{"path": "/", "receipt": true}`, `needs a state that the act leaves`},
		{"field", `{"path": "/", "receipt": true, "when": {"state": {"a": "b"}, "field": {"a": "b"}}}`, `depends on state and rows only; remove field`},
		{"post", `{"path": "/", "method": "POST", "receipt": true, "when": {"state": {"a": "b"}}}`, `a receipt is a page that GET shows`},
		{"wrong", `{"path": "/", "receipt": true, "wrong": "x", "when": {"state": {"a": "b"}}}`, `a wrong act has no receipt`},
		{"reserved", `{"path": "/.end/x"}`, `for the web's own entries`},
		{"long", `{"path": "/", "wrong": "` + strings.Repeat("x", 101) + `"}`, `longer than 100 bytes`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(folder(t, map[string]string{"a.test/index.html": "", "a.test/routes.json": "[" + c.route + "]"}))
			need.Fails(t, err, c.want)
		})
	}
}
