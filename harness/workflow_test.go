package harness_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pinned matches a step with an action that nobody can replace, as they can replace a tag.
var pinned = regexp.MustCompile(`^ +(- )?uses: [\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// The workflows are valid, this project's and those for people to copy, and name actions by
// commit.
func TestWorkflows(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles actionlint")
	}
	var files []string
	for _, pattern := range []string{".github/workflows/*.yml", "docs/ci/*.yml"} {
		names, err := filepath.Glob(filepath.Join(root(), pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(names), err)
		}
		files = append(files, names...)
	}
	// Without shellcheck and pyflakes: a machine may not have them.
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.Contains(line, "uses:") && !pinned.MatchString(line) {
				t.Errorf("%s:%d: %s; want the action's commit, and its version as a comment", file, i+1, strings.TrimSpace(line))
			}
		}
	}
	cmd := exec.Command("go", append([]string{"tool", "actionlint", "-no-color", "-shellcheck=", "-pyflakes="}, files...)...)
	cmd.Dir = root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("actionlint: %v\n%s", err, out)
	}
}
