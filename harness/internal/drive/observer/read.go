package observer

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/judge"
	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Request says which facts to read, and from which tab.
type Request struct {
	TabID     string // the target id of the page
	Needs     judge.Needs
	SessionID string // for the contract facts, see [judge.Input]
	// LiveWeb asks for the browser's requests in Facts.Network. Without it Facts.Network
	// stays nil, because the fixture web's log has the requests.
	LiveWeb bool
}

// Reading is the result of reading a page once.
type Reading struct {
	Facts *evidence.Facts
	// Settled says that the page has loaded and no request was under way for 100 ms.
	Settled bool
	// Late says that the page was read after we had closed a dialog, so it may show what followed.
	Late bool
	// Dialogs are the dialogs of the tab so far, in order, at most 20.
	Dialogs []record.Dialog
}

// pageLimit is how long a page may take to answer.
const pageLimit = 10 * time.Second

// settledAfter is how long a page must have no request under way to be settled.
const settledAfter = 100 * time.Millisecond

// Read reads the facts that a contract needs. A fact that cannot be read is named in
// Facts.Unavailable with the reason. The error is a [*NoPage], or the error of ctx if ctx
// was cancelled. If the browser is gone, it is another error, and Done is closed; but a
// browser that ends may close its tabs first. If there is an error, Reading holds only the
// dialogs of the tab.
//
// A dialog stops scripts. So Read gives the server 100 ms to close an open dialog, and then
// dismisses it. From then on Facts.HasOpenDialog is true for the tab, and Facts.OpenDialog
// describes the last such dialog.
func (o *Observer) Read(ctx context.Context, r Request) (Reading, error) {
	if err := ctx.Err(); err != nil {
		return Reading{}, err
	}
	if r.TabID == "" {
		return Reading{}, &NoPage{Why: "no tab was opened"}
	}
	t := o.tab(r.TabID)
	if t == nil {
		return Reading{}, &NoPage{Why: "no such tab: " + display.Short(r.TabID)}
	}
	guarded, end := o.guard(ctx, t, true)
	reading, err := o.read(guarded, t, r)
	end()
	o.mu.Lock()
	facts := reading.Facts
	reading.Dialogs = slices.Clone(t.dialogs)
	if facts != nil {
		facts.HasOpenDialog, facts.OpenDialog = t.seen != "", t.seen
	}
	o.mu.Unlock()
	return reading, o.explain(ctx, t, err)
}

// explain turns the error of a reading into the error that Read returns.
func (o *Observer) explain(ctx context.Context, t *tab, err error) error {
	if _, ok := errors.AsType[*NoPage](err); ok || err == nil || errors.Is(err, devtools.ErrGone) {
		return err
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return &NoPage{Why: "the page does not answer", URL: o.URL(string(t.id))}
	}
	return err
}

// read reads the facts. The dialogs are missing.
func (o *Observer) read(ctx context.Context, t *tab, r Request) (Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, pageLimit)
	defer cancel()
	f, loaded, err := o.readPage(ctx, t, r.Needs)
	if err != nil {
		return Reading{}, err
	}
	reading := Reading{Facts: f, Settled: loaded && o.isQuiet(t)}
	o.mu.Lock()
	reading.Late, o.loading = o.freed, !loaded
	o.mu.Unlock()
	if r.Needs.Network && r.LiveWeb {
		o.readNetwork(f)
	}
	var facts []any
	if r.Needs.Console {
		facts = append(facts, o.consoleFact(t, r.SessionID))
	}
	if r.Needs.Performance {
		more, err := o.readPerformance(ctx, t, r.SessionID)
		if err := o.withoutFact(ctx, t, f, evidence.FactPerformance, err); err != nil {
			return Reading{}, err
		}
		facts = append(facts, more...)
	}
	if facts != nil {
		f.ContractFacts, err = json.Marshal(facts)
		if err != nil {
			return Reading{}, err
		}
	}
	if r.Needs.Screenshot {
		f.ScreenshotPNG, err = o.screenshot(ctx, t, true)
		if err := o.withoutFact(ctx, t, f, evidence.FactScreenshot, err); err != nil {
			return Reading{}, err
		}
	}
	return reading, nil
}

// withoutFact records that err made a fact unavailable. It returns err if err ends the
// whole reading: the page or the browser is gone, or ctx was cancelled.
func (o *Observer) withoutFact(ctx context.Context, t *tab, f *evidence.Facts, name string, err error) error {
	_, gone := errors.AsType[*NoPage](err)
	if err == nil || gone || errors.Is(err, devtools.ErrGone) || errors.Is(err, context.Canceled) {
		return err
	}
	f.SetUnavailable(name, o.explain(ctx, t, err).Error())
	return nil
}

// isQuiet reports whether the tab had no request under way for the last 100 ms.
func (o *Observer) isQuiet(t *tab) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, w := range append(t.frames, t.watched) {
		for _, r := range w.requests {
			if r.isOpen() {
				return false
			}
		}
	}
	if !o.stepped.IsZero() { // a step of page time is as long
		return t.active.Before(o.stepped)
	}
	return time.Since(t.active) >= settledAfter
}

// NoPage is the error of [Observer.Read] if there is no page to read: the tab is closed
// or crashed, shows a page of the browser itself, or does not answer, or the server changed
// the functions that read it.
type NoPage struct {
	Why string // in words
	// Off says that the tab is closed or shows a page of the browser itself, so it shows no
	// page of the task.
	Off bool
	URL string // URL of the tab; "" if there is no tab
}

func (n *NoPage) Error() string { return n.Why }

// BrowserPage describes a page of the browser itself, such as a blank tab. It returns ""
// for a page from the web.
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
