package subject

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestOlderBuild(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, age time.Duration) {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(-age)
		if err := os.Chtimes(name, when, when); err != nil {
			t.Fatal(err)
		}
	}
	write("dist/index.js", time.Hour)
	if got := OlderBuild(dir); got != "" {
		t.Errorf("without source: %s", got)
	}
	write("src/tools/a.ts", 2*time.Hour)
	if got := OlderBuild(dir); got != "" {
		t.Errorf("built after the source: %s", got)
	}
	write("src/tools/b.ts", time.Minute)
	if got := OlderBuild(dir); !strings.Contains(got, "b.ts is newer than dist/index.js") {
		t.Errorf("built before the source: %q", got)
	}
}
