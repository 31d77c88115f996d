package episode

import (
	"slices"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/read/server"
)

// tabs are the tabs that the calls opened or used, each once. The last one was used last.
type tabs struct {
	used []string
	// shut says that the adapter closed the last one.
	shut bool
}

// after records the current tab after a call.
func (t *tabs) after(s *server.Server, c adapter.Call, r adapter.Result, tab string) {
	if tab == "" {
		return
	}
	if n := len(t.used); n == 0 || t.used[n-1] != tab {
		t.shut = false
		t.used = append(slices.DeleteFunc(t.used, func(u string) bool { return u == tab }), tab)
	}
	var answer struct{ Closed []string }
	tool, _ := s.ToolOf(c)
	t.shut = t.shut || tool.Does == server.Closes && r.JSON(&answer) && slices.Contains(answer.Closed, tab)
}

// tab returns the current tab, which is also the judged tab. It is the tab that the last
// successful call opened or named. If the page closed this tab, as popups do, it is the tab
// that was used before it and is still open. But if the adapter closed the tab itself, it
// stays current, and there is no page to judge.
func (r *run) tab() string {
	used := r.tabs.used
	if len(used) == 0 {
		return ""
	}
	if !r.tabs.shut {
		for _, tab := range slices.Backward(used) {
			if !r.source.Closed(tab) {
				return tab
			}
		}
	}
	return used[len(used)-1]
}

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
