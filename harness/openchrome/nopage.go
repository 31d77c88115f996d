package openchrome

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
)

// NoPage is the error of [ReadFacts] if there is no page. The adapter or OpenChrome
// caused this, so the episode is still judged.
type NoPage struct {
	Why string
	URL string // of the tab; "" without one
}

func (n *NoPage) Error() string { return n.Why }

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
	pingErr := s.Ping(ctx)
	if outage, ok := errors.AsType[*Outage](pingErr); ok {
		return outage
	}
	ended, isEnd := errors.AsType[*browserEnd](pingErr)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case isEnd:
		none.Why = ended.Error()
	case listed && strings.Contains(err.Error(), scriptTimeout):
		none.Why = "the page does not answer: " + err.Error()
	case listed:
		return err
	}
	return none
}

// A browserEnd is the end of a session's browser while its server still runs.
type browserEnd struct{ error }
