// Package facts prepares a session for a task and reads the facts that its contract needs: by
// the observer where there is one, otherwise by the server's own tools. It judges nothing.
package facts

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/web"
	"github.com/openchrome/bench/harness/internal/web/route"
)

// Source reads a session's page: through the observer or, if the browser is not ours,
// through the server's own tools.
type Source interface {
	// Kind is [record.FactsObserver] or [record.FactsTools].
	Kind() string
	// Read reads the URL of the page and the facts that the contract needs. A fact
	// that cannot be read before ctx ends is named in Facts.Unavailable with the
	// reason, and only the assertions that need it become inconclusive. If nothing
	// can be judged, the error says why: a [*NoPage], an [*session.Outage] if the browser is
	// gone and OpenChrome is not to blame, or another error.
	Read(ctx context.Context, r Request) (observer.Reading, error)
	// URL returns the address of the tab's page. It does not touch the page.
	URL(ctx context.Context, tabID string) (string, error)
	// Closed reports whether the tab was open and is closed now; false if that is unknown.
	Closed(tabID string) bool
	// Active returns when a page last opened or closed, or began or ended a navigation or a
	// request; zero if that is unknown.
	Active() time.Time
	// Scene returns the last page for a person to look at; false without an observer.
	Scene(ctx context.Context, tabID string) (observer.Scene, bool)
}

// Request says which facts to read and where.
type Request struct {
	Needs   judge.Needs
	TabID   string    // the tab that is judged
	Last    time.Time // when the last tool call was sent, for `since: last_tool_call`
	LiveWeb bool      // the web is live, so the fixture web's log does not have its requests
}

// SessionID is OpenChrome's name for the session of a stdio client. It is part of the facts.
const SessionID = "default"

// SourceOf returns the source of a session's facts.
func SourceOf(s session.Session) Source {
	if o := s.Observer(); o != nil {
		return observed{s, o}
	}
	return Tools{s}
}

// observed is the source of a session with an observer.
type observed struct {
	session.Session
	eye *observer.Observer
}

func (o observed) Kind() string { return record.FactsObserver }

func (o observed) Read(ctx context.Context, r Request) (observer.Reading, error) {
	reading, err := o.eye.Read(ctx, observer.Request{TabID: r.TabID, Needs: r.Needs, SessionID: SessionID, LiveWeb: r.LiveWeb})
	if err != nil {
		return observer.Reading{Dialogs: reading.Dialogs}, o.explain(ctx, err)
	}
	ReadOwn(ctx, o.Session, r, reading.Facts)
	return reading, nil
}

// explain returns err, or the end of the browser if that caused err.
func (o observed) explain(ctx context.Context, err error) error {
	none, ok := errors.AsType[*NoPage](err)
	select {
	case <-o.eye.Done():
		none, ok = &NoPage{Why: "Chromium ended"}, true
	default:
	}
	if !ok {
		return err
	}
	switch gone := browserGone(ctx, o.Session).(type) {
	case *NoPage:
		none.Why = gone.Why
	case *session.Outage:
		return gone
	}
	return none
}

func (o observed) URL(_ context.Context, tabID string) (string, error) { return o.eye.URL(tabID), nil }

func (o observed) Closed(tabID string) bool { return o.eye.Closed(tabID) }

func (o observed) Active() time.Time { return o.eye.Active() }

func (o observed) Scene(ctx context.Context, tabID string) (observer.Scene, bool) {
	return o.eye.Scene(ctx, tabID), true
}

// ReadOwn adds the facts that the harness knows without a page: the requests in the fixture
// web's log, and the time of the last call. On the live web only an observer knows the
// requests.
func ReadOwn(ctx context.Context, s session.Session, r Request, f *evidence.Facts) {
	if r.Needs.Network && !(r.LiveWeb && s.Observer() != nil) {
		ReadNetwork(ctx, s, f)
		if r.Needs.Downloads && s.Observer() == nil {
			f.SetUnavailable(evidence.FactNetwork, "the harness sees a download only in a browser that it starts")
		}
	}
	if r.Needs.SinceLastToolCall {
		f.LastToolCall = millis(r.Last)
	}
}

// ReadNetwork adds the access log of the session's fixture web. If it cannot be known, f says
// why.
func ReadNetwork(ctx context.Context, s session.Session, f *evidence.Facts) {
	log, err := s.Requests(ctx)
	if err != nil {
		f.SetUnavailable(evidence.FactNetwork, err.Error())
		return
	}
	SetNetwork(f, log, s.Observer())
}

// SetNetwork sets the requests of the fixture web, with the web's own entries and those of the downloads that
// arrived. Without an observer, which may be nil, there are none of these.
func SetNetwork(f *evidence.Facts, log web.Log, o *observer.Observer) {
	f.Network, f.NetworkFull = []evidence.Request{}, log.Full
	for _, q := range slices.Concat(log.Requests, log.Own) { // all count, because a session with a known log is fresh
		f.Network = append(f.Network, evidence.Request{URL: q.URL, Status: float64(q.Status), TS: millis(q.Time)})
	}
	if o == nil {
		return
	}
	for _, d := range o.Downloads() {
		if u, ok := got(d, log); ok {
			f.Network = append(f.Network, evidence.Request{URL: u, Status: http.StatusOK, TS: millis(d.Ended)})
		}
	}
}

// got returns the entry of a download, https://HOST/.got/NAME?sha256=…, without the hash if the fixture
// web did not send the file, because a page made it. A download of no host has none.
func got(d observer.Download, log web.Log) (entry string, ok bool) {
	u, err := url.Parse(strings.TrimPrefix(d.URL, "blob:"))
	if err != nil || u.Hostname() == "" {
		return "", false
	}
	u.Fragment = ""
	sent := ""
	for _, q := range log.Requests { // a copy on another machine may have another clock, so the first one counts
		if q.URL == u.String() && q.Sent != "" && (sent == "" || !q.Time.After(d.Began)) {
			sent = "?sha256=" + q.Sent
		}
	}
	return "https://" + u.Hostname() + (&url.URL{Path: route.GotPath + "/" + d.Name}).EscapedPath() + sent, true
}

// millis returns t in milliseconds, rounded to a microsecond.
func millis(t time.Time) float64 { return float64(t.UnixMicro()) / 1000 }

// ServerEnd returns how the session's server ended. The error is an [*session.Outage] if OpenChrome
// is not to blame. It is nil if the server still runs, or if ctx ends before that is known.
func ServerEnd(ctx context.Context, s session.Session) error {
	if end, ok := errors.AsType[*session.Error](s.Ping(ctx)); ok {
		return end.Err
	}
	return nil
}
