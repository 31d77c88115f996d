package harness_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openchrome/bench/harness"
)

// The list of targets is that of the magefile.
func TestTargets(t *testing.T) {
	mage := func(args ...string) string {
		out, err := exec.Command(bench, args...).Output()
		if err != nil {
			t.Fatalf("mage %s: %v", strings.Join(args, " "), err)
		}
		return string(out)
	}
	got := map[string]bool{}
	for line := range strings.Lines(mage("-l")) {
		if f := strings.Fields(line); strings.HasPrefix(line, "  ") && len(f) > 1 {
			got[f[0]] = strings.Contains(mage("-h", f[0]), "Flags:")
		}
	}
	if diff := cmp.Diff(got, harness.Targets); diff != "" {
		t.Errorf("targets mismatch (-mage +here):\n%s", diff)
	}
}
