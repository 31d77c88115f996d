package route

import (
	"net/http"
	"slices"
	"strings"
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
	need.Cases(t, "faults", func(_ *testing.T, files map[string]string) string {
		_, faults := Parse([]byte(strings.ReplaceAll(files["routes.json"], "BYTE-FF", "\xff")), "r.json", host)
		return faults.Error()
	})
}

// Where a string is a value to compare with or to keep, it may be empty.
func TestRoutesEmptyStrings(t *testing.T) {
	got, err := Parse([]byte(`[{"path": "/page", "when": {"empty": [""], "field": {"a": ""}, "cookie": {"b": ""}, "state": {"c": " "}},
		"keep": [""], "set": {"d": ""}, "setCookie": {"e": ""}}]`), "r.json", host)
	need.OK(t, err.Err())
	want := []*Route{{
		Method: "GET", Path: "/page", Status: 200,
		empty: []string{""}, when: requirements{
			&condition{of: source{"cookie", "b"}, equal: new("")}, &condition{of: source{"field", "a"}, equal: new("")},
			&condition{of: source{"state", "c"}, equal: new(" ")},
		},
		edit: edit{keep: []string{""}, set: []pair{{"d", ""}}}, Cookies: []*http.Cookie{{Name: "e", Path: "/", MaxAge: -1}},
	}}
	need.Equal(t, "routes", want, got, cmp.AllowUnexported(Route{}, condition{}, source{}, edit{}, pair{}))
}
