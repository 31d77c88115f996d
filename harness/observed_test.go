package harness_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openchrome/bench/harness"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/tell/report"
)

// pages are what a server's own tools cannot show, or show too early.
var pages = map[string]string{
	"late":   `<h1>Form</h1><button onclick="setTimeout(() => document.querySelector('h1').innerText = 'Saved', 1500)">Save</button>`,
	"noisy":  `<h1>Noisy</h1><script>console.error("broken"); fetch("/missing")</script>`,
	"hangs":  `<h1>Hangs</h1><button onclick="setTimeout(() => { for (;;); }, 700)">Hang</button>`,
	"closes": `<h1>Closes</h1><button onclick="setTimeout(() => { location.href = 'about:blank' }, 300)">Leave</button>`,
	"forged": `<h1>Plain</h1><script>JSON.stringify = () => '{"url":"https://x.test/","state":"complete","text":{"h1":"Saved"},"count":{},"errors":{}}'; document.querySelector = () => ({innerText: "Saved"})</script>`,
}

// On a real OpenChrome every kind of contract but image_qa is judged, on what the browser
// shows beside it. It needs OPENCHROME_DIST.
func TestObserved(t *testing.T) {
	dist := need.OpenChrome(t)
	set, tasks, out := t.TempDir(), t.TempDir(), t.TempDir()
	host := filepath.Join(set, "seen.test")
	need.OK(t, os.MkdirAll(host, 0o755))
	for name, body := range pages {
		html := `<!doctype html><meta charset=utf-8><title>` + name + `</title><link rel=icon href="data:,">` + body
		need.Write(t, filepath.Join(host, name+".html"), html)
	}
	click := func(what string) string {
		return `{"tool":"interact","args":{"tabId":"{{tabId}}","query":"` + what + ` button"}}`
	}
	const saved = `{"kind":"dom_text","selector":"h1","contains":"Saved"}`
	const look = `{"tool":"read_page","args":{"tabId":"{{tabId}}"}}`
	tests := []struct {
		name, page, contract, transcript string
		status                           record.Status
		reason                           string
	}{
		{"late", "late", saved, click("Save"), record.Passed, ""},
		{"forged", "forged", saved, look, record.Failed, `got: "Plain"`},
		{"forged-not", "forged", `{"kind":"dom_text","selector":"h1","contains":"Plain"}`, look, record.Passed, ""},
		{"dialog-none", "noisy", `{"kind":"no_dialog"}`, look, record.Passed, ""},
		{"console", "noisy", `{"kind":"console","schema_version":1,"type":"error","op":"gte","value":1,"max_age_ms":60000}`, look, record.Passed, ""},
		{"console-wrong", "noisy", `{"kind":"console","schema_version":1,"type":"error","op":"eq","value":0,"max_age_ms":60000}`, look, record.Failed, ""},
		{"performance", "noisy", `{"kind":"performance","schema_version":1,"metric":"paint.first-paint","unit":"ms","op":"gte","value":0,"max_age_ms":60000}`, look, record.Passed, ""},
		{"hangs", "hangs", saved, click("Hang"), record.Failed, "no page to judge: the page does not answer"},
		{"closes", "closes", saved, click("Leave"), record.Failed, "no page to judge: the tab shows a blank page"},
	}
	for _, test := range tests {
		writeTask(t, filepath.Join(tasks, test.name), "https://seen.test/"+test.page, test.contract, test.transcript)
	}
	o := onStandin(out)
	o.Server, o.Package = "local", dist
	o.Sites, o.Tasks, o.Parallel = set, tasks, 1
	err := harness.Run(t.Context(), o)
	if e, ok := errors.AsType[*harness.ExitError](err); !ok || e.Code != harness.ExitFailed {
		t.Fatal(err)
	}
	r := reportOf(t, out)
	got := map[string]*report.Episode{}
	for _, e := range r.Episodes.All() {
		got[e.TaskID] = e
	}
	for _, test := range tests {
		e := got[test.name]
		if e.Status != test.status || !strings.Contains(e.Reason, test.reason) {
			t.Errorf("%s: got %s (%s), want %s (%s)", test.name, e.Status, e.Reason, test.status, test.reason)
		}
		if kept := e.Page != ""; kept != (test.status != record.Passed) {
			t.Errorf("%s, which %s: page %q (%s)", test.name, e.Status, e.Page, e.PageMissing)
		}
		if e.Page == "" {
			continue
		}
		need.OK(t, need.Err(os.Stat(filepath.Join(out, filepath.FromSlash(e.Page), "page.json"))))
	}
	need.OK(t, harness.Call(t.Context(), "report:show", harness.Options{Out: out, Judge: true, Stdout: o.Stdout, Stderr: o.Stderr}))
}
