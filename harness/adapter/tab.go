package adapter

import (
	"encoding/json"

	"github.com/openchrome/bench/harness/event"
)

// TabAfter returns the current tab, the one last opened or used, after call got the answer
// r. prev was the current tab before the call. Only calls that succeed change it: navigate
// and tabs_create, and calls that name a tab. The answer to navigate and tabs_create has the
// id of a new or reused tab, but not of a tab that the call itself named.
func TabAfter(prev string, call event.Call, r event.Result) string {
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
