package adapter

import (
	"encoding/json"

	"github.com/openchrome/bench/harness/event"
)

// TabAfter returns the tab last opened or navigated once call was answered
// with r; prev is the tab before it. Only navigate and tabs_create move it, and
// only when they succeed: OpenChrome names a new or reused tab in its answer,
// and says nothing of a tab that was named in the call.
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
