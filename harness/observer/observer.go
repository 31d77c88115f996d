// Package observer watches a Chromium beside the server under test.
//
// An [Observer] is a second DevTools client. It attaches before the server starts,
// so it sees each dialog, crash and new tab. It reads the facts of a contract in an
// isolated world, where nothing that a page overrides has an effect. It never acts on
// a page, with one exception: it dismisses a dialog that is open while facts are read,
// because a dialog stops scripts.
package observer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/display"
	"github.com/openchrome/bench/harness/event"
)

// Observer watches one browser. Its methods may be called by several goroutines.
type Observer struct {
	conn     *conn
	version  string
	watching chan struct{} // closed when the first page is watched
	first    sync.Once

	mu       sync.Mutex
	sessions map[target.SessionID]*watched
	tabs     []*tab // in the order in which they were opened; also closed ones
	log      requestLog
	worlds   int // that were made, for their names
}

// Attach attaches to the Chromium at the other end of pipe, which is its
// --remote-debugging-pipe: JSON messages, each ended by a zero byte. It returns when
// the first page is being watched, and the first window's pages have 1920x1080 CSS
// pixels. The Observer owns the pipe from then on, also when Attach fails. ctx bounds
// the attaching only.
func Attach(ctx context.Context, pipe io.ReadWriteCloser) (*Observer, error) {
	o := &Observer{watching: make(chan struct{}), sessions: map[target.SessionID]*watched{}}
	o.conn = newConn(pipe, o.handle)
	o.conn.start()
	if err := o.attach(ctx); err != nil {
		o.Close()
		return nil, fmt.Errorf("attach to the browser: %w", err)
	}
	return o, nil
}

func (o *Observer) attach(ctx context.Context) error {
	s := session{conn: o.conn}
	v, err := call(ctx, s, browser.GetVersion, cdp.Empty{})
	if err != nil {
		return err
	}
	o.version = v.Product
	if _, err := call(ctx, s, target.SetAutoAttach, attachTo("page")); err != nil {
		return err
	}
	select {
	case <-o.watching:
	case <-o.conn.done:
		return errGone
	case <-ctx.Done():
		return fmt.Errorf("the browser opened no page: %w", ctx.Err())
	}
	o.mu.Lock()
	first := o.tabs[0].id
	o.mu.Unlock()
	return o.resize(ctx, first)
}

// Version returns what the browser calls itself, such as Chrome/156.0.8078.79.
func (o *Observer) Version() string { return o.version }

// Done is closed when the browser has ended, or the pipe to it.
func (o *Observer) Done() <-chan struct{} { return o.conn.done }

// Close ends the connection. A Chromium ends about a second after its pipe.
func (o *Observer) Close() error {
	err := o.conn.close()
	<-o.conn.done
	return err
}

// Tab returns the target id of the page that was opened or began to load another document
// last since then; empty if none was. For servers that do not name the tab.
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

// URL returns the address of a tab, as its last navigation gave it; "" for a tab that is
// not watched. Nothing is read from the page, so an open dialog stays as it is.
func (o *Observer) URL(targetID string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if t := o.find(targetID); t != nil {
		return t.url
	}
	return ""
}

// Request says which facts to read, and of which tab.
type Request struct {
	TabID     string // the target id of the page
	Needs     contract.Needs
	SessionID string // for the contract facts, see [contract.Input]
	// LiveWeb asks for the requests that the browser made, in Facts.Network. Otherwise
	// the observer leaves Facts.Network to the fixture web's log.
	LiveWeb bool
}

// Reading is one look at a page.
type Reading struct {
	Facts *contract.Facts
	// Settled: the page is loaded, and no request was under way for 100 ms.
	Settled bool
	// Dialogs are the dialogs of the tab so far, in order, at most 20.
	Dialogs []event.Dialog
}

// NoPage is the error of [Observer.Read] if there is no page to read: the tab is closed
// or crashed, shows a page of the browser itself, or does not answer.
type NoPage struct {
	Why string
	URL string // of the tab; "" without one
}

func (n *NoPage) Error() string { return n.Why }

// BrowserPage names a page of the browser itself, such as a blank tab. It is empty for
// a page of any web.
func BrowserPage(url string) string {
	switch scheme, _, _ := strings.Cut(url, ":"); scheme {
	case "about":
		return "a blank page, " + display.Cut(url, 200)
	case "chrome-error":
		return "the browser's error page"
	case "chrome":
		return "a page of the browser itself, " + display.Cut(url, 200)
	}
	return ""
}

// pageLimit is how long a page may take to answer.
const pageLimit = 10 * time.Second

// settledAfter is how long no request may be under way on a settled page.
const settledAfter = 100 * time.Millisecond

// Read reads the facts that a contract needs. A fact that cannot be read is named in
// Facts.Unavailable with the reason. The error is a [*NoPage], or ctx's if ctx was
// cancelled; if the browser is gone, it is another one, and Done is closed. The dialogs
// of a tab are known beside an error too.
//
// If a dialog is open, Facts.HasOpenDialog is true from this Read on. Read waits 100 ms for
// the server to close it. Then Read dismisses it, and so it does with all that follow.
func (o *Observer) Read(ctx context.Context, r Request) (Reading, error) {
	if err := ctx.Err(); err != nil {
		return Reading{}, err
	}
	if r.TabID == "" {
		return Reading{}, &NoPage{Why: "no tab was opened"}
	}
	o.mu.Lock()
	t := o.find(r.TabID)
	o.mu.Unlock()
	if t == nil {
		return Reading{}, &NoPage{Why: "no such tab: " + display.Short(r.TabID)}
	}
	guarded, end := o.guard(ctx, t)
	facts, settled, err := o.read(guarded, t, r)
	end()
	reading := Reading{Facts: facts, Settled: settled}
	o.mu.Lock()
	reading.Dialogs = slices.Clone(t.dialogs)
	if facts != nil {
		facts.HasOpenDialog = t.seen
	}
	o.mu.Unlock()
	return reading, o.explain(ctx, t, err)
}

// explain turns the error of a reading into the one that Read returns.
func (o *Observer) explain(ctx context.Context, t *tab, err error) error {
	if _, ok := errors.AsType[*NoPage](err); ok || err == nil || errors.Is(err, errGone) {
		return err
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &NoPage{Why: "the page does not answer", URL: o.urlOf(t)}
	}
	return err
}

// read reads all facts.
func (o *Observer) read(ctx context.Context, t *tab, r Request) (f *contract.Facts, settled bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, pageLimit)
	defer cancel()
	f, loaded, err := o.readPage(ctx, t, r.Needs)
	if err != nil {
		return nil, false, err
	}
	settled = loaded && o.isQuiet(t)
	if r.Needs.Network && r.LiveWeb {
		o.readNetwork(f)
	}
	var facts []any
	if r.Needs.Console {
		facts = append(facts, o.consoleFact(t, r.SessionID))
	}
	if r.Needs.Performance {
		more, err := o.readPerformance(ctx, t, r.SessionID)
		if err := o.withoutFact(ctx, t, f, contract.FactPerformance, err); err != nil {
			return nil, false, err
		}
		facts = append(facts, more...)
	}
	if facts != nil {
		f.ContractFacts, err = json.Marshal(facts)
		if err != nil {
			return nil, false, err
		}
	}
	if r.Needs.Screenshot {
		f.ScreenshotPNG, err = o.screenshot(ctx, t)
		if err := o.withoutFact(ctx, t, f, contract.FactScreenshot, err); err != nil {
			return nil, false, err
		}
	}
	return f, settled, nil
}

// withoutFact names a fact that err made unavailable. It returns err if it ends the
// whole reading, because the page or the browser is gone or ctx was cancelled.
func (o *Observer) withoutFact(ctx context.Context, t *tab, f *contract.Facts, name string, err error) error {
	_, refused := errors.AsType[*protocolError](err)
	if refused || errors.Is(err, context.DeadlineExceeded) {
		unavailable(f, name, o.explain(ctx, t, err).Error())
		return nil
	}
	return err
}

// isQuiet reports whether the tab had no request under way for the last 100 ms.
func (o *Observer) isQuiet(t *tab) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(t.requests)
	for _, f := range t.frames {
		n += len(f.requests)
	}
	return n == 0 && time.Since(t.active) >= settledAfter
}

// urlOf returns the URL of the tab as events told it.
func (o *Observer) urlOf(t *tab) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return t.url
}
