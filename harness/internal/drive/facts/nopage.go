package facts

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/drive/observer"
	"github.com/openchrome/bench/harness/internal/drive/session"
)

// NoPage is the error of [Source]'s Read if there is no page, and of [session.Session]'s Ping if the
// browser ended while its server still runs. The adapter or OpenChrome caused this, so the
// episode is still judged.
type NoPage = observer.NoPage

// scriptTimeout is OpenChrome 1.7.15's error text for a page whose scripts hang for 30 s,
// in an endless loop or behind a dialog.
const scriptTimeout = "JS execution timed out"

// withoutPage returns the error for a tab whose facts could not be read. It is a [*NoPage]
// if the tab is gone or hangs. If the server still lists the tab, withoutPage returns err unchanged.
// tabID is empty if no tab was ever opened.
func withoutPage(ctx context.Context, s session.Session, tabID string, err error) error {
	none := &NoPage{Why: "no tab was opened"}
	listed := tabID != ""
	if session.Has(s, "tabs_context") {
		result, listErr := callJSON(ctx, s, "tabs_context", struct{}{})
		if why := Inconclusive(result); why != "" {
			return errors.New(why)
		}
		if gone, ok := errors.AsType[*session.Error](listErr); ok {
			return gone
		}
		var list struct {
			Workers []json.RawMessage `json:"workers"`
		}
		if listed && listErr == nil && result.JSON(&list) && list.Workers != nil && !strings.Contains(result.Text(), tabID) {
			none.Why, listed = "the tab is closed, or it crashed", false
		}
	}
	// OpenChrome also lists no tabs if its browser is gone.
	gone := browserGone(ctx, s)
	switch {
	case gone != nil:
		return gone
	case ctx.Err() != nil:
		return ctx.Err()
	case listed && strings.Contains(err.Error(), scriptTimeout):
		none.Why = "the page does not answer: " + err.Error()
	case listed:
		return err
	}
	return none
}

// browserGoneTimeout bounds the check why a page is gone.
const browserGoneTimeout = 2 * time.Second

// browserGone asks the session why its browser is gone. The error is a [*NoPage] or an
// [*session.Outage], or nil if the session knows of neither.
func browserGone(ctx context.Context, s session.Session) error {
	ctx, cancel := context.WithTimeout(ctx, browserGoneTimeout)
	defer cancel()
	err := s.Ping(ctx)
	if outage, ok := errors.AsType[*session.Outage](err); ok {
		return outage
	}
	if none, ok := errors.AsType[*NoPage](err); ok {
		return none
	}
	return nil
}
