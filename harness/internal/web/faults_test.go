package web

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// Faults of routes.json, state.json and JSON templates: each is reported at its place.
func TestSiteFaults(t *testing.T) {
	see := func(_ *testing.T, files map[string]string) string {
		site := map[string][]byte{"p.tmpl.html": nil, "data.json": nil, "state.json": []byte(`{"l": [{"a": "", "b": ""}]}`)}
		for name, text := range files {
			site[name] = []byte(text)
		}
		_, faults := build(tree{"a.test": site}, func(_, name string) string { return name })
		return faults.Error()
	}
	need.Cases(t, "faults", see)
	large := `{"a": [` + strings.Repeat("{},", (4<<20)/64) + `{}]}`
	need.Is(t, "large state", `state.json:1:1: /: is larger than 4 MiB; shorten it`, see(t, map[string]string{route.StateFile: large}))
}
