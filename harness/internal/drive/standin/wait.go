package standin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/html/atom"

	"github.com/openchrome/bench/harness/internal/drive/standin/browser"
)

// waitFor answers at once. Nothing on a page changes by itself, so a condition that is
// false now stays false.
func (s *Server) waitFor(_ context.Context, args arguments) (string, error) {
	kind, wanted := args.str("type"), args.str("value")
	p, err := s.page(args, "Wait error", "type")
	if err != nil {
		return "", err
	}
	switch {
	case kind == "function" && wanted != "":
		text, ok := includes(wanted)
		if !ok {
			return "", s.browser.Refuse("waiting for what body.innerText does not say")
		}
		if strings.Contains(p.InnerText(p.Element(atom.Body)), text) {
			return stringify(object{{"action", "wait_for"}, {"type", kind}, {"elapsed", 0}, {"message", "Function returned truthy after 0ms"}}), nil
		}
		return "", errors.New(stringify(object{{"action", "wait_for"}, {"type", kind}, {"error", "timeout"},
			{"message", fmt.Sprintf("Wait timed out after %vms", arg(args, "timeout", 30000.0))}}))
	case kind != "selector" || arg(args, "visible", false):
		return "", s.browser.Refuse("wait_for with type " + kind + ", or with visible")
	case wanted == "":
		return "", s.browser.Refuse("wait_for without a value")
	}
	result := object{{"action", "wait_for"}, {"type", kind}}
	found, err := browser.Query(p.Doc, wanted) // Chromium retries an invalid selector until the time is up
	if what, ok := err.(browser.Unsupported); ok {
		return "", s.browser.Refuse("the selector " + string(what))
	}
	if len(found) > 0 {
		return stringify(append(result, field{"selector", wanted}, field{"visible", false}, field{"elapsed", 0},
			field{"message", fmt.Sprintf(`Element "%s" found after 0ms`, wanted)})), nil
	}
	message := fmt.Sprintf("Wait timed out after %vms", arg(args, "timeout", 30000.0))
	return "", errors.New(stringify(append(result, field{"error", "timeout"}, field{"message", message})))
}

// includes returns the text in the condition by which policies wait.
func includes(condition string) (text string, ok bool) {
	rest, begins := strings.CutPrefix(condition, "document.body.innerText.includes(")
	rest, ends := strings.CutSuffix(rest, ")")
	ok = begins && ends && json.Unmarshal([]byte(rest), &text) == nil
	return text, ok
}
