package trials

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openchrome/bench/harness/internal/command/run"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/option"
)

// The log of a run that differs is kept with the pages that it names, where it has any.
func TestKeep(t *testing.T) {
	for _, pages := range []bool{true, false} {
		v := &verifier{Options: run.Options{Values: option.Values{Out: t.TempDir()}}}
		o := run.Options{Values: option.Values{Out: t.TempDir(), RunID: "r-2"}}
		files := []string{filepath.Join("events", "r-2.jsonl")}
		if pages {
			files = append(files, filepath.Join("events", "r-2", "t-1", "page.json"))
		}
		for _, name := range files {
			name = filepath.Join(o.Out, name)
			need.Write(t, name, "{}")
		}
		need.OK(t, os.MkdirAll(filepath.Join(v.Out, "events"), 0o755))
		if _, err := v.keep(o); err != nil {
			t.Errorf("pages %t: %v", pages, err)
		}
		for _, name := range files {
			if raw, err := os.ReadFile(filepath.Join(v.Out, name)); err != nil || string(raw) != "{}" {
				t.Errorf("pages %t: %s: %q, %v", pages, name, raw, err)
			}
		}
	}
}

// Nothing is copied through a link.
func TestKeepLink(t *testing.T) {
	o := run.Options{Values: option.Values{Out: t.TempDir(), RunID: "r-2"}}
	log, page := filepath.Join("events", "r-2.jsonl"), filepath.Join("events", "r-2", "t-1", "page.json")
	need.OK(t, os.MkdirAll(filepath.Join(o.Out, filepath.Dir(page)), 0o755))
	for _, name := range []string{log, page} {
		need.Write(t, filepath.Join(o.Out, name), "{}")
	}
	v := &verifier{Options: run.Options{Values: option.Values{Out: t.TempDir()}}}
	other := t.TempDir()
	need.OK(t, os.Mkdir(filepath.Join(v.Out, "events"), 0o755))
	if err := os.Symlink(other, filepath.Join(v.Out, "events", "r-2")); err != nil {
		t.Skip(err)
	}
	if _, err := v.keep(o); err == nil {
		t.Error("it copied through a link")
	}
	if entries, _ := os.ReadDir(other); len(entries) > 0 {
		t.Errorf("written: %v", entries)
	}
}
