package adapter

import (
	"encoding/json"

	"github.com/openchrome/bench/harness/event"
)

// TabAfter returns the current tab, the one last opened or navigated, after call got the
// answer r. prev was the current tab before the call. Only navigate and tabs_create change
// it, and only if they succeed. OpenChrome's answer has the id of a new or reused tab, but
// not of a tab that the call itself named.
func TabAfter(prev string, call event.Call, r event.Result) string {
	moves := call.Tool == "navigate" || call.Tool == "tabs_create"
	if !moves || r.Raw == nil || r.IsError() {
		return prev
	}
	if id := r.TabID(); id != "" {
		return id
	}
	var tab struct {
		TabID string `json:"tabId"`
	}
	if call.Tool == "navigate" && json.Unmarshal(call.Args, &tab) == nil && tab.TabID != "" {
		return tab.TabID
	}
	return prev
}
