package template

import (
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// A page that would be too large, or never end, is an error. The first is found when it is asked for.
func TestLimits(t *testing.T) {
	read := func(page string) (map[string]*Template, error) {
		found, faults := Parse(map[string][]byte{"index.tmpl.html": []byte(page)}, struct{ N int }{}, nil, func(name string) string { return name })
		return found, faults.Err()
	}
	found, err := read(`{{range .N}}` + strings.Repeat("x", 1000) + `{{end}}`)
	need.OK(t, err)
	_, err = found["index.tmpl.html"].Run(struct{ N int }{10_000})
	need.Fails(t, err, "the page is larger than 4 MiB; make it smaller")
	page, err := found["index.tmpl.html"].Run(struct{ N int }{2})
	need.OK(t, err)
	need.Is(t, "bytes", 2000, len(page))
	_, err = read(`{{define "a"}}{{template "a"}}{{end}}{{template "a"}}`)
	need.Fails(t, err, "exceeded maximum template depth")
}
