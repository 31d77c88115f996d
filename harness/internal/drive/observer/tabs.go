package observer

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	json "github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/record"
)

// The size of every page, in CSS pixels. OpenChrome gives its pages this size; other
// servers use the size of the window.
const (
	viewportWidth  = 1920
	viewportHeight = 1080
)

// watched is a target that we are attached to: a page, or an iframe of a page that has
// its own process.
type watched struct {
	session devtools.Session
	tab     *tab
	isPage  bool
	end     context.CancelFunc // ends watch

	worldName string // name of the isolated world that we are making
	made      string // unique id of the world that we made last; "" if it is in use
	world     string // unique id of the world in use; "" if the page's document has none

	requests map[network.RequestID]*request // requests that are under way

	frame cdp.FrameID // the target's main frame
	told  bool        // an event had the URL of its document
	clock float64     // names the clock of its process; 0 if it is not known
	spent bool        // its clock has spent a budget since it got the last one
}

// tab is everything that we know about a page. o.mu guards it.
type tab struct {
	*watched
	id      target.ID
	url     string    // the URL, cut
	loading time.Time // when the tab was opened or began to load another document
	gone    string    // why there is no page to read; "" while there is one
	// changed is closed and replaced when gone or dialogs change.
	changed chan struct{}

	dialogs []record.Dialog
	open    *openDialog
	seen    string // the last dialog that was open while facts were read; "" if none was

	active time.Time // when the tab last opened or closed, or began or ended a navigation or a request
	frames []*watched

	console consoleLog
	failed  []string // the last failed requests
	renewed bool     // see [Observer.renew]
}

const (
	tabClosed  = "the tab is closed"
	tabCrashed = "the tab crashed"
)

// change wakes up the goroutines that wait for a change of the tab.
func (t *tab) change() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// attachTo makes Chromium attach us to targets of one type. It does not stop them at their
// start, because the server would see that.
func attachTo(kind string) target.SetAutoAttachParams {
	return target.SetAutoAttachParams{AutoAttach: true, Flatten: new(true), Filter: target.Filter{{Type: kind}, {Exclude: true}}}
}

// created notes a worker that pages share.
func (o *Observer) created(params json.Value) {
	var e target.EventTargetCreated
	if devtools.Unmarshal(params, &e) == nil && e.TargetInfo != nil && e.TargetInfo.Type != "page" && !strings.HasPrefix(e.TargetInfo.URL, "chrome") {
		o.mu.Lock()
		o.workers = true
		o.mu.Unlock()
	}
}

// attached starts to watch a new target. parent is the session that it belongs to.
func (o *Observer) attached(parent target.SessionID, params json.Value) {
	var e target.EventAttachedToTarget
	if devtools.Unmarshal(params, &e) != nil || e.TargetInfo == nil || e.TargetInfo.Subtype == "prerender" {
		return
	}
	ctx, end := context.WithCancel(context.Background())
	w := &watched{
		session: devtools.Session{Conn: o.conn, ID: e.SessionID}, end: end, frame: cdp.FrameID(e.TargetInfo.TargetID),
		requests: map[network.RequestID]*request{},
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := time.Now()
	if info := e.TargetInfo; info.Type == "page" {
		w.isPage = true
		if t := o.find(string(info.TargetID)); t != nil && t.gone != tabClosed {
			o.replace(t, w)
		} else {
			w.tab = &tab{
				watched: w, id: info.TargetID, url: cut(info.URL, maxURL),
				loading: now, active: now, changed: make(chan struct{}),
			}
			o.Ear.Opened(string(info.TargetID), info.URL)
			o.tabs = append(o.tabs, w.tab)
		}
	} else if p := o.sessions[parent]; p != nil {
		// Its parent does not hear of the end of the document's request.
		for id, r := range p.requests {
			if r.frame == w.frame {
				delete(p.requests, id)
			}
		}
		w.tab = p.tab
		w.tab.frames = append(w.tab.frames, w)
	} else {
		end()
		return
	}
	o.sessions[e.SessionID] = w
	go o.watch(ctx, w)
}

// watch enables the events of a target. ctx ends with the target, because Chromium does not
// answer calls to a closed page.
func (o *Observer) watch(ctx context.Context, w *watched) {
	defer w.end()
	s := w.session
	devtools.Tell(s, target.SetAutoAttach, attachTo("iframe"))
	devtools.Tell(s, page.Enable, page.EnableParams{})
	devtools.Tell(s, runtime.Enable, cdp.Empty{})
	// We read no bodies, so the browser need not keep any for us.
	devtools.Tell(s, network.Enable, network.EnableParams{MaxTotalBufferSize: new(int64(1)), MaxResourceBufferSize: new(int64(1)), MaxPostDataSize: new(int64(0))})
	devtools.Tell(s, log.Enable, cdp.Empty{})
	devtools.Tell(s, performance.Enable, performance.EnableParams{})
	if w.isPage {
		devtools.Tell(s, inspector.Enable, cdp.Empty{})
	}
	o.Ear.Arm(s)
	// Chromium stops a popup until this command comes, although attachTo did not ask for
	// that. Without it, the opener would hang in window.open.
	devtools.Tell(s, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	if !w.isPage {
		return
	}
	// The answer comes when the page's process has received the commands. If a document was
	// loaded before that, no event had its URL.
	tree, err := devtools.Call(ctx, s, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return // the page is closed
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	w.shows(tree.FrameTree)
	o.first.Do(func() { close(o.watching) })
}

// shows takes the document of a page from an answer. What an event said meanwhile is newer.
func (w *watched) shows(tree *page.FrameTree) {
	if tree != nil && tree.Frame != nil && !w.told {
		w.tab.frame, w.tab.url = tree.Frame.ID, cut(tree.Frame.URL+tree.Frame.URLFragment, maxURL)
	}
}

// resize gives the window of a page the size of [viewportWidth] and [viewportHeight].
func (o *Observer) resize(ctx context.Context, id target.ID) error {
	s := devtools.Session{Conn: o.conn}
	w, err := devtools.Call(ctx, s, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: id})
	if err == nil {
		_, err = devtools.Call(ctx, s, browser.SetContentsSize, browser.SetContentsSizeParams{
			WindowID: w.WindowID, Width: viewportWidth, Height: viewportHeight,
		})
	}
	return err
}

func (o *Observer) detached(params json.Value) {
	var e target.EventDetachedFromTarget
	if devtools.Unmarshal(params, &e) != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	w := o.sessions[e.SessionID]
	if w == nil {
		return
	}
	delete(o.sessions, e.SessionID)
	w.end()
	w.tab.active = time.Now()
	if !w.isPage {
		w.tab.frames = slices.DeleteFunc(w.tab.frames, func(f *watched) bool { return f == w })
		return
	}
	for _, f := range w.tab.frames { // Chromium may not report their own end
		delete(o.sessions, f.session.ID)
		f.end()
	}
	o.Ear.Closed(string(w.tab.id))
	w.tab.gone, w.tab.open, w.tab.frames, w.requests = tabClosed, nil, nil, nil
	w.tab.change()
	o.forget()
}

// maxClosed is how many closed tabs are remembered.
const maxClosed = 100

// forget forgets the oldest closed tab if there are too many.
func (o *Observer) forget() {
	isClosed := func(t *tab) bool { return t.gone == tabClosed }
	n := 0
	for _, t := range o.tabs {
		if isClosed(t) {
			n++
		}
	}
	if n > maxClosed {
		i := slices.IndexFunc(o.tabs, isClosed)
		o.tabs = slices.Delete(o.tabs, i, i+1)
	}
}

// tab returns the tab with this id, or nil.
func (o *Observer) tab(id string) *tab {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.find(id)
}

// find is tab for a caller who holds o.mu.
func (o *Observer) find(id string) *tab {
	i := slices.IndexFunc(o.tabs, func(t *tab) bool { return string(t.id) == id })
	if i < 0 {
		return nil
	}
	return o.tabs[i]
}
