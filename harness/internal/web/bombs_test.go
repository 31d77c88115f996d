package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web/route"
	"github.com/openchrome/bench/harness/internal/web/template"
)

// What only many files or a large one can do is found when they are read, at its place.
func TestBombsOfFiles(t *testing.T) {
	page := []byte(strings.Repeat("{{.}}", template.MaxSize/5))
	many := make(map[string][]byte)
	for i := range 9 {
		many[fmt.Sprintf("page%d.tmpl.html", i)] = page
	}
	for name, c := range map[string]struct {
		files map[string][]byte
		want  string
	}{
		"many templates": {many, "page0.tmpl.html: the templates, routes and states of all sites hold more than 2 MiB, and this file most; make them smaller"},
		"large template": {map[string][]byte{"index.tmpl.html": []byte(strings.Repeat("x", template.MaxSize+1))}, "index.tmpl.html: the file is larger than 256 KiB; make it smaller"},
		"routes":         {map[string][]byte{route.RoutesFile: []byte("[" + strings.Repeat("0,", jsonfile.MaxSize/2) + "0]")}, "routes.json: the file is larger than 1024 KiB; make it smaller"},
		"patterns": {map[string][]byte{"index.html": nil, route.RoutesFile: []byte("[" + strings.Repeat("\n"+`{"path": "/p", "when": {"field": {"a": {"matches": "(`+strings.Repeat("a", 30)+`){1000}"}}}, "location": "/"},`, 60) + "\n" + `{"path": "/p"}]`)},
			"routes.json:5:52: /3/when/field/a/matches: the patterns of the file are too large, with their repetitions; repeat less\nroutes.json:62:1: /60: nothing to answer with: there is no page at /p; add \"file\", \"location\" or a \"status\""},
		"state": {map[string][]byte{route.StateFile: make([]byte, jsonfile.MaxSize+1)}, "state.json: the file is larger than 1024 KiB; make it smaller"},
	} {
		t.Run(name, func(t *testing.T) {
			_, faults := build(tree{"a.test": c.files}, func(_, name string) string { return name })
			need.Equal(t, "faults", c.want, faults.Error())
		})
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// What a request makes the state keep is made once.
func TestBombOfCopies(t *testing.T) {
	var sets []string
	for i := range 10_000 {
		sets = append(sets, fmt.Sprintf(`"k%d": {"from": "field.a"}`, i))
	}
	set, faults := build(tree{"a.test": {"index.html": nil, route.RoutesFile: []byte(`[{"path": "/x", "set": {` + strings.Join(sets, ",") + `}, "location": "/"}]`)}},
		func(_, name string) string { return name })
	need.OK(t, faults.Err())
	r := httptest.NewRequest(http.MethodGet, "http://a.test/", nil)
	r.URL = &url.URL{Path: "/x", RawQuery: "a=" + strings.Repeat("x", 50_000) + "&a=b"}
	rec := httptest.NewRecorder()
	before := allocated()
	set.NewWeb().ServeHTTP(rec, r)
	if made := allocated() - before; rec.Code != http.StatusInsufficientStorage || made > 50<<20 {
		t.Errorf("status %d, and %d MB were allocated", rec.Code, made>>20)
	}
}
