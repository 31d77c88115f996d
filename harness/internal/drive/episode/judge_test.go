package episode_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

// after answers after d, unless the call is cancelled before.
func after(d time.Duration, r adapter.Result) tool {
	return func(ctx context.Context, _ string) (adapter.Result, error) {
		select {
		case <-time.After(d):
			return r, nil
		case <-ctx.Done():
			return adapter.Result{}, ctx.Err()
		}
	}
}

// What oc_assert says in its time counts, however the steps ended; what it does
// not say counts as nothing but missing.
func TestOtherJudge(t *testing.T) {
	const silence = "oc_assert gave no answer in time"
	const once = 50 * time.Millisecond // a page that is loaded is judged then
	said := func(verdict string) adapter.Result { return textResult(`{"verdict":"`+verdict+`"}`, false) }
	done, hangs := calls("read_page"), calls("hang")
	tests := []struct {
		name    string
		h1      string
		a       adapter.Factory
		assert  tool
		status  record.Status
		reason  string
		missing string
		took    time.Duration // of the cap's 10 s
	}{
		{name: "agrees", h1: "Example", a: done, assert: after(0, said("pass")), status: record.Passed, took: once},
		{name: "disagrees", h1: "Example", a: done, assert: after(0, said("fail")), status: record.Inconclusive, reason: "the harness says pass, OpenChrome's oc_assert says fail", took: once},
		{name: "disagrees soon after the time cap", h1: "Example", a: hangs, assert: after(150*time.Millisecond, said("fail")), status: record.Inconclusive, reason: "disagree", took: 10*time.Second + 150*time.Millisecond},
		{name: "disagrees late after the time cap", h1: "Example", a: hangs, assert: after(time.Second, said("fail")), status: record.Passed, missing: silence, took: 10*time.Second + episode.FactsGrace},
		{name: "would pass what failed at the time cap", h1: "Other", a: hangs, assert: after(0, said("pass")), status: record.Timeout, reason: "the harness says fail, OpenChrome's oc_assert says pass", took: 10 * time.Second},
		{name: "would pass what failed", h1: "Other", a: done, assert: after(0, said("pass")), status: record.Failed, reason: "the harness says fail, OpenChrome's oc_assert says pass", took: episode.SettleLimit},
		{name: "has no verdict on what failed", h1: "Other", a: done, assert: after(0, said("inconclusive")), status: record.Failed, reason: "the harness says fail, OpenChrome's oc_assert says inconclusive", took: episode.SettleLimit},
		{name: "agrees that it failed at the time cap", h1: "Other", a: hangs, assert: after(0, said("fail")), status: record.Timeout, took: 10 * time.Second},
		{name: "silent on a pass", h1: "Example", a: done, assert: silent, status: record.Passed, missing: silence, took: once + 2*time.Second},
		{name: "silent on a fail", h1: "Other", a: done, assert: silent, status: record.Failed, reason: "Example", missing: silence, took: episode.SettleLimit + 2*time.Second},
		{name: "silent on a pass at the time cap", h1: "Example", a: hangs, assert: silent, status: record.Passed, missing: silence, took: 10*time.Second + episode.FactsGrace},
		{name: "silent on a fail at the time cap", h1: "Other", a: hangs, assert: silent, status: record.Timeout, missing: silence, took: 10*time.Second + episode.FactsGrace},
		{name: "dies", h1: "Example", a: done, assert: dead, status: record.ToolError, reason: "exit status 3", missing: "oc_assert gave no answer: x: transport closed: exit status 3", took: once},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log []record.Event
				tools := with(with(page(test.h1), "hang", silent), "oc_assert", test.assert)
				o := options(t, tools, test.a, &log)
				began := time.Now()
				stop, err := episode.Run(t.Context(), o)
				need.OK(t, err)
				if stop.Status != test.status || !strings.Contains(stop.Reason, test.reason) {
					t.Errorf("got %s (%s), want %s (%s)", stop.Status, stop.Reason, test.status, test.reason)
				}
				eval, ok := log[len(log)-2].Body.(*record.ContractEval)
				if !ok {
					t.Fatalf("the last event but one is %s", log[len(log)-2].Body.Type())
				}
				need.Equal(t, "what is missing", test.missing, eval.UpstreamMissing)
				need.Equal(t, "it took", test.took, time.Since(began))
			})
		})
	}
}

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
