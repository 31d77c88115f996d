package standin

import (
	"context"
	"slices"
)

// noted is a call of the session.
type noted struct {
	tool   string
	failed bool
}

// progressStatus judges the last calls as OpenChrome 1.12 does: three errors or
// five calls without progress in a row are stuck, three are stalling. Errors
// and mere looking are no progress.
func (s *Server) progressStatus(_ context.Context, args arguments) (string, error) {
	window := max(int(arg(args, "window", 10.0)), 3)
	calls := s.calls[max(0, len(s.calls)-window):]
	errors, idle := 0, 0
	for _, c := range slices.Backward(calls) {
		if !c.failed && c.tool != "read_page" && c.tool != "tabs_context" {
			break
		}
		idle++
		if c.failed {
			errors++
		}
	}
	status, policy, next := "progressing", "continue", []string{}
	switch {
	case errors >= 3:
		status, policy, next = "stuck", "checkpoint_and_recover", []string{"tabs_context", "read_page"}
	case idle >= 5:
		status, policy, next = "stuck", "refresh_state", []string{"read_page"}
	case idle >= 3:
		status, policy, next = "stalling", "refresh_state", []string{"read_page"}
	}
	return stringify(object{{"sessionId", "default"}, {"status", status}, {"window", window},
		{"counters", object{{"recentCalls", len(calls)}, {"consecutiveErrors", errors}, {"consecutiveNonProgress", idle}}},
		{"suggestedPolicy", policy}, {"suggestedNextCalls", next}}), nil
}
