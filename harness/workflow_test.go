package harness_test

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// The workflows are valid: this project's, and the one for people to copy.
func TestWorkflows(t *testing.T) {
	var files []string
	for _, pattern := range []string{".github/workflows/*.yml", "docs/ci/*.yml"} {
		names, err := filepath.Glob(filepath.Join(root(), pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		files = append(files, names...)
	}
	// Without shellcheck and pyflakes: a machine may not have them.
	cmd := exec.Command("go", append([]string{"tool", "actionlint", "-no-color", "-shellcheck=", "-pyflakes="}, files...)...)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}
