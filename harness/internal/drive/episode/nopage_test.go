package episode_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// pingless is a session that a ping finds something wrong with.
type pingless struct {
	*canned
	err error
}

func (s pingless) Ping(context.Context) error { return s.err }

// An episode that ends without a page has failed, also by a contract that holds
// of nothing.
func TestNoPage(t *testing.T) {
	const notFound = "JavaScript execution error: Target not found"
	tooLarge := func(context.Context, string) (adapter.Result, error) {
		return adapter.Result{RPCError: &adapter.RPCError{Code: -32000, Message: "the answer is larger than 8 MiB"}}, nil
	}
	list := func(tab string) tool { return text(`{"workers":[{"tabs":[{"tabId":"` + tab + `"}]}]}`) }
	shows := func(url string) tool {
		return text(`{"url":"` + url + `","state":"complete","text":{"h1":null},"count":{},"errors":{}}`)
	}
	for _, test := range []struct {
		name   string
		script tool // javascript_tool
		tabs   tool // tabs_context; nil: there is none
		ping   error
		unopen bool // navigate opens no tab
		status record.Status
		reason string
	}{
		{name: "a page", script: shows("https://example.com/"), status: record.Passed},
		{name: "a blank tab", script: shows("about:blank"), status: record.Failed, reason: "no page to judge: the tab shows a blank page, about:blank"},
		{name: "an error page", script: shows("chrome-error://chromewebdata/"), status: record.Failed, reason: "no page to judge: the tab shows the browser's error page"},
		{name: "a page of the browser", script: shows("chrome://version/"), status: record.Failed, reason: "no page to judge: the tab shows a page of the browser itself"},
		{name: "a closed tab", script: failing(notFound), tabs: list("F17B5A31034FC60710FFCE0BDF2E54D0"), status: record.Failed, reason: "no page to judge: the tab is closed, or it crashed"},
		{name: "a page too large", script: tooLarge, tabs: list(tab), status: record.Failed, reason: "no page to judge: its facts are too large: the answer is larger than 8 MiB"},
		{name: "a page that hangs", script: failing("JavaScript execution error: JS execution timed out after 30000ms"), tabs: list(tab), status: record.Failed, reason: "no page to judge: the page does not answer: javascript_tool: JavaScript execution error: JS execution timed out after 30000ms"},
		{name: "a tab that stands", script: failing(notFound), tabs: list(tab), status: record.Inconclusive, reason: "facts are missing: javascript_tool: " + notFound},
		{name: "a list that is none", script: failing(notFound), tabs: text("{}"), status: record.Inconclusive, reason: notFound},
		{name: "nobody lists tabs", script: failing(notFound), status: record.Inconclusive, reason: notFound},
		{name: "no tab", script: shows("https://example.com/"), unopen: true, status: record.Failed, reason: "no page to judge: no tab was opened"},
		{name: "memory ran out", script: failing(notFound), tabs: list("F17B5A31034FC60710FFCE0BDF2E54D0"), ping: &session.Outage{Err: errors.New("killed for want of memory")},
			status: record.Inconclusive, reason: "not OpenChrome's fault: killed for want of memory"},
		{name: "OpenChrome dies meanwhile", script: failing(notFound), tabs: dead, status: record.ToolError, reason: "exit status 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tools := with(page(""), "javascript_tool", test.script)
				if test.tabs != nil {
					tools["tabs_context"] = test.tabs
				}
				if test.unopen {
					tools["navigate"] = failing("Navigation error: net::ERR_NAME_NOT_RESOLVED")
				}
				var log []record.Event
				o := options(t, tools, calls(), &log)
				var faults []judge.Fault
				o.Task.Success, faults = judge.Parse([]byte(`{"kind":"not","child":{"kind":"dom_text","selector":"h1","contains":"Example"}}`))
				need.None(t, faults)
				o.Session = pingless{o.Session.(*canned), test.ping}
				stop, err := episode.Run(t.Context(), o)
				// off is what the words say: only these pages are surely none of the task.
				off := strings.Contains(stop.Reason, "the tab shows ")
				for _, e := range log {
					if f, ok := e.Body.(*record.Facts); ok && f.Off != off {
						t.Errorf("off is %t: %s", f.Off, f.NoPage)
					}
				}
				if err != nil || stop.Status != test.status || !strings.Contains(stop.Reason, test.reason) {
					t.Errorf("got %s: %q, %v; want %s: %q", stop.Status, stop.Reason, err, test.status, test.reason)
				}
			})
		})
	}
}

// What ended the steps is in the log.
func TestEnd(t *testing.T) {
	for want, test := range map[record.End]struct {
		tools map[string]tool
		a     adapter.Factory
	}{
		record.EndDone:     {page("Other"), calls("read_page")},
		record.EndStepCap:  {page("Other"), calls("read_page", "read_page", "read_page", "read_page", "read_page", "read_page")},
		record.EndNoAnswer: {with(page("Other"), "find", dead), calls("find")},
		record.EndGaveUp: {page("Other"), decide(func(context.Context, adapter.State) (adapter.Decision, error) {
			return adapter.Decision{GaveUp: "it has no tabs"}, nil
		})},
		record.EndNoTool: {page("Other"), decide(func(context.Context, adapter.State) (adapter.Decision, error) {
			return adapter.Decision{NoTool: "drag"}, nil
		})},
		record.EndAdapter: {page("Other"), func() (adapter.Adapter, error) { return nil, errors.New("no key") }},
		record.EndTimeCap: {page("Other"), decide(func(ctx context.Context, _ adapter.State) (adapter.Decision, error) {
			<-ctx.Done()
			return adapter.Decision{}, ctx.Err()
		})},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log []record.Event
			stop, err := episode.Run(t.Context(), options(t, test.tools, test.a, &log))
			need.OK(t, err)
			need.Is(t, fmt.Sprintf("got %+v", stop), want, stop.End)
			// A wrong side effect counts also if the adapter gave up.
			judged := slices.ContainsFunc(log, func(e record.Event) bool { return e.Body.Type() == record.TypeContractEval })
			if (want == record.EndGaveUp || want == record.EndNoTool) && (!judged || string(stop.Cause) != string(want)) {
				t.Errorf("%s: judged %t, cause %s", want, judged, stop.Cause)
			}
		})
	}
}

// An adapter that decides nothing has failed. No server is asked for a tool without a name.
func TestNoDecision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []record.Event
		none := decide(func(context.Context, adapter.State) (adapter.Decision, error) { return adapter.Decision{}, nil })
		stop, err := episode.Run(t.Context(), options(t, page("Other"), none, &log))
		if err != nil || stop.Status != record.AdapterError || stop.Steps != 0 {
			t.Errorf("got %+v, error %v, want %s after no step", stop, err, record.AdapterError)
		}
	})
}
