package observer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/openchrome/bench/harness/internal/drive/devtools"
)

func (o *Observer) contextCreated(w *watched, e *runtime.EventExecutionContextCreated) {
	// Only the first: from then on others know the name, and may use it for another frame.
	if w.worldName != "" && e.Context != nil && e.Context.Name == w.worldName {
		w.made, w.worldName = e.Context.UniqueID, ""
	}
}

func (o *Observer) contextDestroyed(w *watched, e *runtime.EventExecutionContextDestroyed) {
	switch e.ExecutionContextUniqueID {
	case w.world:
		w.world = ""
	case w.made:
		w.made = ""
	}
}

func (o *Observer) contextsCleared(w *watched, _ *runtime.EventExecutionContextsCleared) {
	w.world, w.made = "", ""
}

// evaluate evaluates an expression as [Observer.evaluateIn] does. If the tab does not answer
// soon, it attaches to the tab again, and starts anew.
func (o *Observer) evaluate(ctx context.Context, t *tab, expression string, v any) error {
	soon, cancel := context.WithTimeout(ctx, deafAfter)
	err := o.evaluateIn(soon, t, expression, v)
	cancel()
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		o.renew(ctx, t)
		return o.evaluateIn(ctx, t, expression, v)
	}
	return err
}

// evaluateIn evaluates an expression in our world in the tab's document. The value must be a
// string with JSON, which evaluateIn unmarshals into v. (Half a surrogate pair reaches us
// only inside a string.) It tries again if another document replaces this one.
//
// The world is identified by its unique id. The short ids of contexts repeat in each
// process, so after a navigation the same short id may mean the page's own world.
func (o *Observer) evaluateIn(ctx context.Context, t *tab, expression string, v any) error {
	for {
		world, err := o.world(ctx, t)
		var r runtime.EvaluateResult
		if err == nil {
			r, err = devtools.Call(ctx, o.session(t), runtime.Evaluate, runtime.EvaluateParams{
				Expression: expression, UniqueContextID: world, ReturnByValue: new(true), Silent: new(true), DisableBreaks: new(true),
			})
		}
		if _, refused := errors.AsType[*devtools.ProtocolError](err); refused {
			if err := o.nextWorld(ctx, t, world); err != nil {
				return err
			}
			continue
		}
		var raw string
		switch {
		case err != nil:
			return err
		case r.ExceptionDetails != nil && r.ExceptionDetails.Exception != nil && r.ExceptionDetails.Exception.ClassName == "TypeError":
			return &NoPage{Why: tampered, URL: o.URL(string(t.id))} // a native of that name, but of another object
		case r.ExceptionDetails != nil:
			return fmt.Errorf("our script failed in the page: %s", cut(exceptionText(r.ExceptionDetails), maxText))
		case r.Result == nil || devtools.Unmarshal(r.Result.Value, &raw) != nil:
			return errors.New("the browser did not return a string")
		}
		return devtools.Unmarshal([]byte(raw), v)
	}
}

// world returns the unique id of our world in the tab's document, which it makes if there
// is none. A world shares only the DOM with the page and has its own built-in objects. Each
// world gets a new name, because Chromium reports only new worlds. The name is random, so
// that no other client can make a world of that name before us.
func (o *Observer) world(ctx context.Context, t *tab) (string, error) {
	o.mu.Lock()
	world, frame := t.watched.world, t.frame
	name := "openchrome-bench " + rand.Text()
	if world == "" {
		t.worldName = name
	}
	o.mu.Unlock()
	if world != "" {
		return world, nil
	}
	_, err := devtools.Call(ctx, o.session(t), page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: name})
	if err != nil {
		return "", err
	}
	// The event with the unique id arrives before the answer.
	o.mu.Lock()
	made := t.made
	o.mu.Unlock()
	if made == "" {
		return "", &devtools.ProtocolError{Message: "the document is gone"}
	}
	if err := o.keep(ctx, t, made); err != nil {
		return "", err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if t.made == made { // the document is still there
		t.watched.world, t.made = made, ""
	}
	return made, nil
}

// nextWorld forgets a world that did not work. It waits a little, because between two
// documents there may be no document to read.
func (o *Observer) nextWorld(ctx context.Context, t *tab, world string) error {
	o.mu.Lock()
	if t.watched.world == world {
		t.watched.world = ""
	}
	o.mu.Unlock()
	return pause(ctx)
}

// pause waits for what the page does next.
func pause(ctx context.Context) error {
	return sleep(ctx, 2*time.Millisecond)
}

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
