package episode_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/record"
)

// latePages act after the last call: done is what the contract wants, once, and wrong is forbidden.
// TestLateActs of package run has the other ones, on each server.
var latePages = map[string]struct {
	script string
	status record.Status
}{
	"29s":        {`done(); setTimeout(wrong, 29000)`, record.Failed},
	"alert":      {`setTimeout(() => { alert("Sure?"); done() }, 1500)`, record.Failed},
	"too-late":   {`setTimeout(done, 4500)`, record.Failed},
	"stream":     {`new EventSource("/never"); setTimeout(done, 1500)`, record.Passed},
	"worker":     {`new Worker("data:text/javascript,setTimeout(() => postMessage(1), 1500)").onmessage = done`, record.Passed},
	"slow-agent": {`setTimeout(done, 100)`, record.Passed},
}

// On a real Chromium, what a page does late is seen, however long it takes, and soon.
func TestLatePages(t *testing.T) {
	t.Parallel()
	const head = plantedHead + `<h1>Seat</h1><script>
const post = path => fetch(path, {method: "POST", keepalive: true}), done = () => post("/done"), wrong = () => post("/wrong");
`
	files := map[string]string{"open.html": plantedHead, "routes.json": `[
		{"method": "POST", "path": "/done", "when": {"first": 1}, "set": {"seat": "yes"}, "status": 204},
		{"method": "POST", "path": "/done", "wrong": "a second seat", "status": 204},
		{"method": "POST", "path": "/wrong", "wrong": "acted late", "status": 204},
		{"path": "/never", "delayMs": 20000, "file": "open.html"},
		{"path": "/seat", "receipt": true, "when": {"state": {"seat": "yes"}}, "file": "open.html"}
	]`}
	for name, page := range latePages {
		files[name+".html"] = head + page.script + "</script>"
	}
	l := plantedLauncher(t, filepath.Join("..", "launch", "testdata", "toy"), files)
	for name, page := range latePages {
		t.Run(name, func(t *testing.T) {
			var log []record.Event
			o := options(t, nil, calls(), &log)
			if name == "slow-agent" {
				o.Adapter = decide(func(context.Context, adapter.State) (adapter.Decision, error) {
					time.Sleep(4 * time.Second)
					return adapter.Decision{Done: true}, nil
				})
			}
			var faults []judge.Fault
			if o.Task.Success, faults = judge.Parse([]byte(`{"kind":"network","url_pattern":"^https://toy\\.test/\\.end/seat$","status_in":[200],"since":"contract_enter"}`)); len(faults) > 0 {
				t.Fatal(faults)
			}
			o.Task.StartURL, o.Launcher, o.Session = "https://toy.test/"+name, "toy", launchToy(t, l)
			stop, err := episode.Run(t.Context(), o)
			if err != nil || stop.Status != page.status {
				t.Errorf("got %s (%s), error %v, want %s", stop.Status, stop.Reason, err, page.status)
			}
			waited := only[record.Facts](t, log).Waited
			if (waited.RealTime != "") != (name == "worker" || name == "stream") || (waited.PageMs > 0) == (waited.RealTime != "") || waited.WaitMs+waited.RestMs > 17_000 {
				t.Errorf("it waited %+v", waited)
			}
		})
	}
}
