package web

import (
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/sites"
)

// The built-in hosts, which Open does not check, have no faults.
func TestBuiltInHosts(t *testing.T) {
	tree, faults := readTree(sites.FS, func(name string) string { return name }, &budget{})
	set, more := build(tree, func(host, name string) string { return host + "/" + name })
	need.OK(t, append(append(jsonfile.Faults{}, faults...), more...).Err())
	if len(set.sites) < 40 {
		t.Errorf("only %d hosts", len(set.sites))
	}
}
