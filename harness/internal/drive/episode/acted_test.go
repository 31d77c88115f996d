package episode_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// reserve opens an alert, as its server does nothing about, and goes on after it. The tab is attached
// to before that, as in [toyLauncher].
const reserve = `<h1>Seat</h1><script>setTimeout(async () => {
%alert("Reserved");
await fetch("/done", {method: "POST"});
document.querySelector("h1").textContent = "Saved";
}, 1000)</script>`

// On a real Chromium, what a page does only because the observer closed its dialog gives no pass, and
// is no wrong act.
func TestNothingAfterAnAct(t *testing.T) {
	files := map[string]string{
		"frozen.html": plantedHead + strings.Replace(reserve, "%", "", 1),
		"before.html": plantedHead + strings.Replace(reserve, "%", `await fetch("/done", {method: "POST"}); `, 1),
		"during.html": plantedHead + strings.Replace(reserve, "%", `fetch("/slow", {method: "POST"}); `, 1),
		"routes.json": `[
			{"method": "POST", "path": "/done", "when": {"first": 1}, "set": {"seat": "yes"}, "status": 204},
			{"method": "POST", "path": "/done", "wrong": "a second seat", "status": 204},
			{"method": "POST", "path": "/slow", "delayMs": 1000, "status": 204},
			{"path": "/seat", "receipt": true, "when": {"state": {"seat": "yes"}}, "file": "frozen.html"}
		]`,
	}
	l := plantedLauncher(t, filepath.Join("..", "launch", "testdata", "toy"), files)
	request := func(path string) string {
		return `{"kind":"network","url_pattern":"^https://toy\\.test` + path + `$","status_in":[200,204],"since":"contract_enter"}`
	}
	const saved = `{"kind":"dom_text","selector":"h1","contains":"Saved"}`
	both := func(one, two string) string { return `{"kind":"and","children":[` + one + `,` + two + `]}` }
	for _, test := range []struct {
		name, page, contract string
		hangs                bool // the last call, until the cap
		status               record.Status
		reason               string // part of it
	}{
		{"a request", "frozen", request("/done"), false, record.Failed, "/done"},
		{"a request after the cap", "frozen", request("/done"), true, record.Timeout, "not done within"},
		{"a receipt", "frozen", request("/\\\\.end/seat"), false, record.Failed, "/seat"},
		{"a text", "frozen", saved, false, record.Failed, "no page to judge: it answered only after the harness had closed its dialog"},
		{"a request or a text", "frozen", both(request("/frozen"), saved), false, record.Failed, "no page to judge: it answered only after"},
		{"a request before, and a wrong act after", "before", request("/\\\\.end/seat"), false, record.Passed, ""},
		{"a request before that is answered after", "during", request("/slow"), false, record.Passed, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log []record.Event
			o := options(t, nil, decide(func(_ context.Context, s adapter.State) (adapter.Decision, error) {
				if test.hangs && len(s.Steps) == 1 {
					return adapter.Decision{Call: adapter.Call{Tool: "hang"}}, nil
				}
				return adapter.Decision{Done: true}, nil
			}), &log)
			var faults []judge.Fault
			if o.Task.Success, faults = judge.Parse([]byte(test.contract)); len(faults) > 0 {
				t.Fatal(faults)
			}
			o.Task.MaxDurationMs = 30_000
			if test.hangs {
				o.Task.MaxDurationMs = 8_000
			}
			o.Task.StartURL, o.Launcher, o.Session = "https://toy.test/"+test.page, "toy", launchToy(t, l)
			stop, err := episode.Run(t.Context(), o)
			need.OK(t, err)
			if stop.Status != test.status || !strings.Contains(stop.Reason, test.reason) {
				t.Errorf("got %s (%s), want %s (%s)", stop.Status, stop.Reason, test.status, test.reason)
			}
			if facts := only[record.Facts](t, log); len(facts.Dialogs) != 1 {
				t.Errorf("the dialogs %+v", facts.Dialogs)
			}
			if wrong := only[record.ContractEval](t, log).WrongSideEffects; wrong != nil {
				t.Errorf("wrong %q", wrong)
			}
		})
	}
}
