package standin

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/openchrome/bench/harness/openchrome/standin/browser"
)

// waitFor answers at once: what does not hold now will not hold later, since
// nothing on a page changes by itself. Only the type timeout waits.
func (s *Server) waitFor(ctx context.Context, args arguments) (string, error) {
	kind, value := args.str("type"), args.str("value")
	p, err := s.page(args, "Wait error", "type")
	if err != nil {
		return "", err
	}
	limit := arg(args, "timeout", 30000.0)
	result := object{{"action", "wait_for"}, {"type", kind}}
	switch kind {
	case "selector", "selector_hidden":
		visible := arg(args, "visible", false)
		found, err := p.All(p.Doc, value)
		if u, ok := err.(browser.Unsupported); ok {
			return "", s.browser.Refuse("the selector " + string(u))
		}
		switch {
		case err != nil: // Chromium retries an invalid selector until the time is up
		case kind == "selector_hidden" && (len(found) == 0 || !p.Visible(found[0])):
			return stringify(append(result, field{"selector", value}, field{"elapsed", 0},
				field{"message", fmt.Sprintf(`Element "%s" hidden/removed after 0ms`, value)})), nil
		case kind == "selector" && len(found) > 0 && (!visible || p.Visible(found[0])):
			return stringify(append(result, field{"selector", value}, field{"visible", visible}, field{"elapsed", 0},
				field{"message", fmt.Sprintf(`Element "%s" found after 0ms`, value)})), nil
		}
	case "function":
		v, err := s.evaluate(ctx, p, value, time.Duration(limit)*time.Millisecond)
		if _, thrown := errors.AsType[exception](err); err != nil && !thrown && !errors.Is(err, errTimeout) {
			return "", err
		}
		if v.truthy {
			return stringify(append(result, field{"elapsed", 0}, field{"message", "Function returned truthy after 0ms"})), nil
		}
	case "timeout":
		ms, err := strconv.Atoi(value)
		if err != nil || ms < 0 || ms > 60000 {
			return "", errors.New("Error: value must be a valid positive number for timeout type")
		}
		if err := sleep(ctx, time.Duration(ms)*time.Millisecond); err != nil {
			return "", err
		}
		return stringify(append(result, field{"delay", ms}, field{"message", fmt.Sprintf("Waited %dms", ms)})), nil
	default:
		return "", s.browser.Refuse("wait_for with type " + kind)
	}
	return "", errors.New(stringify(append(result, field{"error", "timeout"}, field{"message", "Wait timed out after " + jsString(limit) + "ms"})))
}
