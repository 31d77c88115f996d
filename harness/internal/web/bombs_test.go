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

// What only a large file can do is found when it is read.
func TestBombsOfFiles(t *testing.T) {
	for name, c := range map[string]struct {
		files map[string][]byte
		want  string
	}{
		"large template": {map[string][]byte{"index.tmpl.html": []byte(strings.Repeat("x", template.MaxSize+1))}, "index.tmpl.html: the file is larger than 256 KiB; make it smaller"},
		"routes":         {map[string][]byte{route.RoutesFile: []byte("[" + strings.Repeat("0,", jsonfile.MaxSize/2) + "0]")}, "routes.json: the file is larger than 1024 KiB; make it smaller"},
		"state":          {map[string][]byte{route.StateFile: make([]byte, jsonfile.MaxSize+1)}, "state.json: the file is larger than 1024 KiB; make it smaller"},
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
