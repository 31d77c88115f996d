package standin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// noted is one past call of the session.
type noted struct {
	tool   string
	failed bool
}

// progressStatus judges the last calls as OpenChrome 1.12 does. The status is stuck after
// three errors in a row, or after five calls in a row without progress. It is stalling
// after three calls without progress. Errors, read_page and tabs_context do not count as
// progress.
func (s *Server) progressStatus(_ context.Context, args arguments) (string, error) {
	window := max(int(arg(args, "window", 10.0)), 3)
	calls := s.calls[max(0, len(s.calls)-window):]
	failed, idle := 0, 0
	for _, c := range slices.Backward(calls) {
		if !c.failed && c.tool != "read_page" && c.tool != "tabs_context" {
			break
		}
		idle++
		if c.failed {
			failed++
		}
	}
	status, policy, next := "progressing", "continue", []string{}
	switch {
	case failed >= 3:
		status, policy, next = "stuck", "checkpoint_and_recover", []string{"tabs_context", "read_page"}
	case idle >= 5:
		status, policy, next = "stuck", "refresh_state", []string{"read_page"}
	case idle >= 3:
		status, policy, next = "stalling", "refresh_state", []string{"read_page"}
	}
	return stringify(object{{"sessionId", "default"}, {"status", status}, {"window", window},
		{"counters", object{{"recentCalls", len(calls)}, {"consecutiveErrors", failed}, {"consecutiveNonProgress", idle}}},
		{"suggestedPolicy", policy}, {"suggestedNextCalls", next}}), nil
}

// includes returns the text in the condition by which policies wait.
func includes(condition string) (text string, ok bool) {
	rest, begins := strings.CutPrefix(condition, "document.body.innerText.includes(")
	rest, ends := strings.CutSuffix(rest, ")")
	ok = begins && ends && json.Unmarshal([]byte(rest), &text) == nil
	return text, ok
}
