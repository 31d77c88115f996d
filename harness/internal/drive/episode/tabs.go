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
	t.shut = t.shut || Closes(s, tab, c, r)
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
