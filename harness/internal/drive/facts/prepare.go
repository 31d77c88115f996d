package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Refused says that a server that has answered lacks or refuses a tool that prepares a session. That is the
// server's failure.
type Refused struct {
	Server record.Server
	Tools  []adapter.Tool
	Err    error
}

func (r *Refused) Error() string { return r.Err.Error() }

// Unwrap returns the cause.
func (r *Refused) Unwrap() error { return r.Err }

// Prepare brings a session into the state that a task asks for, before the clock starts. It
// lets a server connect to our browser, and sets the viewport. viewport describes the viewport
// in words.
//
// After an error the session is not prepared, and the episode is inconclusive, unless it is a [*Refused].
func Prepare(ctx context.Context, s session.Session, setup task.Setup) (viewport string, err error) {
	if warm := s.Server().WarmUp; warm != nil && s.Observer() != nil {
		if answer, err := callJSON(ctx, s, warm.Tool, json.RawMessage(warm.Args)); err != nil {
			gone := browserGone(ctx, s)
			err = fmt.Errorf("connect the server to the browser: %w", cmp.Or(gone, err))
			if gone == nil && answer.IsError() && !session.Has(s, warm.Tool) {
				identity := s.Identity()
				identity.Facts = SourceOf(s).Kind()
				return "", &Refused{identity, s.Tools(), fmt.Errorf("%s %s: %w", identity.Name, identity.Version, err)}
			}
			return "", err
		}
	}
	v, call := setup.Viewport, s.Server().Viewport
	if v == nil {
		return "", nil
	}
	hides := session.Has(s, "expand_tools") // OpenChrome 1.7.15 does not list all that it has
	if call == nil || !hides && !session.Has(s, call.Tool) {
		return "the browser's own: no tool sets it", nil
	}
	tab := s.Server().Tabs.First
	if tab == "" && call.Needs("tab") {
		if tab, err = emptyTab(ctx, s); err != nil {
			return "", fmt.Errorf("open a tab to prepare the session: %w", err)
		}
	}
	made := call.With(server.Values{"tab": tab, "width": strconv.Itoa(v.Width), "height": strconv.Itoa(v.Height)}, nil)
	if _, err := callJSON(ctx, s, made.Tool, made.Args); err != nil {
		return "", fmt.Errorf("set the viewport: %w", err)
	}
	return fmt.Sprintf("%dx%d", v.Width, v.Height), nil
}

// emptyTab opens a tab. It is the only one, so the episode's first navigation reuses it.
func emptyTab(ctx context.Context, s session.Session) (tabID string, err error) {
	opened, err := callJSON(ctx, s, "tabs_create", map[string]any{"url": "about:blank"})
	if err != nil {
		return "", err
	}
	if opened.TabID() == "" {
		return "", fmt.Errorf("tabs_create returned no tab id: %s", display.Cut(opened.Text(), excerpt))
	}
	return opened.TabID(), nil
}
