package session

import (
	"fmt"
	"regexp"

	"github.com/openchrome/bench/harness/adapter"
)

// DevTools is the MCP server of the Chrome DevTools team, with its default tools.
var DevTools = Server{
	Name:    "chrome-devtools-mcp",
	Title:   "Chrome DevTools MCP",
	Package: "chrome-devtools-mcp",
	Version: "1.11.0",
	Entry:   "build/src/bin/chrome-devtools-mcp.js",
	Bins:    []string{"chrome-devtools-mcp"},
	Node:    "^20.19.0 || ^22.12.0 || >=23", // known, too, where it is not installed

	Args: func(port int) []string {
		return []string{"--browserUrl", fmt.Sprintf("http://127.0.0.1:%d", port), "--no-usage-statistics", "--no-performance-crux",
			"--workspace=."} // it starts in the folder of the task's files, and would refuse them
	},
	Help: []string{"--help"},
	Env:  func(string) []string { return []string{"CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS=1"} },

	WarmUp: NewCall("list_pages", map[string]any{}),
	// The page of a fresh browser has the id 1.
	Open: func(url string) adapter.Call {
		return NewCall("navigate_page", map[string]any{"pageId": 1, "url": url})
	},
	Script: func(_, expression string) adapter.Call {
		return NewCall("evaluate_script", map[string]any{"pageId": 1, "function": "() => " + expression})
	},
	Moves: []string{"navigate_page", "new_page", "select_page", "close_page"},
	// A page without a title has no parentheses: 1: https://x.test/ [selected].
	Tabs: regexp.MustCompile(`(?m)^\d+: .+?(?P<current> \[selected\])?(?: isolatedContext=[^)\n]*)?$`),
	// The form in which take_snapshot prints elements: uid=1_35 button "Send message"
	// focusable.
	Snapshot: "take_snapshot",
	Refs:     regexp.MustCompile(`(?m)^\s*uid=(?P<ref>\w+) (?P<role>\w+)(?: "(?P<name>[^\n]*?)"(?: |$))?`),

	Acts: map[string]Act{
		"navigate_page": {Does: Opens},
		"new_page":      {Does: Opens},
		"select_page":   {Does: Opens},
		"close_page":    {Does: Opens},
		"click":         {Does: Clicks, Ref: "uid"},
		"hover":         {Does: Hovers, Ref: "uid"},
		"fill":          {Does: Fills, Ref: "uid", Value: "value"},
		"fill_form":     {Does: Fills, Fields: "elements", Ref: "uid", Value: "value"},
		"type_text":     {Does: Types, Value: "text"},
		"press_key":     {Does: Presses, Value: "key"},
		"drag":          {Does: Drags, Ref: "from_uid"},
		"upload_file":   {Does: Uploads, Ref: "uid", Value: "filePaths"},
		"handle_dialog": {Does: Answers},
	},
	Rest: "\n## ",
}
