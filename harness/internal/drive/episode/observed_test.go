package episode_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// A server that dies with no call pending is judged on the page, and its end is noted.
// One that dies earlier is a tool_error, as without an observer.
func TestServerEnds(t *testing.T) {
	end := &session.Error{Tool: "ping", Err: errors.New("OpenChrome ended: exit status 3")}
	killed := &session.Error{Tool: "ping", Err: &session.Outage{Err: errors.New("OpenChrome ended: signal: killed")}}
	holds, fails := becomes(atOnce, atOnce), becomes(never, atOnce)
	tools := func(name string, f tool) func(*episode.Options) {
		return func(o *episode.Options) { o.Session.(*canned).tools[name] = f }
	}
	for _, test := range []struct {
		name   string
		source watched
		ping   error
		change func(*episode.Options)
		status record.Status
		reason string
		ended  string
	}{
		{name: "it lives", source: watched{page: holds}, status: record.Passed},
		{name: "after its last answer", source: watched{page: holds}, ping: end, status: record.Passed, ended: "OpenChrome ended: exit status 3"},
		{name: "after its last answer, and claimed success", source: watched{page: fails}, ping: end, status: record.Failed, ended: "OpenChrome ended: exit status 3"},
		{name: "killed after its last answer", source: watched{page: holds}, ping: killed, status: record.Passed, ended: "OpenChrome ended: signal: killed"},
		{name: "killed, and the contract does not hold", source: watched{page: fails}, ping: killed, status: record.Inconclusive, reason: "not OpenChrome's fault: OpenChrome ended: signal: killed", ended: "OpenChrome ended: signal: killed"},
		{name: "in a call", source: watched{page: holds}, ping: end, change: tools("read_page", dead), status: record.ToolError, reason: "exit status 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				stop, _ := watch(t, t.Context(), test.source, func(o *episode.Options) {
					if test.change != nil {
						test.change(o)
					}
					o.Session = pingless{o.Session.(*canned), test.ping}
				})
				if stop.Status != test.status || !strings.Contains(stop.Reason, test.reason) || stop.ServerEnded != test.ended {
					t.Errorf("%s (%s), server %q; want %s (%s), server %q", stop.Status, stop.Reason, stop.ServerEnded, test.status, test.reason, test.ended)
				}
			})
		})
	}
}

// With an observer the server reads no page for the harness, and the server says so.
func TestServerReadsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var session *canned
		_, log := watch(t, t.Context(), watched{page: becomes(atOnce, atOnce)}, func(o *episode.Options) {
			session = o.Session.(*canned)
			o.Adapter = calls("read_page", "read_page")
		})
		need.Equal(t, "calls", []string{"navigate", "read_page", "read_page"}, session.calls)
		if facts := only[record.Reset](t, log).Server.Facts; facts != "observer" {
			t.Errorf("facts are read by %q", facts)
		}
		urls := 0
		for _, e := range log {
			if p, ok := e.Body.(*record.Progress); ok && p.URL == "https://seen.test/" {
				urls++
			}
		}
		need.Is(t, "progress events have the observer's URL", 2, urls)
	})
}

// A server that silently hangs keeps nobody waiting for the news of its end.
func TestServerHangsAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		stop, _ := watch(t, t.Context(), watched{page: becomes(atOnce, atOnce)}, func(o *episode.Options) {
			o.Session = mute{o.Session.(*canned)}
		})
		if took := time.Since(began); stop.Status != record.Passed || stop.ServerEnded != "" || stop.DurationMs != 0 || took > 500*time.Millisecond {
			t.Errorf("%s, server %q, duration %v ms, took %v", stop.Status, stop.ServerEnded, stop.DurationMs, took)
		}
	})
}

// mute is a session whose server does not answer a ping.
type mute struct{ *canned }

func (mute) Ping(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// The dialogs that a page opened are logged, and an open one is named.
func TestDialogIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := func(context.Context, time.Duration) (observer.Reading, error) {
			r := heading("Example", true)
			r.Dialogs = []record.Dialog{{Kind: "alert", Message: "Hello"}, {Kind: "confirm", Message: "Delete\x1b it?", Open: true}}
			r.Facts.HasOpenDialog, r.Facts.OpenDialog = true, `confirm "Delete\x1b it?"`
			return r, nil
		}
		stop, log := watch(t, t.Context(), watched{page: page}, func(o *episode.Options) {
			o.Task.Success, _ = judge.Parse([]byte(`{"kind":"no_dialog"}`))
		})
		if want := `want: no dialog is open; got: a dialog is open: confirm "Delete\x1b it?"`; stop.Status != record.Failed || stop.Reason != want {
			t.Errorf("%s: %s; want %s", stop.Status, stop.Reason, want)
		}
		if dialogs := only[record.Facts](t, log).Dialogs; len(dialogs) != 2 || !dialogs[1].Open {
			t.Errorf("dialogs %+v", dialogs)
		}
	})
}

// The page of an episode that did not pass is kept for a person. What cannot be kept is a
// note.
func TestPageIsKept(t *testing.T) {
	scene := observer.Scene{URL: "https://example.com/", Text: "<b>Other</b>", PNG: []byte("png")}
	for _, test := range []struct {
		name   string
		source watched
		all    bool
		block  bool // a file is in the way
		files  []string
	}{
		{name: "failed", source: watched{page: becomes(never, atOnce), scene: scene}, files: []string{"page.json", "page.png"}},
		{name: "without a screenshot", source: watched{page: becomes(never, atOnce)}, files: []string{"page.json"}},
		{name: "passed", source: watched{page: becomes(atOnce, atOnce), scene: scene}},
		{name: "passed, and all are kept", source: watched{page: becomes(atOnce, atOnce), scene: scene}, all: true, files: []string{"page.json", "page.png"}},
		{name: "through tools", source: watched{kind: record.FactsTools, page: becomes(never, atOnce)}},
		{name: "cannot be written", source: watched{page: becomes(never, atOnce), scene: scene}, block: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := t.TempDir()
			if test.block {
				need.Write(t, filepath.Join(out, "events"), "")
			}
			synctest.Test(t, func(t *testing.T) {
				stop, _ := watch(t, t.Context(), test.source, func(o *episode.Options) {
					o.Out, o.Page, o.KeepAll = out, "events/r/t-1", test.all
				})
				if kept := stop.Page == "events/r/t-1"; kept != (test.files != nil) || (stop.PageMissing != "") != test.block {
					t.Errorf("page %q, missing %q", stop.Page, stop.PageMissing)
				}
			})
			var files []string
			list, _ := os.ReadDir(filepath.Join(out, "events", "r", "t-1"))
			for _, f := range list {
				files = append(files, f.Name())
			}
			if !slices.Equal(files, test.files) {
				t.Errorf("files %q, want %q", files, test.files)
			}
			need.Gone(t, filepath.Join(out, "events", "r", ".*"))
			if len(files) == 2 {
				raw, err := os.ReadFile(filepath.Join(out, "events", "r", "t-1", "page.json"))
				if err != nil || !strings.Contains(string(raw), `"text": "<b>Other</b>"`) {
					t.Errorf("page.json: %s, %v", raw, err)
				}
			}
		})
	}
}
