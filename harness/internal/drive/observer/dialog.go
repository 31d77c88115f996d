package observer

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/page"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

const (
	maxDialogs = 20
	// dialogGrace is how long the server has to close a dialog. A server that dismisses
	// dialogs by itself needs a few milliseconds. Without this time, chance would decide
	// whether its dialog counts as open.
	dialogGrace = 100 * time.Millisecond
)

// openDialog is the open dialog of a tab.
type openDialog struct {
	since time.Time
	text  string // such as: confirm "Delete it?"
	index int    // index in the tab's dialogs; -1 if there are too many
}

func (o *Observer) dialogOpening(w *watched, e *page.EventJavascriptDialogOpening) {
	t := w.tab
	dialog := record.Dialog{Kind: string(e.Type), Message: cut(e.Message, maxText)}
	t.open = &openDialog{since: time.Now(), text: dialog.Kind + " " + display.Quote(dialog.Message), index: -1}
	if len(t.dialogs) < maxDialogs {
		t.open.index = len(t.dialogs)
		t.dialogs = append(t.dialogs, dialog)
	}
	t.change()
}

func (o *Observer) dialogClosed(w *watched, _ *page.EventJavascriptDialogClosed) {
	w.tab.open = nil
	w.tab.change()
}

// guard watches a tab while facts are read from it, until the returned function is called.
// If the tab is gone, it cancels the returned context with a [*NoPage] as the cause. If a
// dialog opens, which stops the page's scripts, guard records and dismisses it; or, unless mayAct, it
// cancels the context too.
func (o *Observer) guard(ctx context.Context, t *tab, mayAct bool) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			o.mu.Lock()
			gone, open, changed := t.gone, t.open, t.changed
			o.mu.Unlock()
			if gone != "" {
				cancel(&NoPage{Why: gone, Off: gone == tabClosed, URL: o.URL(string(t.id))})
				return
			}
			if open != nil && !mayAct {
				cancel(errors.New("a dialog is open"))
				return
			}
			var grace <-chan time.Time
			if open != nil {
				left := time.Until(open.since.Add(dialogGrace))
				if left <= 0 {
					o.dismiss(ctx, t)
				} else {
					grace = time.After(left)
				}
			}
			select {
			case <-grace:
			case <-changed:
			case <-ctx.Done():
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-ended
		o.mu.Lock()
		defer o.mu.Unlock()
		if t.open != nil && mayAct { // the server's time to close it is over
			t.record()
		}
	}
}

// dismiss records that a dialog is open, and dismisses it.
func (o *Observer) dismiss(ctx context.Context, t *tab) {
	o.mu.Lock()
	isOpen := t.open != nil
	if isOpen {
		t.record()
	}
	o.mu.Unlock()
	if !isOpen {
		return
	}
	o.act(true)
	// If this fails, somebody else has closed it.
	devtools.Call(ctx, o.session(t), page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: false})
}

// record notes that the open dialog was open while facts were read.
func (t *tab) record() {
	if t.seen = t.open.text; t.open.index >= 0 {
		t.dialogs[t.open.index].Open = true
	}
}

// An act is something that we do to a page and that the page can notice. These are all acts before
// the verdict:
//   - closing a dialog that stops the page's scripts, to read the facts (dismiss)
//   - bringing a tab to the front for a screenshot of the facts, if it is not there (screenshot)
//
// The page goes on after an act, and the server has no part in that. So what the page requests from
// then on does not count, and after a dialog neither does what it shows.

// BeforeAct makes f run once, before the first act. Call it before the first reading.
func (o *Observer) BeforeAct(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.beforeAct = f
}

// act notes an act before it is done. Frees says that it closes a dialog.
func (o *Observer) act(frees bool) {
	o.mu.Lock()
	before := o.beforeAct
	o.beforeAct, o.acted, o.freed = nil, true, o.freed || frees
	o.mu.Unlock()
	if before != nil {
		before()
	}
}
