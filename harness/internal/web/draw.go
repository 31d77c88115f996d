package web

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web/route"
	"github.com/openchrome/bench/harness/internal/web/template"
)

// A Draw holds the values of one task, and the hosts that show them. The zero value has
// none.
type Draw struct {
	Hosts  []string     `json:"hosts,omitempty"`
	Values param.Values `json:"values,omitempty"`
}

// showsValues reports whether files of a host show values of a task: a template has
// {{.Param.NAME}}, or routes.json or state.json has {{param.NAME}}.
func showsValues(files map[string][]byte) bool {
	for name, data := range files {
		switch {
		case name == route.RoutesFile || name == route.StateFile:
			if param.Uses(string(data)) {
				return true
			}
		case template.Is(name):
			if bytes.Contains(data, []byte(".Param")) {
				return true
			}
		}
	}
	return false
}

// Draws returns the hosts that show the values of a task, sorted. They are served only after
// [Set.With].
func (s *Set) Draws() []string { return slices.Sorted(maps.Keys(s.draws)) }

// With returns a Set in which the hosts of d show its values. Other hosts in [Set.Draws] stay
// unserved. The error is [jsonfile.Faults]: a host that shows no values, or faults of a host's
// files with these values.
func (s *Set) With(d Draw) (*Set, error) {
	if len(d.Hosts) == 0 {
		return s, nil
	}
	with := *s
	with.sites = maps.Clone(s.sites)
	var faults jsonfile.Faults
	for _, host := range d.Hosts {
		files, ok := s.draws[host]
		if !ok {
			faults = append(faults, jsonfile.Whole(host, "no fixture site of this name shows drawn values%s", display.DidYouMean(host, s.Draws())))
			continue
		}
		drawn, more := newSite(files, d.Values, func(name string) string { return s.at(host, name) })
		with.sites[host], faults = func() *site { return drawn }, append(faults, more...)
	}
	return &with, faults.Err()
}

// Draw makes the web show the values of a task. Call it before the first request. The error
// wraps the one of [Set.With].
func (w *Web) Draw(d Draw) error {
	set, err := w.set.Load().With(d)
	if err != nil {
		return fmt.Errorf("values of the fixture web: %w", err)
	}
	w.set.Store(set)
	return nil
}
