package standin

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
)

// progress remembers the calls of the session, oldest first.
type progress struct{ calls []noted }

type noted struct {
	tool   string
	failed bool
}

const maxWindow = 50

func (p *progress) note(tool string, failed bool) {
	if len(p.calls) == maxWindow {
		p.calls = append(p.calls[:0], p.calls[1:]...)
	}
	p.calls = append(p.calls, noted{tool, failed})
}

// progressStatus judges the recent calls as OpenChrome 1.12 does: three errors
// or five calls without progress in a row are stuck, three are stalling.
// Errors and mere looking are no progress.
func (s *Server) progressStatus(_ context.Context, args arguments) (*mcp.CallToolResult, error) {
	window := min(max(int(args.num("window", 10)), 3), maxWindow)
	calls := s.progress.calls[max(0, len(s.progress.calls)-window):]
	errors, idle, repeated := 0, 0, 0
	for i := len(calls) - 1; i >= 0; i-- {
		c := calls[i]
		if c.failed {
			errors++
		} else if !contains(" read_page tabs_context tabs_search ", c.tool) {
			break
		}
		idle++
	}
	for i := len(calls) - 1; i >= 0 && calls[i].tool == calls[len(calls)-1].tool; i-- {
		repeated++
	}
	last := func(i int) string { return calls[len(calls)-i].tool }
	swings := len(calls) >= 4 && last(1) == last(3) && last(2) == last(4) && last(1) != last(2)
	status, signal, policy, next := "progressing", "", "continue", []string{}
	switch {
	case errors >= 3 || idle >= 5:
		status = "stuck"
	case idle >= 3:
		status = "stalling"
	}
	switch {
	case idle >= 8 || errors >= 5:
		policy = "stop_episode"
	case errors >= 3:
		policy, next = "checkpoint_and_recover", []string{"tabs_context", "read_page"}
	case swings || repeated >= 3:
		policy, next = "switch_strategy", []string{"find", "interact"}
	case idle >= 3:
		policy, next = "refresh_state", []string{"read_page"}
	}
	switch {
	case errors >= 3:
		signal = "consecutiveErrors"
	case idle >= 3:
		signal = "consecutiveNonProgress"
	case swings:
		signal = "oscillationDetected"
	case repeated >= 3:
		signal = "repeatedToolStreak"
	}
	result := object{{"sessionId", "default"}, {"status", status}, {"window", window}, {"counters", object{
		{"recentCalls", len(calls)}, {"consecutiveErrors", errors}, {"consecutiveNonProgress", idle}, {"repeatedToolStreak", repeated},
		{"screenshotLoopCount", 0}, {"coordinateClickStreak", 0}, {"oscillationDetected", swings}}}}
	if signal != "" {
		result = append(result, field{"topSignal", signal})
	}
	result = append(result, field{"suggestedPolicy", policy}, field{"suggestedNextCalls", next})
	if args.truth("includeRecentCalls", false) {
		recent := []object{}
		for _, c := range calls {
			recent = append(recent, object{{"toolName", c.tool}, {"result", map[bool]string{true: "error", false: "success"}[c.failed]}})
		}
		result = append(result, field{"recentCalls", recent})
	}
	answer := text("%s", stringify(result))
	answer.StructuredContent = result
	return answer, nil
}
