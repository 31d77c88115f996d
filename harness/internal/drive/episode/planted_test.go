package episode_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

func openToy(url string) adapter.Call {
	raw, _ := json.Marshal(map[string]string{"address": url}) // strings have no error
	return adapter.Call{Tool: "open", Args: raw}
}

// plantedPages are the pages of toy.test.
var plantedPages = map[string]string{
	"open":   `<h1>Open</h1>`,
	"saved":  `<h1>Saved</h1>`,
	"dialog": `<h1>Saved</h1><script src="/later.js"></script>`,
	"hangs":  `<h1>Saved</h1><script>for (;;);</script>`,
	"beats":  `<h1>Open</h1><script>setInterval(() => fetch("/open"), 50)</script>`,
}

// On a real Chromium, whatever the server says and however it or the page ends, the page
// is judged, within the time cap. TestStatus has the exact limit.
func TestPlanted(t *testing.T) {
	l := toyLauncher(t)
	const saved = `{"kind":"dom_text","selector":"h1","contains":"Saved"}`
	// The toy does not wait for its pages. While one loads, the tab has no dialog.
	const quiet = `{"kind":"and","children":[` + saved + `,{"kind":"no_dialog"}]}`
	for _, test := range []struct {
		name, page, contract string
		tools                []string // crash opens a page that crashes
		status               record.Status
		reason               string // part of it
		ended                bool   // the server's end is noted
	}{
		{"it claims success and does nothing", "open", saved, []string{"count"}, record.Failed, `got: "Open"`, false},
		{"it dies after its last answer, and the page holds", "saved", saved, []string{"die"}, record.Passed, "", true},
		{"it dies after its last answer, and the page does not hold", "open", saved, []string{"die"}, record.Failed, `got: "Open"`, true},
		{"it dies before its answer", "saved", saved, []string{"vanish"}, record.ToolError, "exit status 3", false},
		{"it dies before another call", "saved", saved, []string{"die", "count"}, record.ToolError, "exit status 3", false},
		{"it does not answer, and the page holds", "saved", saved, []string{"hang"}, record.Passed, "", false},
		{"it does not answer, and the page does not hold", "open", saved, []string{"hang"}, record.Timeout, "not done within 12s", false},
		{"the tab crashed", "saved", saved, []string{"crash"}, record.Failed, "no page to judge: the tab crashed", false},
		{"the tab is closed", "saved", saved, []string{"close"}, record.Failed, "no page to judge: the tab is closed", false},
		{"the page hangs", "hangs", saved, []string{"count"}, record.Failed, "no page to judge: the page does not answer", false},
		{"a dialog is open", "dialog", quiet, []string{"count"}, record.Failed, `a dialog is open: alert "a question"`, false},
		{"a dialog is open, and the rest is judged", "dialog", saved, []string{"count"}, record.Passed, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log []record.Event
			o := options(t, nil, func() (adapter.Adapter, error) {
				return next(func(_ context.Context, s adapter.State) (adapter.Decision, error) {
					switch n := len(s.Steps) - 1; {
					case n == len(test.tools):
						return adapter.Decision{Done: true}, nil
					case test.tools[n] == "crash":
						return adapter.Decision{Call: openToy("chrome://crash")}, nil
					default:
						return adapter.Decision{Call: adapter.Call{Tool: test.tools[n]}}, nil
					}
				}), nil
			}, &log)
			success, faults := judge.Parse([]byte(test.contract))
			need.None(t, faults)
			// Only these run until the cap. A busy machine must not cut the others short.
			o.Task.MaxDurationMs = 30000
			if test.page == "hangs" || slices.Contains(test.tools, "hang") {
				o.Task.MaxDurationMs = 12_000
			}
			o.Task.Success, o.Task.StartURL = success, "https://toy.test/"+test.page
			o.Launcher, o.Session, o.Out, o.Page = "toy", launchToy(t, l), t.TempDir(), "page"
			stop, err := episode.Run(t.Context(), o)
			need.OK(t, err)
			if stop.Status != test.status || !strings.Contains(stop.Reason, test.reason) || (stop.ServerEnded != "") != test.ended {
				t.Errorf("got %s (%s), server ended: %q; want %s (%s)", stop.Status, stop.Reason, stop.ServerEnded, test.status, test.reason)
			}
			if limit := o.Task.MaxDurationMs; stop.DurationMs > float64(limit+5000) {
				t.Errorf("took %v ms with a cap of %d", stop.DurationMs, limit)
			}
			if test.status == record.Failed {
				scene := readScene(t, filepath.Join(o.Out, "page", "page.json"))
				if asked := len(scene.Dialogs) == 1 && scene.Dialogs[0].Open; asked != (test.page == "dialog") {
					t.Errorf("the dialogs %+v", scene.Dialogs)
				}
			}
		})
	}
}

func readScene(t *testing.T, file string) (s observer.Scene) {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(raw, &s)
	}
	need.OK(t, err)
	return s
}

// toyLauncher starts toys on this machine's Chromium. In CI both are there.
func toyLauncher(t *testing.T) session.Launcher {
	t.Helper()
	// The toy opens a tab at its page at once. Chromium reports no dialog that is older than our session, so
	// it comes later, as it does in tabs that servers open before they navigate.
	files := map[string]string{"alert.js": `alert("a question")`, "routes.json": `[{"path": "/later.js", "file": "alert.js", "delayMs": 1000}]`}
	for name, body := range plantedPages {
		files[name+".html"] = plantedHead + body
	}
	return plantedLauncher(t, filepath.Join("..", "launch", "testdata", "toy"), files)
}

// plantedHead begins a page.
const plantedHead = `<!doctype html><meta charset=utf-8><title>Toy</title><link rel=icon href="data:,">`

// plantedLauncher starts the server in a folder, with files as the only host: toy.test.
func plantedLauncher(t *testing.T, dir string, files map[string]string) session.Launcher {
	t.Helper()
	dir, err := filepath.Abs(dir)
	need.OK(t, err)
	host := filepath.Join(t.TempDir(), "toy.test")
	need.OK(t, os.Mkdir(host, 0o755))
	for name, text := range files {
		need.Write(t, filepath.Join(host, name), text)
	}
	set, err := web.Open(filepath.Dir(host))
	need.OK(t, err)
	ca, err := serve.NewCA(set.Hosts()...)
	need.OK(t, err)
	if testing.Short() {
		t.Skip("needs Chromium, so only mage testAll runs it")
	}
	described, err := server.Open(filepath.Join(dir, "description.json"))
	need.OK(t, err)
	o := launch.LocalOptions{Server: described, Package: dir, Sites: set, CA: ca}
	if _, err := launch.FindLocal(t.Context(), o); err != nil {
		need.Missing(t, err)
	}
	l, err := launch.NewLocal(t.Context(), o)
	need.OK(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func launchToy(t *testing.T, l session.Launcher) session.Session {
	t.Helper()
	ctx := need.Within(t, session.LaunchTimeout)
	s, err := l.Launch(ctx)
	need.OK(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}
