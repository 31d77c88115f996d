package sites

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/jsonfile"
	"github.com/openchrome/bench/harness/param"
)

// A Draw holds the values of one task, and the hosts that show them. The zero value has
// none.
type Draw struct {
	Hosts  []string     `json:"hosts,omitempty"`
	Values param.Values `json:"values,omitempty"`
}

// usesParams reports whether files of a host show values of a task: templates as
// {{.Param.NAME}}, routes.json and state.json as {{param.NAME}}.
func usesParams(files map[string][]byte) bool {
	for _, data := range files {
		if bytes.Contains(data, []byte(".Param")) || param.Uses(string(data)) {
			return true
		}
	}
	return false
}

// Draws returns the hosts that are served only with the values of a task, sorted.
func (s *Set) Draws() []string {
	return slices.Sorted(maps.Keys(s.draws))
}

// Files returns the names of the files of a host that is served only with the values of a
// task, sorted.
func (s *Set) Files(host string) []string {
	return slices.Sorted(maps.Keys(s.draws[host]))
}

// With returns the Set in which the hosts of d show its values. The other hosts that need
// values are not served. The error is [jsonfile.Faults]: a host does not exist, or uses
// other values.
func (s *Set) With(d Draw) (*Set, error) {
	if len(d.Hosts) == 0 {
		return s, nil
	}
	drawn := *s
	drawn.sites = maps.Clone(s.sites)
	var faults jsonfile.Faults
	for _, host := range d.Hosts {
		files, ok := s.draws[host]
		switch {
		case s.Has(host) && !ok:
			faults = append(faults, jsonfile.Whole(s.at(host, ""), "no file of this host uses a value, so no task needs to name it in %s", param.FileName))
		case !ok:
			faults = append(faults, jsonfile.Whole(param.FileName, "the host %s is not a fixture site%s", display.Quote(host), display.DidYouMean(host, s.Draws())))
		default:
			site, more := newSite(files, d.Values, func(name string) string { return s.at(host, name) })
			drawn.sites[host], faults = site, append(faults, more...)
		}
	}
	return &drawn, faults.Err()
}

// Draw shows the values of a task from now on. Call it before the first request.
func (w *Web) Draw(d Draw) error {
	set, err := w.set.Load().With(d)
	if err != nil {
		return fmt.Errorf("fill the fixture web: %w", err)
	}
	w.set.Store(set)
	return nil
}
