package observer

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

// deafAfter is how long we wait for a page before we attach to it again.
const deafAfter = 2 * time.Second

// renew attaches to a tab again, once. On a busy machine a session can stay deaf for ever:
// Chromium moves a tab to another process while the session's first commands are under way,
// and then hands on neither events of the page nor answers. A new session is not deaf.
func (o *Observer) renew(ctx context.Context, t *tab) {
	o.mu.Lock()
	again := !t.renewed && t.open == nil && t.gone == "" // a dialog stops scripts
	t.renewed = t.renewed || again
	o.mu.Unlock()
	if again {
		// The event that replaces the session comes before the answer.
		devtools.Call(ctx, devtools.Session{Conn: o.conn}, target.AttachToTarget, target.AttachToTargetParams{TargetID: t.id, Flatten: new(true)})
	}
}

// replace makes w the session of a tab. The caller holds o.mu.
func (o *Observer) replace(t *tab, w *watched) {
	old := t.watched
	for _, f := range append(t.frames, old) {
		delete(o.sessions, f.session.ID)
		f.end()
	}
	w.tab, t.watched, t.frames, t.active = t, w, nil, time.Now()
	// Chromium repeats the messages of the page's document, and only those.
	t.console = consoleLog{truncated: len(t.console.entries) > 0}
	go devtools.Tell(devtools.Session{Conn: o.conn}, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: old.session.ID})
}

// session returns the session in which a tab is read.
func (o *Observer) session(t *tab) devtools.Session {
	o.mu.Lock()
	defer o.mu.Unlock()
	return t.session
}
