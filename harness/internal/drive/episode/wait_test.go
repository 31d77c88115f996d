package episode_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// The waiting rule, case by case: how the episode ends, when, and after how many
// judgings. Every event of the wait but the last judging's is missing from the log.
func TestWait(t *testing.T) {
	const limit = episode.SettleLimit
	capped := func(d time.Duration) func(*episode.Options) {
		return func(o *episode.Options) { o.Task.MaxDurationMs = int(d.Milliseconds()) }
	}
	late := func(o *episode.Options) { // the adapter needs 5 s to see that it is done
		o.Adapter = decide(func(ctx context.Context, _ adapter.State) (adapter.Decision, error) {
			<-time.After(5 * time.Second)
			return adapter.Decision{Done: true}, nil
		})
	}
	stepCap := func(o *episode.Options) { o.Task.MaxSteps, o.Adapter = 1, calls("read_page", "read_page") }
	hangs := func(ctx context.Context, _ time.Duration) (observer.Reading, error) {
		<-ctx.Done()
		return observer.Reading{}, ctx.Err()
	}
	hangsAfter := func(d time.Duration) func(context.Context, time.Duration) (observer.Reading, error) {
		return func(ctx context.Context, at time.Duration) (observer.Reading, error) {
			if at >= d {
				return hangs(ctx, at)
			}
			return heading("Other", true), nil
		}
	}
	fails := func(err error) func(context.Context, time.Duration) (observer.Reading, error) {
		return func(context.Context, time.Duration) (observer.Reading, error) { return observer.Reading{}, err }
	}
	unavailable := func(context.Context, time.Duration) (observer.Reading, error) {
		r := heading("", true)
		r.Facts.DOMText, r.Facts.Unavailable = nil, map[string]string{evidence.TextFact("h1"): "no such world"}
		return r, nil
	}
	slow := func(ctx context.Context, at time.Duration) (observer.Reading, error) { // each look takes 400 ms
		<-time.After(400 * time.Millisecond)
		return becomes(never, atOnce)(ctx, at)
	}
	for _, test := range []struct {
		name     string
		source   watched
		change   func(*episode.Options)
		status   record.Status
		took     time.Duration
		judgings int
		reason   string
	}{
		{name: "holds at once", source: watched{page: becomes(atOnce, atOnce)}, status: record.Passed, judgings: 1},
		{name: "holds after 1.5 s", source: watched{page: becomes(1500*time.Millisecond, atOnce)}, status: record.Passed, took: 1500 * time.Millisecond, judgings: 31},
		{name: "holds at the last moment", source: watched{page: becomes(limit, atOnce)}, status: record.Passed, took: limit, judgings: 61},
		{name: "holds too late", source: watched{page: becomes(limit+time.Millisecond, atOnce)}, status: record.Failed, took: limit, judgings: 61, reason: `want: the text of h1 contains "Example"; got: "Other"`},
		{name: "never holds", source: watched{page: becomes(never, atOnce)}, status: record.Failed, took: limit, judgings: 61},
		{name: "holds, and settles later", source: watched{page: becomes(atOnce, time.Second)}, status: record.Passed, took: time.Second, judgings: 21},
		{name: "holds, and never settles", source: watched{page: becomes(atOnce, never)}, status: record.Passed, took: limit, judgings: 61},
		{name: "holds until it settles", source: watched{page: func(ctx context.Context, at time.Duration) (observer.Reading, error) {
			if at < time.Second {
				return heading("Example", false), nil
			}
			return heading("Other", true), nil
		}}, status: record.Failed, took: limit, judgings: 61},
		{name: "each look is slow", source: watched{page: slow}, status: record.Failed, took: limit + 500*time.Millisecond, judgings: 8},
		{name: "the time cap comes first", source: watched{page: becomes(1500*time.Millisecond, atOnce)}, change: capped(time.Second), status: record.Failed, took: time.Second, judgings: 21},
		{name: "holds at the time cap", source: watched{page: becomes(time.Second, never)}, change: capped(time.Second), status: record.Passed, took: time.Second, judgings: 21},
		{name: "holds after the step cap", source: watched{page: becomes(1500*time.Millisecond, atOnce)}, change: stepCap, status: record.Passed, took: 1500 * time.Millisecond, judgings: 31},
		{name: "never holds after the step cap", source: watched{page: becomes(never, atOnce)}, change: stepCap, status: record.MaxSteps, took: limit, judgings: 61},
		{name: "the adapter was slow itself", source: watched{page: becomes(never, atOnce)}, change: late, status: record.Failed, took: 5 * time.Second, judgings: 1},
		{name: "an adapter that failed", source: watched{page: becomes(never, atOnce)}, status: record.AdapterError, judgings: 1,
			change: func(o *episode.Options) {
				o.Adapter = func() (adapter.Adapter, error) { return nil, errors.New("no key") }
			}},
		{name: "a strict changed answer", source: watched{page: becomes(never, atOnce)}, status: record.Failed, took: limit, judgings: 61, change: func(o *episode.Options) {
			o.Strict, o.Adapter = true, expects("other", "read_page", "read_page")
		}},
		{name: "missing facts", source: watched{page: fails(errors.New("no facts"))}, status: record.Inconclusive, judgings: 1, reason: "facts are missing: no facts"},
		{name: "no page", source: watched{page: fails(&facts.NoPage{Why: "the tab crashed"})}, status: record.Failed, judgings: 1, reason: "no page to judge: the tab crashed"},
		{name: "an inconclusive contract", source: watched{page: unavailable}, status: record.Inconclusive, judgings: 1, reason: "no such world"},
		{name: "a page that hangs", source: watched{page: hangs}, status: record.Failed, took: limit + 2*time.Second, judgings: 1, reason: "no page to judge: it did not answer in time"},
		{name: "a page that hangs at the time cap", source: watched{page: hangs}, change: capped(time.Second), status: record.Failed, took: time.Second + episode.FactsGrace, judgings: 1, reason: "no page to judge: it did not answer in time"},
		{name: "a page that begins to hang", source: watched{page: hangsAfter(time.Second)}, status: record.Failed, took: limit + 2*time.Second, judgings: 21, reason: "no page to judge"},
		{name: "the stand-in", source: watched{kind: record.FactsTools, page: becomes(never, atOnce)}, change: func(o *episode.Options) { o.Launcher = "standin" }, status: record.Failed, judgings: 1},
		{name: "tools, holds at once", source: watched{kind: record.FactsTools, page: becomes(atOnce, atOnce)}, status: record.Passed, took: 50 * time.Millisecond, judgings: 2},
		{name: "tools, loads for a second", source: watched{kind: record.FactsTools, page: becomes(atOnce, time.Second)}, status: record.Passed, took: time.Second, judgings: 21},
		{name: "tools, never holds", source: watched{kind: record.FactsTools, page: becomes(never, atOnce)}, status: record.Failed, took: limit, judgings: 61},
		{name: "tools, no answer", source: watched{kind: record.FactsTools, page: hangs}, status: record.Failed, took: 10*time.Second + episode.FactsGrace, judgings: 1, reason: "no page to judge"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				stop, log := watch(t, t.Context(), test.source, test.change)
				took := time.Since(began)
				if stop.Status != test.status || took != test.took || !strings.Contains(stop.Reason, test.reason) {
					t.Errorf("%s (%s) after %v; want %s (%s) after %v", stop.Status, stop.Reason, took, test.status, test.reason, test.took)
				}
				need.Is(t, "the duration", 0, stop.DurationMs)
				facts := only[record.Facts](t, log)
				only[record.ContractEval](t, log)
				need.Is(t, "judgings", test.judgings, facts.Judgings)
			})
		})
	}
}

// The log has the judging that counted, and the wait until then.
func TestLastJudgingIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, log := watch(t, t.Context(), watched{page: becomes(time.Second, atOnce)}, nil)
		facts, eval := only[record.Facts](t, log), only[record.ContractEval](t, log)
		if *facts.Facts.DOMText.Of["h1"] != "Example" || facts.WaitMs != 1000 || eval.Judgement.Verdict != judge.Pass {
			t.Errorf("facts %+v, verdict %s", facts, eval.Judgement.Verdict)
		}
	})
}

// A run that is stopped while it waits ends at once, and judges nothing more.
func TestStoppedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := need.Within(t, time.Second)
		began := time.Now()
		stop, log := watch(t, ctx, watched{page: becomes(never, atOnce)}, func(o *episode.Options) { o.Out, o.Page = t.TempDir(), "p" })
		if took := time.Since(began); stop.Status != record.Interrupted || took != time.Second || stop.Page != "" {
			t.Errorf("%s after %v, page %q", stop.Status, took, stop.Page)
		}
		if eval := only[record.ContractEval](t, log); eval.Judgement.Verdict != "" {
			t.Errorf("judged %s", eval.Judgement.Verdict)
		}
	})
}
