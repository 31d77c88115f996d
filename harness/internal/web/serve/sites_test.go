package serve

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/internal/web"
)

// folder makes files below a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t testing.TB, dirs ...string) *web.Set {
	t.Helper()
	s, err := web.Open(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
