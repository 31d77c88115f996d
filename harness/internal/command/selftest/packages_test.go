package selftest

import (
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// Each test that -short skips, and each package that works concurrently, is in a list of TestAll.
func TestPackages(t *testing.T) {
	t.Chdir(root)
	p, err := find(t.Context())
	need.OK(t, err)
	for what, list := range map[string][]string{
		"harness/internal/drive/containers":   {p.containers},
		"harness/internal/drive/observer":     {p.observer},
		"harness/internal/drive/devtools":     p.concurrent,
		"harness/internal/command/run":        p.concurrent,
		"harness":                             p.long,
		"harness/internal/drive/episode":      p.long,
		"harness/internal/drive/launch":       p.long,
		"harness/internal/tell/page":          p.long,
		"harness/internal/command/suitecheck": p.long,
		"harness/internal/drive/standin":      p.long,
	} {
		if !slices.ContainsFunc(list, func(name string) bool { return strings.HasSuffix(name, "/bench/"+what) }) {
			t.Errorf("%s is not in %q", what, list)
		}
	}
	for _, name := range slices.Concat(p.concurrent, p.long) {
		if name == p.containers || name == p.observer || strings.HasSuffix(name, "/read/param") {
			t.Errorf("%s is in the wrong list", name)
		}
	}
}
