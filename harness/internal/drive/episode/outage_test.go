package episode_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/record"
)

// webless is a session whose web may be gone.
type webless struct {
	*canned
	web error
}

func (s webless) Outage(context.Context) error { return s.web }

// What the session ran on is not OpenChrome's failure, however the episode ended;
// and a pass needs none of it.
func TestOutage(t *testing.T) {
	gone := &session.Outage{Err: errors.New("its container is gone")}
	lost := func(context.Context, string) (adapter.Result, error) {
		return adapter.Result{}, &session.Error{Tool: "lost", Err: gone}
	}
	const acquitted = "not OpenChrome's fault: its container is gone"
	for _, test := range []struct {
		name   string
		web    error
		tools  map[string]tool
		call   string
		status record.Status
		reason string
	}{
		{"of the web, and the contract does not hold", gone, page("Other"), "read_page", record.Inconclusive, acquitted},
		{"of the web, and the time cap is hit", gone, page("Other"), "silent", record.Inconclusive, acquitted},
		{"of the web, and OpenChrome dies", gone, page("Other"), "dead", record.Inconclusive, acquitted},
		{"of the web, and an answer changed", gone, page("Other"), "other", record.Inconclusive, acquitted},
		{"of nothing, and an answer changed", nil, page("Other"), "other", record.Failed, `the answer of step 1 changed: transcript.jsonl:1: other: expected text with "a page", got the error "Unknown tool: other"`},
		{"of the web, and the contract holds", gone, page("Example"), "read_page", record.Passed, ""},
		{"of the server", nil, with(page("Other"), "javascript_tool", lost), "lost", record.Inconclusive, acquitted},
		{"of the server, after the contract was reached", nil, page("Example"), "lost", record.Passed, ""},
		{"of nothing, and OpenChrome dies", nil, page("Other"), "dead", record.ToolError, "x: transport closed: exit status 3"},
		{"of a web that nobody knows of", errors.New("not recorded"), page("Other"), "silent", record.Timeout, "not done within 10s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.tools["lost"], test.tools["dead"], test.tools["silent"] = lost, dead, silent
				var log []record.Event
				o := options(t, test.tools, calls(test.call), &log)
				if test.call == "other" {
					o.Adapter = expects("a page", "other")
				}
				o.Session = webless{&canned{tools: test.tools}, test.web}
				stop, err := episode.Run(t.Context(), o)
				if err != nil || stop.Status != test.status || stop.Reason != test.reason {
					t.Errorf("%s: %q, %v; want %s: %q", stop.Status, stop.Reason, err, test.status, test.reason)
				}
			})
		})
	}
}

// An outage that shows between two steps ends them.
func TestOutageEndsTheSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := func(context.Context, string) (adapter.Result, error) {
			return adapter.Result{}, &session.Error{Tool: "lost", Err: &session.Outage{Err: errors.New("its container is gone")}}
		}
		var log []record.Event
		o := options(t, with(page("Example"), "javascript_tool", lost), calls("read_page", "read_page", "read_page"), &log)
		stop, err := episode.Run(t.Context(), o)
		if err != nil || stop.Status != record.Inconclusive || stop.Steps != 1 {
			t.Errorf("got %+v, error %v, want inconclusive after 1 step", stop, err)
		}
	})
}

// A web that says nothing holds up the end of an episode for 2 s at most.
func TestSilentWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []record.Event
		o := options(t, page("Other"), calls(), &log)
		o.Session = silentWeb{&canned{tools: page("Other")}}
		began := time.Now()
		stop, err := episode.Run(t.Context(), o)
		if took := time.Since(began); err != nil || stop.Status != record.Inconclusive || took != episode.SettleLimit+2*time.Second {
			t.Errorf("%s, %v after %v; want inconclusive after 5 s", stop.Status, err, took)
		}
	})
}

type silentWeb struct{ *canned }

func (s silentWeb) Outage(ctx context.Context) error {
	<-ctx.Done()
	return &session.Outage{Err: ctx.Err()}
}
