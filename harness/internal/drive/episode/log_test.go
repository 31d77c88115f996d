//go:build unix

package episode_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// What another user put at the place of the log of a program is not written through, and does not
// hang the run. The log has the mode of the run's events.
func TestPlantedLog(t *testing.T) {
	for _, tt := range []struct {
		name  string
		plant func(pages, log, victim string) error
		saved bool
	}{
		{"a folder", func(pages, _, _ string) error { return os.Mkdir(pages, 0o777) }, true},
		{"a link", func(_, log, victim string) error { return os.Symlink(victim, log) }, false},
		{"a folder that is a link", func(pages, _, victim string) error { return os.Symlink(filepath.Dir(victim), pages) }, false},
		{"a pipe", func(_, log, _ string) error { return syscall.Mkfifo(log, 0o600) }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var events []record.Event
			p := program(1, adapter.Agent{Output: []byte("printed")})
			o := options(t, page("Example Domain"), of(p), &events)
			o.Out, o.Page = t.TempDir(), "events/r/t-1"
			victim := filepath.Join(t.TempDir(), record.AgentLog)
			need.Write(t, victim, "mine")
			pages := filepath.Join(o.Out, "events", "r", "t-1")
			log := filepath.Join(pages, record.AgentLog)
			above := filepath.Dir(pages)
			if strings.HasPrefix(tt.name, "a link") || tt.name == "a pipe" {
				above = pages
			}
			need.OK(t, os.MkdirAll(above, 0o755))
			if err := tt.plant(pages, log, victim); err != nil {
				t.Skip(err)
			}
			stop, err := episode.Run(t.Context(), o)
			if err != nil || stop.Status != record.Passed || (stop.PageMissing == "") != tt.saved {
				t.Errorf("got %s, %q, %v", stop.Status, stop.PageMissing, err)
			}
			if raw, err := os.ReadFile(victim); err != nil || string(raw) != "mine" {
				t.Errorf("the file of the user has %q, %v", raw, err)
			}
			if info, err := os.Stat(log); tt.saved && err != nil {
				t.Errorf("the log: %v, %v", info, err)
			}
		})
	}
}
