package episode_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/launch"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/serve"
)

// On the stand-in an adapter that opens an address without a page has failed. It is void where the page or
// the task leads there.
func TestAstray(t *testing.T) {
	host := filepath.Join(t.TempDir(), "toy.test")
	need.OK(t, os.Mkdir(host, 0o755))
	for name, text := range map[string]string{
		"index.html":  plantedHead + `<h1>Shop</h1><a href="/data.json">Data</a>`,
		"data.json":   `{}`,
		"routes.json": `[{"path": "/data.json", "file": "data.json"}, {"path": "/none", "status": 204}]`,
	} {
		need.Write(t, filepath.Join(host, name), text)
	}
	set, err := web.Open(filepath.Dir(host))
	need.OK(t, err)
	ca, err := serve.NewCA(set.Hosts()...)
	need.OK(t, err)
	l, err := launch.NewStandin(launch.StandinOptions{Sites: set, CA: ca})
	need.OK(t, err)
	t.Cleanup(func() { l.Close() })
	to := func(url string) []adapter.Call {
		raw, _ := json.Marshal(map[string]string{"url": url, "tabId": "TAB"})
		return []adapter.Call{{Tool: "navigate", Args: raw}}
	}
	read := adapter.Call{Tool: "read_page", Args: json.RawMessage(`{"tabId":"TAB"}`)}
	for _, test := range []struct {
		name, start string
		calls       []adapter.Call
		status      record.Status
		reason      string // part of it
	}{
		{"no HTML", "/", to("https://toy.test/data.json"), record.Failed, "no page to judge: the stand-in shows none: needs a real browser: an answer that is not a UTF-8 page"},
		{"no content", "/", to("https://toy.test/none"), record.Failed, "an answer that is not a UTF-8 page"},
		{"no host", "/", to("https://none.test/"), record.Failed, "no page to judge: the stand-in shows none: needs a real browser: an error page"},
		{"no host, and a look at it", "/", append(to("https://none.test/"), read), record.Failed, "an error page"},
		{"a link of the page", "/", []adapter.Call{{Tool: "interact", Args: json.RawMessage(`{"tabId":"TAB","query":"Data"}`)}}, record.Inconclusive, "an answer that is not a UTF-8 page"},
		{"the start page of the task", "/data.json", nil, record.Inconclusive, ""},
		{"a call beyond the stand-in", "/", []adapter.Call{{Tool: "computer", Args: json.RawMessage(`{"tabId":"TAB","action":"screenshot"}`)}}, record.Inconclusive, "computer beyond"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log []record.Event
			o := options(t, nil, decide(func(_ context.Context, s adapter.State) (adapter.Decision, error) {
				n := len(s.Steps) - 1
				if n == len(test.calls) {
					return adapter.Decision{Done: true}, nil
				}
				c := test.calls[n]
				c.Args = json.RawMessage(strings.Replace(string(c.Args), "TAB", s.TabID, 1))
				return adapter.Decision{Call: c}, nil
			}), &log)
			o.Task.StartURL, o.Launcher, o.Session = "https://toy.test"+test.start, "standin", launchToy(t, l)
			stop, err := episode.Run(t.Context(), o)
			if err != nil || stop.Status != test.status || !strings.Contains(stop.Reason, test.reason) {
				t.Errorf("got %s (%s), error %v, want %s (%s)", stop.Status, stop.Reason, err, test.status, test.reason)
			}
		})
	}
}
