package episode_test

import (
	"context"
	"testing"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/episode"
	"github.com/openchrome/bench/harness/internal/drive/facts"
	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/need"
	"github.com/openchrome/bench/harness/internal/record"
)

// watched is a source that needs no browser. Its page changes with the time since the
// last call was sent.
type watched struct {
	kind   string // "": an observer
	page   func(ctx context.Context, at time.Duration) (observer.Reading, error)
	scene  observer.Scene
	url    func() string    // nil: always the same
	active func() time.Time // nil: never
}

func (w watched) Kind() string {
	if w.kind == "" {
		return record.FactsObserver
	}
	return w.kind
}

func (w watched) Read(ctx context.Context, r facts.Request) (observer.Reading, error) {
	return w.page(ctx, time.Since(r.Last))
}

func (w watched) URL(context.Context, string) (string, error) {
	if w.url == nil {
		return "https://seen.test/", nil
	}
	return w.url(), nil
}

func (w watched) Closed(string) bool { return false }

func (w watched) Active() time.Time {
	if w.active == nil {
		return time.Time{}
	}
	return w.active()
}

func (w watched) Scene(context.Context, string) (observer.Scene, bool) {
	return w.scene, w.Kind() == record.FactsObserver
}

// heading is a page with one heading.
func heading(h1 string, settled bool) observer.Reading {
	url := "https://example.com/"
	return observer.Reading{Facts: &evidence.Facts{URL: &url, DOMText: &evidence.Text{Of: map[string]*string{"h1": &h1}}}, Settled: settled}
}

// becomes is a page that is not what the contract wants until then, and is not settled
// until settled. A time that never comes is long.
func becomes(then, settled time.Duration) func(context.Context, time.Duration) (observer.Reading, error) {
	return func(_ context.Context, at time.Duration) (observer.Reading, error) {
		if at < then {
			return heading("Other", at >= settled), nil
		}
		return heading("Example", at >= settled), nil
	}
}

const (
	atOnce = 0 * time.Second
	never  = time.Hour
)

// watch runs an episode on a source, and returns its stop and its events.
func watch(t *testing.T, ctx context.Context, w watched, change func(*episode.Options)) (record.Stop, []record.Event) {
	t.Helper()
	var log []record.Event
	o := options(t, page("the server's word for it"), calls("read_page"), &log)
	if change != nil {
		change(&o)
	}
	stop, err := episode.RunOn(ctx, o, w)
	need.OK(t, err)
	return stop, log
}

// only returns the one event of its type, or the zero value without one.
func only[T any](t *testing.T, log []record.Event) (found T) {
	t.Helper()
	n := 0
	for _, e := range log {
		if body, ok := any(e.Body).(*T); ok {
			found = *body
			n++
		}
	}
	if n > 1 {
		t.Errorf("%d events of %T", n, found)
	}
	return found
}
