// Package observer watches the Chromium that a session's server drives.
//
// An [Observer] is a second DevTools client. It attaches before the server starts, so it
// sees each dialog, crash and new tab. It reads the facts of a contract in an isolated
// world, where a page cannot override any function. The server, which is a DevTools client
// too, can. So the observer calls only functions that it has seen to be the browser's own,
// and otherwise says that the server changed them. It acts on a page only as dialog.go says.
package observer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/drive/listen"
)

// Observer watches one browser. Its methods may be called by several goroutines.
type Observer struct {
	Ear *listen.Ear // hears what the pages get

	conn     *devtools.Conn
	version  string
	watching chan struct{} // closed when the first page is watched
	first    sync.Once

	mu       sync.Mutex
	sessions map[target.SessionID]*watched
	tabs     []*tab // in the order in which they were opened, including closed tabs
	killed   bool   // see Killed
	log      requestLog
	// downloads are all downloads, and stored is when one last began, went on or ended.
	downloads []Download
	stored    time.Time
	// beforeAct runs before the first act; see [Observer.BeforeAct]. Acted says that there was one,
	// freed that one closed a dialog.
	beforeAct    func()
	acted, freed bool
	workers      bool            // a page has or had a worker
	loading      bool            // the document that was read last had not loaded
	stepped      time.Time       // when page time last went on; zero: it is real time
	budgets      map[float64]int // of page time, not yet spent, of each clock
	ticked       chan struct{}   // gets a value when a clock has spent its budget
	changed      string          // the first request that a change of the network ended; "" if there is none
}

// Attach attaches to the Chromium at the other end of pipe, which is its
// --remote-debugging-pipe: JSON messages, each ended by a zero byte. It returns when it
// watches the first page, after it has set the first window's pages to 1920x1080 CSS
// pixels. The Observer owns the pipe, even if Attach fails. ctx bounds only Attach.
func Attach(ctx context.Context, pipe io.ReadWriteCloser) (*Observer, error) {
	o := &Observer{Ear: listen.New(), watching: make(chan struct{}), sessions: map[target.SessionID]*watched{}, ticked: make(chan struct{}, 1), budgets: map[float64]int{}}
	o.conn = devtools.NewConn(pipe, o.handle)
	o.conn.Start()
	if err := o.attach(ctx); err != nil {
		o.Close()
		return nil, fmt.Errorf("attach to the browser: %w", err)
	}
	return o, nil
}

func (o *Observer) attach(ctx context.Context) error {
	s := devtools.Session{Conn: o.conn}
	if _, err := devtools.Call(ctx, s, target.SetAutoAttach, attachTo("page")); err != nil {
		return err
	}
	v, err := devtools.Call(ctx, s, browser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	o.version = v.Product
	if _, err := devtools.Call(ctx, s, browser.SetDownloadBehavior, watchDownloads); err != nil {
		return err
	}
	// For how tabs end, and for the workers that no page's session tells of.
	kinds := target.Filter{{Type: "page"}, {Type: "service_worker"}, {Type: "shared_worker"}, {Exclude: true}}
	if _, err := devtools.Call(ctx, s, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true, Filter: kinds}); err != nil {
		return err
	}
	select {
	case <-o.watching:
	case <-o.conn.Done:
		return devtools.ErrGone
	case <-ctx.Done():
		return fmt.Errorf("the browser opened no page: %w", ctx.Err())
	}
	o.mu.Lock()
	first := o.tabs[0]
	o.mu.Unlock()
	if err := o.resize(ctx, first.id); err != nil {
		return err
	}
	// No server runs yet. So it is not to blame for a function that is missing.
	_, err = o.world(ctx, first)
	if _, missing := errors.AsType[*NoPage](err); missing {
		return errors.New("it lacks a function that the harness reads pages with; use another version")
	}
	return nil
}

// Version returns the browser's name and version, such as Chrome/156.0.8078.79.
func (o *Observer) Version() string { return o.version }

// Done is closed when the browser or the pipe to it has ended.
func (o *Observer) Done() <-chan struct{} { return o.conn.Done }

// Close ends the connection. A Chromium ends about a second after its pipe.
func (o *Observer) Close() error {
	err := o.conn.Close()
	<-o.conn.Done
	return err
}

// Tab returns the target id of the page that last opened or began to load another document,
// at since or later. It returns "" if there is none. It is for servers whose answers do not
// name the tab.
func (o *Observer) Tab(since time.Time) (targetID string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.tabs {
		if t.gone != tabClosed && !t.loading.Before(since) {
			targetID, since = string(t.id), t.loading
		}
	}
	return targetID
}

// Open returns the target ids of the open tabs, in the order in which they were opened.
func (o *Observer) Open() (targetIDs []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, t := range o.tabs {
		if t.gone != tabClosed {
			targetIDs = append(targetIDs, string(t.id))
		}
	}
	return targetIDs
}

// Closed reports whether the tab was open and is closed now.
func (o *Observer) Closed(targetID string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.find(targetID)
	return t != nil && t.gone == tabClosed
}

// Active returns when a tab last opened or closed, or began or ended a navigation or a request, or
// when a download last went on.
func (o *Observer) Active() (last time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	last = o.stored
	for _, t := range o.tabs {
		if t.active.After(last) {
			last = t.active
		}
	}
	return last
}

// URL returns the address of a tab after its last navigation, or "" for a tab that is not
// watched. It reads nothing from the page, so it does not affect an open dialog.
func (o *Observer) URL(targetID string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t := o.find(targetID); t != nil {
		return t.url
	}
	return ""
}
