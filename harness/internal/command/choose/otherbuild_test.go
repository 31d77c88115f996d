package choose

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/need"
)

func TestOtherBuild(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, age time.Duration) {
		name = filepath.Join(dir, name)
		need.Write(t, name, "")
		when := time.Now().Add(-age)
		need.OK(t, os.Chtimes(name, when, when))
	}
	write("dist/index.js", time.Hour)
	need.Is(t, "without source", "", OtherBuild(dir))
	write("src/tools/a.ts", 2*time.Hour)
	need.Is(t, "built after the source", "", OtherBuild(dir))
	write("src/tools/b.ts", time.Minute)
	if got := OtherBuild(dir); !strings.Contains(got, "b.ts is newer than dist/index.js") {
		t.Errorf("built before the source: %q", got)
	}
}
