package episode

import (
	"encoding/json"
	"slices"

	"github.com/openchrome/bench/harness/adapter"
)

// TabAfter returns the current tab, the one last opened or used, after call got the answer
// r. prev was the current tab before the call. Only calls that succeed change it: navigate
// and tabs_create, and all other calls that name a tab, except tabs_close. The answer to
// navigate and tabs_create has the id of a new or reused tab, but not of a tab that the call
// itself named.
func TabAfter(prev string, call adapter.Call, r adapter.Result) string {
	if r.Raw == nil || r.IsError() {
		return prev
	}
	if opens := call.Tool == "navigate" || call.Tool == "tabs_create"; opens && r.TabID() != "" {
		return r.TabID()
	}
	var tab struct {
		TabID string `json:"tabId"`
	}
	if call.Tool != "tabs_close" && json.Unmarshal(call.Args, &tab) == nil && tab.TabID != "" {
		return tab.TabID
	}
	return prev
}

// Closes reports whether the call closed the tab with its answer r.
func Closes(tab string, call adapter.Call, r adapter.Result) bool {
	var answer struct{ Closed []string }
	return call.Tool == "tabs_close" && r.JSON(&answer) && slices.Contains(answer.Closed, tab)
}
