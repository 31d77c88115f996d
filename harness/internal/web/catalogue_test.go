package web

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

// Small versions of pages that need the advanced features of routes. The steps try the right ways and wrong ones.
func TestCatalogue(t *testing.T) {
	need.Cases(t, "catalogue", func(t *testing.T, files map[string]string) (got string) {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			got = walk(t, oneSite(t, files).NewWeb(), files["steps"])
			got += "\ntook " + time.Since(began).String() // the sum of the delays
		})
		return got
	})
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"a": {"b": [1, "x", null, {"c": true}]}}`)
	f.Add(`[[[[1]]], 1e5, ""]`)
	f.Add(`{"a": 1} 2`)
	w := oneSite(f, map[string]string{"out.tmpl.json": `{"a": {{index .JSON "a"}}, "all": {{.JSON}}}`, "routes.json": `[{"method": "POST", "path": "/out.json"}]`}).NewWeb()
	f.Fuzz(func(t *testing.T, body string) {
		// The web answers every body that it can read with valid JSON.
		if got := send(w, "/out.json", "application/json", body); got[:4] != "200 " && got != "400 the JSON cannot be read" {
			t.Errorf("%q: %s", body, got)
		}
	})
}
