package serve

import (
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/web"
)

// folder makes files below a new folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		need.Write(t, p, content)
	}
	return dir
}

func open(t testing.TB, dirs ...string) *web.Set {
	t.Helper()
	s, err := web.Open(dirs...)
	need.OK(t, err)
	return s
}
