package episode

import (
	"slices"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// TabAfter returns the current tab, the one last opened or used, after call got the answer
// r. prev was the current tab before the call. Only calls that succeed change it: those that
// open, and all others that name a tab, except those that close it. The answer to a call that
// opens has the id of a new or reused tab, but not of a tab that the call itself named.
func TabAfter(s *server.Server, prev string, call adapter.Call, r adapter.Result) string {
	if r.Raw == nil || r.IsError() {
		return prev
	}
	tool, _ := s.ToolOf(call)
	if tool.Does == server.Opens && r.TabID() != "" {
		return r.TabID()
	}
	if tab := tabOf("", call); tab != "" && tool.Does != server.Closes {
		return tab
	}
	return prev
}

// Closes reports whether the call closed the tab with its answer r.
func Closes(s *server.Server, tab string, call adapter.Call, r adapter.Result) bool {
	var answer struct{ Closed []string }
	tool, _ := s.ToolOf(call)
	return tool.Does == server.Closes && r.JSON(&answer) && slices.Contains(answer.Closed, tab)
}
