package facts

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/task"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// Prepare brings a session into the state that a task asks for, before the clock starts. It
// lets a server connect to our browser, and sets the viewport. viewport describes the viewport
// in words.
//
// After an error the session is not prepared, and the episode is inconclusive.
func Prepare(ctx context.Context, s session.Session, setup task.Setup) (viewport string, err error) {
	if warm := s.Server().WarmUp; warm != nil && s.Observer() != nil {
		if _, err := callJSON(ctx, s, warm.Tool, json.RawMessage(warm.Args)); err != nil {
			return "", fmt.Errorf("connect the server to the browser: %w", cmp.Or(browserGone(ctx, s), err))
		}
	}
	v := setup.Viewport
	if v == nil {
		return "", nil
	}
	hides := session.Has(s, "expand_tools") // OpenChrome 1.7.15 has emulate_device, too, and does not list it
	if !session.Has(s, "tabs_create") || !hides && !session.Has(s, "emulate_device") {
		return "the browser's own: the server has no emulate_device", nil
	}
	tabID, err := emptyTab(ctx, s)
	if err != nil {
		return "", fmt.Errorf("open a tab to prepare the session: %w", err)
	}
	if _, err := callJSON(ctx, s, "emulate_device", map[string]any{"tabId": tabID, "width": v.Width, "height": v.Height}); err != nil {
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
