package launch

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// A reset isolates the sessions of an OpenChrome that keeps running, as far as its tools
// allow.
//
// At the end it takes every tab that the session opened, clears the cookies and the storage
// of its page, and closes it.
//
// The session's tabs are the tabs that answers name as new. We do not call tabs_context:
// OpenChrome would count that call against progress, and the answer would include the tabs
// of other sessions. So windows that a page opened stay open, and so do the tabs of others.
type reset struct {
	c *session.Client

	mu     sync.Mutex
	opened []string
}

// resetTimeout bounds undo, so that a server that hangs does not delay the run.
const resetTimeout = time.Second

// see records the tab that an answer names, if it is new.
func (r *reset) see(tool string, answer adapter.Result) {
	if does, _ := r.c.Server().ToolOf(adapter.Call{Tool: tool}); does.Does != server.Opens || answer.IsError() {
		return
	}
	var tab struct {
		Reused bool `json:"reused"`
	}
	if id := answer.TabID(); id != "" && answer.JSON(&tab) && !tab.Reused {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.opened = append(r.opened, id)
	}
}

// undo runs at the end of the session. It reports no errors: isolation is only
// best-effort.
func (r *reset) undo() error {
	ctx, cancel := context.WithTimeout(context.Background(), resetTimeout)
	defer cancel()
	r.mu.Lock()
	opened := r.opened
	r.mu.Unlock()
	for _, id := range opened {
		r.call(ctx, "cookies", map[string]any{"tabId": id, "action": "clear"})
		for _, storage := range []string{"local", "session"} {
			r.call(ctx, "storage", map[string]any{"tabId": id, "storageType": storage, "action": "clear"})
		}
		r.call(ctx, "tabs_close", map[string]any{"tabId": id})
	}
	return nil
}

// call calls a tool. If the server does not have it, the answer is empty.
func (r *reset) call(ctx context.Context, tool string, args map[string]any) (adapter.Result, error) {
	if !slices.ContainsFunc(r.c.Tools(), func(t adapter.Tool) bool { return t.Name == r.named(tool) }) {
		return adapter.Result{}, nil
	}
	data, _ := json.Marshal(args) // encoding strings cannot fail
	return r.c.Call(ctx, adapter.Call{Tool: r.named(tool), Args: data})
}

// named returns the name under which the server has a tool.
func (r *reset) named(tool string) string { return r.c.Server().Listed(tool, r.c.Tools()) }
