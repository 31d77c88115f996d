package observer

import (
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// maxRequests is how many requests are tracked at a time, and how many are facts.
const maxRequests = 10_000

type requestLog struct{}

// request is a request that is under way.
type request struct {
	loader cdp.LoaderID
	frame  cdp.FrameID
}

func (o *Observer) requestSent(w *watched, e *network.EventRequestWillBeSent) {
	w.tab.active = time.Now()
	if len(w.requests) < maxRequests {
		w.requests[e.RequestID] = &request{loader: e.LoaderID, frame: e.FrameID}
	}
}

func (o *Observer) responseReceived(w *watched, e *network.EventResponseReceived) {}

func (o *Observer) loadingFinished(w *watched, e *network.EventLoadingFinished) {
	delete(w.requests, e.RequestID)
	w.tab.active = time.Now()
}

func (o *Observer) loadingFailed(w *watched, e *network.EventLoadingFailed) {
	delete(w.requests, e.RequestID)
	w.tab.active = time.Now()
}
