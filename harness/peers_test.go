package harness_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/event"
	"github.com/openchrome/bench/harness/openchrome"
	"github.com/openchrome/bench/harness/report"
)

// peersEnv names a node_modules folder that holds the pinned peers.
const peersEnv = "OPENCHROME_BENCH_PEERS"

// The built-in tasks pass on each peer, on this machine's Chromium and by its own calls.
func TestPeers(t *testing.T) {
	modules := os.Getenv(peersEnv)
	if modules == "" {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not set", peersEnv)
		}
		t.Skipf("needs the peers: install them with .ci/peers.sh and set %s", peersEnv)
	}
	calls := map[string]int{"playwright-mcp": 2 + 4 + 5, "chrome-devtools-mcp": 2 + 4 + 5}
	for _, s := range openchrome.Servers() {
		if s.Name == "" {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			out := t.TempDir()
			o := harness.Options{Out: out, RunID: "r"}
			o.OpenChrome = s.Name + ":" + filepath.Join(modules, filepath.FromSlash(s.Package))
			o.Stdout, o.Stderr = io.Discard, io.Discard
			runErr := harness.Run(t.Context(), o)
			r, err := report.Read(filepath.Join(out, "reports", "r.json"))
			if err != nil {
				t.Fatal(runErr, err)
			}
			for _, e := range r.Episodes {
				if e.Status != event.Passed {
					t.Errorf("%s: %s, %s", e.Name, e.Status, e.Reason)
				}
			}
			if got := r.Totals.ToolCalls; got != calls[s.Name] || len(r.Episodes) != 3 {
				t.Errorf("%d calls in %d episodes, want %d in 3", got, len(r.Episodes), calls[s.Name])
			}
			if r.Subject.Launcher != s.Name || !strings.HasPrefix(r.Subject.Package, "sha256:") || r.Subject.Facts != "observer" {
				t.Errorf("subject %+v", r.Subject)
			}
		})
	}
}

// CI installs the versions that the transcripts were made with.
func TestPinnedPeers(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(root(), ".ci", "peers.sh"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range openchrome.Servers() {
		if pin := s.Package + "@" + s.Version; s.Name != "" && !strings.Contains(string(script), pin) {
			t.Errorf(".ci/peers.sh does not install %s", pin)
		}
	}
}
