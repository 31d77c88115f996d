package observer

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/text/display"
)

const (
	maxRequests  = 10_000  // how many requests are tracked at the same time, and how many are facts
	maxURLsBytes = 4 << 20 // bytes of all URLs in the facts
)

// requestLog holds the requests of all pages, in the order in which they were sent. A
// redirect is a request of its own.
type requestLog struct {
	requests []evidence.Request
	bytes    int  // bytes of the URLs
	tooMany  bool // the later requests are missing
}

// add appends a request. It returns its index, or -1 if there is no room.
func (l *requestLog) add(url string, at cdp.TimeSinceEpoch) int {
	l.bytes += len(url)
	if l.tooMany = l.tooMany || len(l.requests) == maxRequests || l.bytes > maxURLsBytes; l.tooMany {
		return -1
	}
	l.requests = append(l.requests, evidence.Request{URL: url, TS: millis(at)})
	return len(l.requests) - 1
}

// millis converts a time of Chromium from seconds to milliseconds, rounded to a microsecond.
func millis(at cdp.TimeSinceEpoch) float64 { return math.Round(float64(at)*1e6) / 1e3 }

func (l *requestLog) answered(index int, status int64) {
	if index >= 0 {
		l.requests[index].Status = float64(status)
	}
}

// readNetwork adds the requests of all pages to f.
func (o *Observer) readNetwork(f *evidence.Facts) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f.Network = append([]evidence.Request{}, o.log.requests...)
	f.NetworkFull = o.log.tooMany
}

// request is a request that is under way.
type request struct {
	method, url string // both are cut
	kind        network.ResourceType
	sent        time.Time
	answered    time.Time // when the head of its answer came
	loader      cdp.LoaderID
	frame       cdp.FrameID
	index       int // index in the observer's log; -1 if it is not in the log
}

// isOpen reports whether a request has no whole answer yet. Chromium does not report the end of a body
// that the page does not read, and a stream has none.
func (r *request) isOpen() bool {
	switch r.kind {
	case network.ResourceTypeWebSocket:
		return false
	case network.ResourceTypeEventSource:
		return r.answered.IsZero()
	}
	return r.answered.IsZero() || time.Since(r.answered) < settledAfter
}

func (o *Observer) socketCreated(w *watched, e *network.EventWebSocketCreated) {
	if len(w.requests) < maxRequests {
		w.requests[e.RequestID] = &request{kind: network.ResourceTypeWebSocket, index: -1}
	}
}

func (o *Observer) socketClosed(w *watched, e *network.EventWebSocketClosed) {
	delete(w.requests, e.RequestID)
}

func (o *Observer) requestSent(w *watched, e *network.EventRequestWillBeSent) {
	w.tab.active = time.Now()
	if r := w.requests[e.RequestID]; r != nil && e.RedirectResponse != nil {
		o.log.answered(r.index, e.RedirectResponse.Status)
	}
	if e.Request == nil {
		return
	}
	if len(w.requests) >= maxRequests {
		o.log.tooMany = true
		return
	}
	r := &request{
		method: cut(e.Request.Method, 20), url: cut(e.Request.URL, maxURL), kind: e.Type, sent: w.tab.active,
		loader: e.LoaderID, frame: e.FrameID, index: -1,
	}
	if isNetwork(e.Request.URL) && !o.acted {
		r.index = o.log.add(e.Request.URL+e.Request.URLFragment, e.WallTime)
	}
	if e.LoaderID == "" && e.Type == network.ResourceTypeScript && e.DocumentURL == e.Request.URL {
		o.workers = true // its script, whose end the page does not hear
		return
	}
	w.requests[e.RequestID] = r
}

// isNetwork reports whether a URL needs a network; data: and blob: do not.
func isNetwork(url string) bool {
	return strings.HasPrefix(url, "http:") || strings.HasPrefix(url, "https:")
}

func (o *Observer) responseReceived(w *watched, e *network.EventResponseReceived) {
	r := w.requests[e.RequestID]
	if r == nil || e.Response == nil {
		return
	}
	r.answered = time.Now()
	o.log.answered(r.index, e.Response.Status)
	if e.Response.Status >= 400 {
		w.tab.failed = appendLast(w.tab.failed, fmt.Sprintf("%s %s: status %d", r.method, r.url, e.Response.Status))
	}
}

func (o *Observer) loadingFinished(w *watched, e *network.EventLoadingFinished) {
	delete(w.requests, e.RequestID)
	w.tab.active = time.Now()
}

// networkChanged is Chromium's error when the machine's network interfaces change, for
// example because a container starts. No page and no DevTools client can cause it.
const networkChanged = "net::ERR_NETWORK_CHANGED"

// NetworkChange returns an error that names the first request that Chromium gave up because
// the network of its machine changed, and nil if there is none.
func (o *Observer) NetworkChange() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed == "" {
		return nil
	}
	return fmt.Errorf("the network of the machine changed, so Chromium gave up %s; run again when no containers start beside it", display.Quote(o.changed))
}

func (o *Observer) loadingFailed(w *watched, e *network.EventLoadingFailed) {
	if r := w.requests[e.RequestID]; r != nil && e.ErrorText == networkChanged && o.changed == "" {
		o.changed = r.method + " " + r.url
	}
	if r := w.requests[e.RequestID]; r != nil && !e.Canceled {
		w.tab.failed = appendLast(w.tab.failed, fmt.Sprintf("%s %s: %s", r.method, r.url, e.ErrorText))
	}
	delete(w.requests, e.RequestID)
	w.tab.active = time.Now()
}
