package openchrome

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/observer"
)

// NoPage is the error of [Source]'s Read if there is no page. The adapter or OpenChrome
// caused this, so the episode is still judged.
type NoPage = observer.NoPage

// scriptTimeout is OpenChrome 1.7.15's error text for a page whose scripts hang for 30 s,
// in an endless loop or behind a dialog.
const scriptTimeout = "JS execution timed out"

// withoutPage returns the error of a tab that gave no facts: it is gone or hangs,
// or, if the server still lists it, err, which says why it gave none. tabID is empty
// when none was ever opened.
func withoutPage(ctx context.Context, s Session, tabID string, err error) error {
	none := &NoPage{Why: "no tab was opened"}
	listed := tabID != ""
	if Has(s, "tabs_context") {
		result, listErr := callJSON(ctx, s, "tabs_context", struct{}{})
		if why := inconclusiveMeta(result); why != "" {
			return errors.New(why)
		}
		if gone, ok := errors.AsType[*Error](listErr); ok {
			return gone
		}
		var list struct {
			Workers []json.RawMessage `json:"workers"`
		}
		if listed && listErr == nil && result.JSON(&list) && list.Workers != nil && !strings.Contains(result.Text(), tabID) {
			none.Why, listed = "the tab is closed, or it crashed", false
		}
	}
	// OpenChrome lists no tabs, too, when its browser is gone.
	gone, outage := browserGone(ctx, s)
	switch {
	case outage != nil:
		return outage
	case ctx.Err() != nil:
		return ctx.Err()
	case gone != "":
		none.Why = gone
	case listed && strings.Contains(err.Error(), scriptTimeout):
		none.Why = "the page does not answer: " + err.Error()
	case listed:
		return err
	}
	return none
}

// browserGoneTimeout bounds the check for what took a page away.
const browserGoneTimeout = 2 * time.Second

// browserGone asks the session why its browser is gone: how it ended, or the outage that
// ended it. Both are empty if the session knows of neither.
func browserGone(ctx context.Context, s Session) (how string, outage error) {
	ctx, cancel := context.WithTimeout(ctx, browserGoneTimeout)
	defer cancel()
	err := s.Ping(ctx)
	if o, ok := errors.AsType[*Outage](err); ok {
		return "", o
	}
	if end, ok := errors.AsType[*BrowserEnd](err); ok {
		return end.Why, nil
	}
	return "", nil
}

// BrowserEnd is the error of [Session]'s Ping if the browser has ended while its server
// still runs.
type BrowserEnd struct{ Why string }

func (b *BrowserEnd) Error() string { return b.Why }
