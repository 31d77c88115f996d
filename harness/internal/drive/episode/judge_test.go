package episode_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

// lateLog is a session whose access log comes at the end of the time for it.
type lateLog struct {
	*canned
	requests []web.Request
	err      error
	asked    func()
}

func (s *lateLog) Requests(ctx context.Context) (web.Log, error) {
	s.asked()
	<-ctx.Done()
	return web.Log{Requests: s.requests}, s.err
}

// Facts that are complete are judged, even if their time ended with them.
func TestFactsAtTheLastMoment(t *testing.T) {
	tests := []struct {
		name   string
		status int // of the one request
		err    error
		stop   bool // the run, meanwhile
		want   record.Status
		judged bool
	}{
		{name: "a contract that holds", status: 200, want: record.Passed, judged: true},
		{name: "a contract that does not hold", status: 404, want: record.Failed, judged: true},
		{name: "cut off", err: context.DeadlineExceeded, want: record.Inconclusive, judged: true},
		{name: "the run was stopped", status: 200, stop: true, want: record.Interrupted},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				var log []record.Event
				o := options(t, nil, calls(), &log)
				var faults []judge.Fault
				if o.Task.Success, faults = judge.Parse([]byte(`{"kind":"network","url_pattern":"example.com","status_in":[200],"since":"contract_enter"}`)); len(faults) > 0 {
					t.Fatal(faults)
				}
				o.Session = &lateLog{&canned{tools: page("Example")}, []web.Request{{Time: time.Now(), URL: "https://example.com/", Status: test.status}}, test.err, func() {
					if test.stop {
						cancel()
					}
				}}
				stop, err := episode.Run(ctx, o)
				need.OK(t, err)
				need.Is(t, fmt.Sprintf("got %+v", stop), test.want, stop.Status)
				judged := slices.ContainsFunc(log, func(e record.Event) bool { return e.Body.Type() == record.TypeContractEval })
				need.Is(t, "judged", test.judged, judged)
			})
		})
	}
}
