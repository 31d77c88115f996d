package episode_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
)

// busy is a session whose web changes with time. In its log are the own entries of the last
// moment that has come.
type busy struct {
	*canned
	began   time.Time
	moments []moment
	always  bool // a request is under way all the time
}

type moment struct {
	after time.Duration // since the session began
	own   []web.Request
}

func (s *busy) Requests(ctx context.Context) (l web.Log, err error) {
	for _, m := range s.moments {
		if at := s.began.Add(m.after); !time.Now().Before(at) {
			l.Own, l.Active = m.own, at
		}
	}
	if s.always {
		l.Active = time.Now()
	}
	return l, ctx.Err()
}

// A page that hangs takes all the time that reading it may take. What the web knows counts.
func TestHangsAfterItsWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log []record.Event
		tools := page("Example")
		tools["javascript_tool"] = func(ctx context.Context, _ string) (adapter.Result, error) {
			<-ctx.Done()
			return adapter.Result{}, ctx.Err()
		}
		o := options(t, tools, calls(), &log)
		var faults []judge.Fault
		if o.Task.Success, faults = judge.Parse([]byte(`{"kind":"network","url_pattern":"^https://a\\.test/\\.end/r$","status_in":[200],"since":"contract_enter"}`)); len(faults) > 0 {
			t.Fatal(faults)
		}
		own := []web.Request{{URL: "https://a.test/.end/r", Host: "a.test", Path: "/.end/r", Status: 200}}
		o.Session = &busy{canned: &canned{tools: tools}, began: time.Now(), moments: []moment{{0, own}}}
		if stop, err := episode.Run(t.Context(), o); err != nil || stop.Status != record.Passed {
			t.Errorf("got %+v, error %v, want it passed", stop, err)
		}
	})
}

func TestLateActs(t *testing.T) {
	end := func(status int) web.Request {
		return web.Request{URL: "https://a.test/.end/r", Host: "a.test", Path: "/.end/r", Status: status}
	}
	wrong := web.Request{URL: "https://a.test/.wrong/paid%20twice", Host: "a.test", Path: "/.wrong/paid twice", Status: 200}
	done := moment{0, []web.Request{end(200)}}
	for _, test := range []struct {
		name     string
		moments  []moment
		always   bool
		closed   bool // the adapter closed its page
		want     record.Status
		wrong    []string
		rest     time.Duration
		restless bool
	}{
		{name: "rests", moments: []moment{done}, want: record.Passed, rest: 2 * time.Second},
		{name: "undone late", moments: []moment{done, {time.Second, []web.Request{end(409)}}}, want: record.Failed, rest: 3 * time.Second},
		{name: "wrong late", moments: []moment{done, {time.Second, []web.Request{wrong, end(409)}}}, want: record.Failed,
			wrong: []string{"paid twice (a.test)", `a request whose URL contains /.wrong/ is answered with 200`}, rest: 3 * time.Second},
		{name: "wrong late, long after the last request", moments: []moment{{-3 * time.Second, done.own}, {time.Second, []web.Request{wrong, end(409)}}}, want: record.Failed,
			wrong: []string{"paid twice (a.test)", `a request whose URL contains /.wrong/ is answered with 200`}, rest: 3 * time.Second},
		{name: "never rests", moments: []moment{done}, always: true, want: record.Passed, rest: 10 * time.Second, restless: true},
		{name: "too late", moments: []moment{done, {3 * time.Second, []web.Request{wrong, end(409)}}}, want: record.Passed, rest: 2 * time.Second},
		{name: "closed after its work", moments: []moment{done}, closed: true, want: record.Passed, rest: 2 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log []record.Event
				tools := page("Example")
				if test.closed {
					tools["javascript_tool"] = failing("JavaScript execution error: Target not found")
					tools["tabs_context"] = text(`{"workers":[{"tabs":[{"tabId":"another"}]}]}`)
				}
				o := options(t, tools, calls(), &log)
				var faults []judge.Fault
				if o.Task.Success, faults = judge.Parse([]byte(`{"kind":"and","children":[
					{"kind":"network","url_pattern":"^https://a\\.test/\\.end/r$","status_in":[200],"since":"contract_enter"},
					{"kind":"not","child":{"kind":"network","url_pattern":"/\\.wrong/","status_in":[200],"since":"contract_enter"}}]}`)); len(faults) > 0 {
					t.Fatal(faults)
				}
				o.Session = &busy{canned: &canned{tools: tools}, began: time.Now(), moments: test.moments, always: test.always}
				var resting time.Duration // before the end, at first
				began := time.Now()
				o.Resting = func() { resting = max(resting, time.Until(began.Add(time.Hour))) }
				stop, err := episode.Run(t.Context(), o)
				if early := resting - time.Until(began.Add(time.Hour)); early < 1900*time.Millisecond {
					t.Errorf("the next episode could begin %s before the end", early)
				}
				need.OK(t, err)
				need.Is(t, fmt.Sprintf("got %+v", stop), test.want, stop.Status)
				if took := time.Duration(stop.DurationMs * float64(time.Millisecond)); test.want == record.Passed && took > time.Second {
					t.Errorf("the wait counts: %s", took)
				}
				for _, e := range log {
					switch b := e.Body.(type) {
					case *record.Facts:
						if rest := time.Duration(b.RestMs * float64(time.Millisecond)).Round(100 * time.Millisecond); b.Restless != test.restless || test.want == record.Passed && rest != test.rest {
							t.Errorf("waited %s, restless %t; want %s, %t", rest, b.Restless, test.rest, test.restless)
						}
					case *record.ContractEval:
						need.Equal(t, "wrong", test.wrong, b.WrongSideEffects)
					}
				}
			})
		})
	}
}

// A page that is left during the wait does not count any more. A message on it may vanish.
func TestLeftLate(t *testing.T) {
	for _, test := range []struct {
		name, address string // of the tab, from 1 s on
		after         func(context.Context) (observer.Reading, error)
		want          record.Status
	}{
		{"left", "https://example.com/other", func(context.Context) (observer.Reading, error) { return heading("Other", true), nil }, record.Failed},
		{"left for a page that is right, too", "https://example.com/other", func(context.Context) (observer.Reading, error) { return heading("Example", true), nil }, record.Passed},
		{"left for a page that never settles", "https://example.com/other", func(ctx context.Context) (observer.Reading, error) { return heading("Example", false), ctx.Err() }, record.Passed},
		{"left for a page that cannot be read", "https://example.com/other", func(context.Context) (observer.Reading, error) {
			return observer.Reading{}, &facts.NoPage{Why: "the browser's error page"}
		}, record.Failed},
		{"left for a page that hangs", "https://example.com/other", func(ctx context.Context) (observer.Reading, error) {
			<-ctx.Done()
			return observer.Reading{}, ctx.Err()
		}, record.Failed},
		{"a message vanished", "https://example.com/", func(context.Context) (observer.Reading, error) { return heading("Other", true), nil }, record.Passed},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var log []record.Event
				tools := page("the server's word for it")
				o := options(t, tools, calls(), &log)
				o.Session = &busy{canned: &canned{tools: tools}, began: began}
				stop, err := episode.RunOn(t.Context(), o, watched{
					page: func(ctx context.Context, _ time.Duration) (observer.Reading, error) {
						if time.Since(began) < time.Second {
							return heading("Example", true), nil
						}
						return test.after(ctx)
					},
					url: func() string {
						if time.Since(began) < time.Second {
							return "https://example.com/"
						}
						return test.address
					},
				})
				need.OK(t, err)
				need.Is(t, fmt.Sprintf("got %+v", stop), test.want, stop.Status)
			})
		})
	}
}

// The timer of a page fires before 2 s are over, and on a busy machine its request comes after.
func TestActsLate(t *testing.T) {
	for _, test := range []struct {
		name  string
		acted time.Duration // when the page acted, as the observer saw it
		want  record.Status
	}{
		{"in time", 1900 * time.Millisecond, record.Failed},
		{"too late", 2100 * time.Millisecond, record.Passed},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				var log []record.Event
				o := options(t, page("Example"), calls(), &log)
				var faults []judge.Fault
				if o.Task.Success, faults = judge.Parse([]byte(`{"kind":"not","child":{"kind":"network","url_pattern":"/\\.wrong/","status_in":[200],"since":"contract_enter"}}`)); len(faults) > 0 {
					t.Fatal(faults)
				}
				wrong := web.Request{URL: "https://a.test/.wrong/paid%20twice", Host: "a.test", Path: "/.wrong/paid twice", Status: 200}
				o.Session = &busy{canned: &canned{tools: page("Example")}, began: began, moments: []moment{{2300 * time.Millisecond, []web.Request{wrong}}}}
				stop, err := episode.RunOn(t.Context(), o, watched{
					page: becomes(atOnce, atOnce),
					active: func() time.Time {
						if at := began.Add(test.acted); !time.Now().Before(at) {
							return at
						}
						return began
					},
				})
				need.OK(t, err)
				need.Is(t, fmt.Sprintf("got %+v", stop), test.want, stop.Status)
			})
		})
	}
}

// tells is a session whose web tells why receipts were missed.
type tells struct {
	*canned
	missed []record.Missed
}

func (s tells) Requests(context.Context) (web.Log, error) { return web.Log{}, nil }
func (s tells) Why(context.Context) (web.Log, error)      { return web.Log{Missed: s.missed}, nil }

// A host may have receipts that the contract has nothing to do with. They explain no failure.
func TestMissedReceipts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := record.Missed{Kind: record.MissedUnsent, End: "https://a.test/.end/paid"}
		wrong := record.Missed{Kind: record.MissedWrong, End: "https://a.test/.end/sent", Wrong: "sent twice"}
		other := record.Missed{Kind: record.MissedUnsent, End: "https://a.test/.end/sent"}
		var log []record.Event
		o := options(t, page("Example"), calls(), &log)
		var faults []judge.Fault
		if o.Task.Success, faults = judge.Parse([]byte(`{"kind":"network","url_pattern":"/\\.end/paid$","status_in":[200],"since":"contract_enter"}`)); len(faults) > 0 {
			t.Fatal(faults)
		}
		o.Session = tells{&canned{tools: page("Example")}, []record.Missed{other, asked, wrong}}
		stop, err := episode.Run(t.Context(), o)
		need.OK(t, err)
		need.Is(t, fmt.Sprintf("%+v", stop), record.Failed, stop.Status)
		need.Equal(t, "", []record.Missed{asked, wrong}, stop.Missed)
	})
}
