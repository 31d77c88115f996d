package observer

import (
	"time"

	json "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

func (o *Observer) crashed(w *watched, _ *inspector.EventTargetCrashed) {
	if w.isPage && w.tab.gone == "" {
		w.tab.gone, w.tab.open, w.world = tabCrashed, nil, ""
		w.tab.change()
	}
}

// tabCrashed looks only for a SIGKILL; [Observer.crashed] does the rest.
func (o *Observer) tabCrashed(params json.Value) {
	var e target.EventTargetCrashed
	if devtools.Unmarshal(params, &e) == nil && e.Status == "killed" && e.ErrorCode == sigkill {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.killed = true
	}
}

// sigkill is the number of SIGKILL. The browser itself ends a tab by SIGTERM, even if a
// server opens chrome://kill.
const sigkill = 9

// Killed reports whether a SIGKILL ended the process of a tab.
func (o *Observer) Killed() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.killed
}

func (o *Observer) reloaded(w *watched, _ *inspector.EventTargetReloadedAfterCrash) {
	if w.isPage && w.tab.gone == tabCrashed {
		w.tab.gone = ""
		w.tab.change()
	}
}

func (o *Observer) startedNavigating(w *watched, e *page.EventFrameStartedNavigating) {
	w.tab.active = time.Now()
	switch e.NavigationType {
	case page.FrameStartedNavigatingNavigationTypeSameDocument, page.FrameStartedNavigatingNavigationTypeHistorySameDocument:
		return
	}
	if w.isPage && e.FrameID == w.tab.frame {
		w.tab.loading = w.tab.active
	}
}

func (o *Observer) requestedNavigation(w *watched, _ *page.EventFrameRequestedNavigation) {
	w.tab.active = time.Now()
}

func (o *Observer) navigated(w *watched, e *page.EventFrameNavigated) {
	w.tab.active = time.Now()
	if !w.isPage || e.Frame == nil || e.Frame.ParentID != "" {
		return
	}
	w.told = true
	w.tab.frame, w.tab.url = e.Frame.ID, cut(e.Frame.URL+e.Frame.URLFragment, maxURL)
	w.clock = 0                   // it may have another process now
	if w.tab.gone == tabCrashed { // the crashed tab has loaded another document
		w.tab.gone = ""
		w.tab.change()
	}
	// The old document's requests end with it, but Chromium does not report the end of all
	// of them.
	for id, r := range w.requests {
		if r.loader != e.Frame.LoaderID {
			delete(w.requests, id)
		}
	}
}

func (o *Observer) navigatedWithin(w *watched, e *page.EventNavigatedWithinDocument) {
	if w.isPage && e.FrameID == w.tab.frame {
		w.tab.url = cut(e.URL, maxURL)
	}
}

// stoppedLoading ends the requests for the frame's document. Chromium does not report their
// end if the page's process began to report events only after they began. This happens if a
// tab is navigated right after it was opened.
func (o *Observer) stoppedLoading(w *watched, e *page.EventFrameStoppedLoading) {
	for id, r := range w.requests {
		if r.frame == e.FrameID && string(id) == string(r.loader) {
			delete(w.requests, id)
			w.tab.active = time.Now()
		}
	}
}

func (o *Observer) frameDetached(w *watched, e *page.EventFrameDetached) {
	if e.Reason == page.FrameDetachedReasonSwap {
		return // the frame continues in another process
	}
	for id, r := range w.requests {
		if r.frame == e.FrameID {
			delete(w.requests, id)
			w.tab.active = time.Now()
		}
	}
}
