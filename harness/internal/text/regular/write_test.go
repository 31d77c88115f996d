package regular_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/text/regular"
)

// Whatever somebody else put at the place of a file or above it, nothing is written through it.
func TestPut(t *testing.T) {
	tests := []struct {
		name  string
		plant func(t *testing.T, base, victim string)
		ok    bool
	}{
		{"nothing", func(*testing.T, string, string) {}, true},
		{"a file", func(t *testing.T, base, _ string) { write(t, filepath.Join(base, "a", "b", "file")) }, true},
		{"another name of a file", func(t *testing.T, base, victim string) {
			must(t, os.MkdirAll(filepath.Join(base, "a", "b"), 0o755))
			must(t, os.Link(victim, filepath.Join(base, "a", "b", "file")))
		}, true},
		{"a link", func(t *testing.T, base, victim string) {
			must(t, os.MkdirAll(filepath.Join(base, "a", "b"), 0o755))
			link(t, victim, filepath.Join(base, "a", "b", "file"))
		}, false},
		{"a link that stays inside", func(t *testing.T, base, _ string) {
			write(t, filepath.Join(base, "a", "other"))
			must(t, os.Mkdir(filepath.Join(base, "a", "b"), 0o755))
			link(t, filepath.Join("..", "other"), filepath.Join(base, "a", "b", "file"))
		}, false},
		{"a link to nothing", func(t *testing.T, base, victim string) {
			must(t, os.MkdirAll(filepath.Join(base, "a", "b"), 0o755))
			link(t, victim+".new", filepath.Join(base, "a", "b", "file"))
		}, false},
		{"a folder that is a link", func(t *testing.T, base, victim string) { link(t, filepath.Dir(victim), filepath.Join(base, "a")) }, false},
		{"one that stays inside", func(t *testing.T, base, victim string) {
			must(t, os.MkdirAll(filepath.Join(base, "c"), 0o755))
			link(t, "c", filepath.Join(base, "a"))
		}, false},
		{"a pipe", func(t *testing.T, base, _ string) {
			must(t, os.MkdirAll(filepath.Join(base, "a", "b"), 0o755))
			if !mkfifo(t, filepath.Join(base, "a", "b", "file")) {
				t.Skip("no pipes on this machine")
			}
		}, false},
		{"a folder", func(t *testing.T, base, _ string) { must(t, os.MkdirAll(filepath.Join(base, "a", "b", "file"), 0o755)) }, false},
		{"a folder that is a file", func(t *testing.T, base, _ string) { write(t, filepath.Join(base, "a")) }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			base, victims := t.TempDir(), t.TempDir()
			victim := filepath.Join(victims, "file")
			write(t, victim)
			tt.plant(t, base, victim)
			name := filepath.Join("a", "b", "file")
			err := regular.WriteFile(base, name, []byte("new"))
			if (err == nil) != tt.ok {
				t.Errorf("got %v", err)
			}
			if raw, err := os.ReadFile(victim); err != nil || string(raw) != "old" {
				t.Errorf("the victim has %q, %v", raw, err)
			}
			if entries, err := os.ReadDir(victims); err != nil || len(entries) != 1 {
				t.Errorf("beside the victim are %v, %v", entries, err)
			}
			if !tt.ok {
				return
			}
			raw, err := os.ReadFile(filepath.Join(base, name))
			need.OK(t, err)
			need.Is(t, fmt.Sprintf("got %q", raw), "new", string(raw))
			if info, err := os.Stat(filepath.Join(base, name)); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o644) {
				t.Errorf("its mode: %v, %v", info, err)
			}
			if entries, err := os.ReadDir(filepath.Join(base, "a", "b")); err != nil || len(entries) != 1 {
				t.Errorf("left: %v, %v", entries, err)
			}
		})
	}
}

// Nothing that is there already is written to, and no pipe is waited for.
func TestAdd(t *testing.T) {
	base, victims := t.TempDir(), t.TempDir()
	victim := filepath.Join(victims, "file")
	write(t, victim)
	must(t, os.Link(victim, filepath.Join(base, "another name")))
	pipe := mkfifo(t, filepath.Join(base, "pipe"))
	link(t, "new", filepath.Join(base, "link"))
	in, err := os.OpenRoot(base)
	must(t, err)
	defer in.Close()
	for name, ok := range map[string]bool{"file": true, "another name": false, "link": false, "pipe": !pipe} {
		if err := regular.Add(in, name, []byte("new")); (err == nil) != ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if raw, err := os.ReadFile(victim); err != nil || string(raw) != "old" {
		t.Errorf("the victim has %q, %v", raw, err)
	}
	need.Fails(t, need.Err(in.Lstat("new")), "")
}

// A folder below base cannot be named by a way out of it.
func TestOutside(t *testing.T) {
	base := filepath.Join(t.TempDir(), "base")
	for _, name := range []string{filepath.Join("..", "x"), filepath.Join("a", "..", "..", "x")} {
		if in, err := regular.MakeFolder(base, name); err == nil {
			in.Close()
			t.Errorf("%s was opened", name)
		}
	}
	need.Gone(t, filepath.Join(filepath.Dir(base), "x"))
}

func write(t *testing.T, name string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte("old"), 0o666))
}

func link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		t.Skip(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	need.OK(t, err)
}
