package harness_test

import (
	"encoding/json"
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

// shopping buys a teapot: a page, a form sent, a redirect, a page.
const shopping = `{"tool": "navigate", "args": {"url": "https://shop.test/products/teapot", "tabId": "{{tabId}}"}}
{"tool": "interact", "args": {"tabId": "{{tabId}}", "query": "Add to cart button"}, "expect": {"isError": false}}
`

// Every kind of assertion that the stand-in can serve holds on the shop after
// the transcript, and none of its mutations does. What the stand-in cannot give
// is inconclusive and names what is missing.
func TestEveryKindOnTheStandin(t *testing.T) {
	network := func(pattern, status, since string) string {
		return `{"kind":"network","url_pattern":"` + pattern + `","status_in":[` + status + `],"since":"` + since + `"}`
	}
	const (
		url      = `{"kind":"url","pattern":"^https://shop\\.test/cart$"}`
		text     = `{"kind":"dom_text","selector":"h1","contains":"cart"}`
		anyText  = `{"kind":"dom_text","contains":"Clay teapot"}`
		counted  = `{"kind":"dom_count","selector":"tr.line","op":"eq","value":1}`
		noDialog = `{"kind":"no_dialog"}`
	)
	not := func(c string) string { return `{"kind":"not","child":` + c + `}` }
	and := func(c ...string) string { return `{"kind":"and","children":[` + strings.Join(c, ",") + `]}` }
	either := func(c ...string) string { return `{"kind":"or","children":[` + strings.Join(c, ",") + `]}` }
	swap := strings.Replace
	tests := []struct {
		name     string
		contract string
		status   record.Status
		reason   string
	}{
		{name: "url", contract: url, status: record.Passed},
		{name: "url-wrong", contract: swap(url, "cart", "carts", 1), status: record.Failed},
		{name: "url-not", contract: not(url), status: record.Failed},
		{name: "text", contract: text, status: record.Passed},
		{name: "text-wrong", contract: swap(text, "cart", "Cart of others", 1), status: record.Failed},
		{name: "text-not", contract: not(text), status: record.Failed},
		{name: "any-text", contract: anyText, status: record.Passed},
		{name: "any-text-wrong", contract: swap(anyText, "Clay", "clay", 1), status: record.Failed},
		{name: "text-invalid", contract: swap(text, `"h1"`, `"h1["`, 1), status: record.Inconclusive, reason: "not a valid selector"},
		{name: "count", contract: counted, status: record.Passed},
		{name: "count-wrong", contract: swap(counted, `"value":1`, `"value":2`, 1), status: record.Failed},
		{name: "count-op", contract: swap(counted, `"eq","value":1`, `"lte","value":0`, 1), status: record.Failed},
		{name: "count-not", contract: not(counted), status: record.Failed},
		{name: "count-zero", contract: swap(swap(counted, "tr.line", "tr.none", 1), `"value":1`, `"value":0`, 1), status: record.Passed},
		{name: "network", contract: network("^https://shop.test/cart$", "303", "contract_enter"), status: record.Passed},
		{name: "network-status", contract: network("^https://shop.test/cart$", "404,500", "contract_enter"), status: record.Failed},
		{name: "network-url", contract: network("^https://shop.test/checkout$", "200,303", "contract_enter"), status: record.Failed},
		{name: "network-not", contract: not(network("^https://shop.test/cart$", "303", "contract_enter")), status: record.Failed},
		{name: "network-early", contract: network("/products/teapot", "200", "contract_enter"), status: record.Passed},
		{name: "network-since", contract: network("/products/teapot", "200", "last_tool_call"), status: record.Failed},
		{name: "network-last", contract: network("/cart$", "200", "last_tool_call"), status: record.Passed},
		{
			name:     "network-both",
			contract: and(network("/cart$", "200", "last_tool_call"), network("/products/teapot", "200", "contract_enter"), not(network("/products/teapot", "200", "last_tool_call"))),
			status:   record.Passed,
		},
		{name: "dialog", contract: noDialog, status: record.Passed},
		{name: "dialog-not", contract: not(noDialog), status: record.Failed},
		{name: "tree", contract: and(url, either(swap(counted, `"value":1`, `"value":9`, 1), text), not(swap(text, "cart", "nothing", 1)), noDialog), status: record.Passed},
		{name: "tree-wrong", contract: and(url, either(swap(counted, `"value":1`, `"value":9`, 1), swap(text, "cart", "nothing", 1))), status: record.Failed},
		{name: "screenshot", contract: `{"kind":"screenshot_class","class_id":"cart","distance_max":8}`, status: record.Inconclusive, reason: "only in a browser that it starts"},
		{name: "performance", contract: `{"kind":"performance","schema_version":1,"metric":"paint.first-paint","unit":"ms","op":"lte","value":1000,"max_age_ms":10000}`, status: record.Inconclusive, reason: "only in a browser that it starts"},
		{name: "console", contract: `{"kind":"console","schema_version":1,"type":"error","op":"eq","value":0,"max_age_ms":10000}`, status: record.Inconclusive, reason: "only in a browser that it starts"},
		{name: "image-qa", contract: `{"kind":"image_qa","question":"q","expected_pattern":"a"}`, status: record.Inconclusive, reason: "host_runtime_did_not_wire_imageQaSample"},
	}
	tasks, out := t.TempDir(), t.TempDir()
	for _, test := range tests {
		writeTask(t, filepath.Join(tasks, test.name), "https://shop.test/", test.contract, shopping)
	}
	o := onStandin(out)
	o.Tasks, o.Parallel = tasks, 2
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
		if e.Status != record.Passed && (e.Explanation == nil || e.FailedContract == nil) {
			t.Errorf("%s: what did not pass is not explained", test.name)
		}
	}
	// And every verdict can be had again from the log.
	need.OK(t, harness.Call(t.Context(), "report:show", harness.Options{Out: out, Judge: true, Stdout: o.Stdout, Stderr: o.Stderr}))
}

func writeTask(t *testing.T, dir, startURL, contract, transcript string) {
	t.Helper()
	spec, err := json.Marshal(map[string]any{
		"id": filepath.Base(dir), "title": "T", "goal": "G", "startUrl": startURL, "success": json.RawMessage(contract),
	})
	need.OK(t, err)
	need.OK(t, os.MkdirAll(dir, 0o755))
	need.OK(t, os.WriteFile(filepath.Join(dir, "task.json"), spec, 0o644))
	need.OK(t, os.WriteFile(filepath.Join(dir, "transcript.jsonl"), []byte(transcript), 0o644))
}
