package observer

import (
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	json "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

// handlers are the events that we watch. A handler runs on the reader's goroutine with o.mu
// held, so it only records the event. t is the target that the event came from.
var handlers = map[string]func(o *Observer, t *watched, params json.Value){}

func on[E any](e cdp.Event[E], f func(o *Observer, t *watched, e *E)) {
	handlers[e.Method] = func(o *Observer, t *watched, params json.Value) {
		v := new(E)
		if devtools.Unmarshal(params, v) == nil {
			f(o, t, v)
		}
	}
}

func init() {
	on(emulation.VirtualTimeBudgetExpired, (*Observer).budgetExpired)
	on(inspector.TargetCrashed, (*Observer).crashed)
	on(inspector.TargetReloadedAfterCrash, (*Observer).reloaded)
	on(page.FrameNavigated, (*Observer).navigated)
	on(page.NavigatedWithinDocument, (*Observer).navigatedWithin)
	on(page.FrameStartedNavigating, (*Observer).startedNavigating)
	on(page.FrameRequestedNavigation, (*Observer).requestedNavigation)
	on(page.FrameStoppedLoading, (*Observer).stoppedLoading)
	on(page.FrameDetached, (*Observer).frameDetached)
	on(page.JavascriptDialogOpening, (*Observer).dialogOpening)
	on(page.JavascriptDialogClosed, (*Observer).dialogClosed)
	on(runtime.ExecutionContextCreated, (*Observer).contextCreated)
	on(runtime.ExecutionContextDestroyed, (*Observer).contextDestroyed)
	on(runtime.ExecutionContextsCleared, (*Observer).contextsCleared)
	on(runtime.ConsoleAPICalled, (*Observer).consoleCalled)
	on(runtime.ExceptionThrown, (*Observer).exceptionThrown)
	on(log.EntryAdded, (*Observer).logAdded)
	on(network.RequestWillBeSent, (*Observer).requestSent)
	on(network.ResponseReceived, (*Observer).responseReceived)
	on(network.WebSocketCreated, (*Observer).socketCreated)
	on(network.WebSocketClosed, (*Observer).socketClosed)
	on(network.LoadingFinished, (*Observer).loadingFinished)
	on(network.LoadingFailed, (*Observer).loadingFailed)
}

// handle records an event.
func (o *Observer) handle(id target.SessionID, method string, params json.Value) {
	switch method {
	case target.AttachedToTarget.Method:
		o.attached(id, params)
	case target.DetachedFromTarget.Method:
		o.detached(params)
	case target.TargetCrashed.Method:
		o.tabCrashed(params)
	case target.TargetCreated.Method:
		o.created(params)
	case browser.DownloadWillBegin.Method:
		o.downloadBegins(params)
	case browser.DownloadProgress.Method:
		o.downloadGoesOn(params)
	default:
		o.mu.Lock()
		defer o.mu.Unlock()
		t := o.sessions[id]
		if t == nil {
			return
		}
		o.Ear.Hear(t.session, string(t.tab.id), method, params)
		if f := handlers[method]; f != nil {
			f(o, t, params)
		}
	}
}
