package page_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
)

// needAxe returns the source of axe-core, which .ci/peers.sh installs beside the peers.
func needAxe(t *testing.T) string {
	t.Helper()
	const env = "OPENCHROME_BENCH_PEERS"
	modules := os.Getenv(env)
	if modules == "" {
		need.Missing(t, "needs axe-core: install it with .ci/peers.sh and set "+env)
	}
	source, err := os.ReadFile(filepath.Join(modules, "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatalf("%v; run .ci/peers.sh again", err)
	}
	return string(source)
}

// axe fails the test for each fault that axe-core finds in the page that is open.
func (b *browser) axe(t *testing.T, source, where string) {
	t.Helper()
	b.eval(t, source+";0", nil)
	var faults []struct {
		ID, Help string
		Nodes    []struct{ HTML, FailureSummary string }
	}
	b.eval(t, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations)`, &faults)
	for _, f := range faults {
		for _, n := range f.Nodes {
			t.Errorf("%s: %s: %s\n%s\n%s", where, f.ID, f.Help, n.HTML, n.FailureSummary)
		}
	}
}

func TestAxe(t *testing.T) {
	source := needAxe(t)
	b := startBrowser(t)
	b.call(t, "Page.setBypassCSP", map[string]any{"enabled": true}, nil) // axe-core parses HTML
	r := mixed(t)
	told(r, 3, "Ada")
	page := write(t, r, "")
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range []int{1280, 390} {
			for _, anchor := range []string{"", "#episode=local-form-submit%231", "#episode=local-form-submit%232", "#episode=local-recovery-stall%231"} {
				b.look(t, scheme, width)
				b.open(t, page, anchor)
				if anchor != "" {
					b.until(t, heading)
				}
				b.eval(t, `document.querySelectorAll("details").forEach(d => d.open = true)`, nil)
				b.axe(t, source, fmt.Sprintf("%s, %d wide, %s", scheme, width, anchor))
			}
		}
	}
}
