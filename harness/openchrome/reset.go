package openchrome

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"github.com/openchrome/bench/harness/event"
)

// A reset is what can be done, by the tools of an OpenChrome that stays, so
// that one session finds little of another. At the beginning, where tabs_create
// can, a tab in a browser context with a name of its own is opened: an empty
// cookie jar. At the end cookies and storage are cleared for the page of every
// tab that the session opened, and the tab is closed. The tabs that were there
// before are left alone.
type reset struct {
	c      *Client
	before map[string]bool
	tab    string // in a context of its own; "" without one
}

// resetTimeout bounds undo, so that a server that hangs holds up no one.
const resetTimeout = time.Second

// newReset looks at the tabs that are there and opens the session's own. The
// error is of a server that does not answer.
func newReset(ctx context.Context, c *Client) (*reset, error) {
	r := &reset{c: c, before: make(map[string]bool)}
	tabs, err := r.tabs(ctx)
	if err != nil {
		return nil, err
	}
	for _, id := range tabs {
		r.before[id] = true
	}
	if properties, _ := r.schema("tabs_create"); properties["isolatedContext"] == nil {
		return r, nil
	}
	result, err := r.call(ctx, "tabs_create", map[string]any{
		"url": "about:blank", "isolatedContext": "bench-" + rand.Text()[:12],
	})
	if err != nil {
		return nil, err
	}
	var tab struct {
		TabID string `json:"tabId"`
	}
	if !result.IsError() && result.JSON(&tab) {
		r.tab = tab.TabID
	}
	return r, nil
}

// undo is the end of the session. Errors are not told: what could not be done
// is what best-effort means.
func (r *reset) undo() error {
	ctx, cancel := context.WithTimeout(context.Background(), resetTimeout)
	defer cancel()
	tabs, _ := r.tabs(ctx)
	for _, id := range tabs {
		if r.before[id] {
			continue
		}
		r.call(ctx, "cookies", map[string]any{"tabId": id, "action": "clear"})
		for _, storage := range []string{"local", "session"} {
			r.call(ctx, "storage", map[string]any{"tabId": id, "storageType": storage, "action": "clear"})
		}
		r.call(ctx, "tabs_close", map[string]any{"tabId": id})
	}
	return nil
}

// tabs returns the ids of the tabs that are there; without tabs_context, none.
func (r *reset) tabs(ctx context.Context) ([]string, error) {
	result, err := r.call(ctx, "tabs_context", map[string]any{})
	if err != nil {
		return nil, err
	}
	var context struct {
		Workers []struct {
			Tabs []struct {
				TabID string `json:"tabId"`
			} `json:"tabs"`
		} `json:"workers"`
	}
	result.JSON(&context)
	var ids []string
	for _, w := range context.Workers {
		for _, t := range w.Tabs {
			ids = append(ids, t.TabID)
		}
	}
	return ids, nil
}

// call calls a tool; one that the server does not have answers nothing.
func (r *reset) call(ctx context.Context, tool string, args map[string]any) (event.Result, error) {
	if _, ok := r.schema(tool); !ok {
		return event.Result{}, nil
	}
	data, err := json.Marshal(args)
	if err != nil {
		return event.Result{}, fmt.Errorf("%s: %w", tool, err)
	}
	return r.c.Call(ctx, event.Call{Tool: tool, Args: data})
}

// schema returns the properties of a tool's arguments, and whether the server
// has the tool.
func (r *reset) schema(tool string) (properties map[string]json.RawMessage, ok bool) {
	for _, t := range r.c.Tools() {
		if t.Name == tool {
			var schema struct {
				Properties map[string]json.RawMessage `json:"properties"`
			}
			json.Unmarshal(t.InputSchema, &schema) // of a broken one, none
			return schema.Properties, true
		}
	}
	return nil, false
}
