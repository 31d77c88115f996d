package episode_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// windows is a browser whose tabs have their ids as headings. It knows when each tab was
// closed.
type windows struct {
	watched
	closed map[string]time.Time
	judged []string
}

func (w *windows) Closed(tab string) bool {
	at, ok := w.closed[tab]
	return ok && !time.Now().Before(at)
}

func (w *windows) Read(_ context.Context, r facts.Request) (observer.Reading, error) {
	w.judged = append(w.judged, r.TabID)
	if _, ok := w.closed[r.TabID]; ok { // and the tab is gone when the reading ends
		time.Sleep(time.Millisecond)
	}
	if w.Closed(r.TabID) {
		return observer.Reading{}, &facts.NoPage{Why: "the tab is closed"}
	}
	return heading(r.TabID, true), nil
}

// The judged tab is the last one that a successful call opened or named. If its page closed
// it, it is the one before that; if the adapter closed it, there is no page to judge.
func TestJudgedTab(t *testing.T) {
	const opener, popup = "Example", "POPUP"
	use := func(tab string) adapter.Call {
		return adapter.Call{Tool: "read_page", Args: fmt.Appendf(nil, `{"tabId":%q}`, tab)}
	}
	list := adapter.Call{Tool: "tabs_context"}
	shut := adapter.Call{Tool: "tabs_close", Args: []byte(`{"tabId":"POPUP"}`)}
	for _, test := range []struct {
		name   string
		calls  []adapter.Call
		closes time.Duration // when the page closes the popup; 0: never
		ids    []string      // the current tab before each call and at the end
		judged string        // the last tab that was read
		status record.Status
		reason string
	}{
		{"the start", nil, 0, []string{opener}, opener, record.Passed, ""},
		{"a popup that nobody names", []adapter.Call{list}, 0, []string{opener, opener}, opener, record.Passed, ""},
		{"in the popup", []adapter.Call{list, use(popup), list}, 0, []string{opener, opener, popup, popup}, popup, record.Failed, `got: "POPUP"`},
		{"back in the opener", []adapter.Call{use(popup), use(opener)}, 0, []string{opener, popup, opener}, opener, record.Passed, ""},
		{"the popup closes itself", []adapter.Call{use(popup), list}, 1, []string{opener, opener, opener}, opener, record.Passed, ""},
		{"it closes while it is judged", []adapter.Call{use(popup)}, time.Second, []string{opener, popup}, opener, record.Passed, ""},
		{"the adapter closes it", []adapter.Call{use(popup), shut, list}, 0, []string{opener, popup, popup, popup}, popup, record.Failed, "no page to judge: the tab is closed"},
		{"and goes back", []adapter.Call{use(popup), shut, use(opener)}, 0, []string{opener, popup, popup, opener}, opener, record.Passed, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tools := page("")
				tools["navigate"] = text(`{"tabId":"Example"}`)
				tools["tabs_context"] = text("{}")
				w := &windows{closed: map[string]time.Time{}}
				if test.closes > 0 {
					w.closed[popup] = time.Now().Add(test.closes)
				}
				tools["tabs_close"] = func(context.Context, string) (adapter.Result, error) {
					w.closed[popup] = time.Now()
					return textResult(`{"success":true,"closed":["POPUP"]}`, false), nil
				}
				tools["read_page"] = func(context.Context, string) (adapter.Result, error) {
					time.Sleep(time.Millisecond)
					return textResult("fine", false), nil
				}
				var log []record.Event
				var ids []string
				o := options(t, tools, decide(func(_ context.Context, s adapter.State) (adapter.Decision, error) {
					ids = append(ids, s.TabID)
					if n := len(s.Steps) - 1; n < len(test.calls) {
						return adapter.Decision{Call: test.calls[n]}, nil
					}
					return adapter.Decision{Done: true}, nil
				}), &log)
				stop, err := episode.RunOn(t.Context(), o, w)
				if err != nil || stop.Status != test.status || !strings.Contains(stop.Reason, test.reason) {
					t.Errorf("got %s: %s, %v; want %s: %s", stop.Status, stop.Reason, err, test.status, test.reason)
				}
				need.Equal(t, "current tabs", test.ids, ids)
				if last := w.judged[len(w.judged)-1]; last != test.judged {
					t.Errorf("judged %s, want %s", last, test.judged)
				}
				if facts := only[record.Facts](t, log); facts.Provenance.TargetID != test.judged {
					t.Errorf("the log says that %s was judged, want %s", facts.Provenance.TargetID, test.judged)
				}
			})
		})
	}
}
