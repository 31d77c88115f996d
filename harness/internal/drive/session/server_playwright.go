package session

import (
	"fmt"
	"regexp"

	"github.com/openchrome/bench/harness/adapter"
)

// Playwright is the MCP server of the Playwright project, with its default tools. It sends
// no telemetry. It downloads no browser, because we attach it to one.
var Playwright = Server{
	Name:    "playwright-mcp",
	Title:   "Playwright MCP",
	Package: "@playwright/mcp",
	Version: "0.0.83",
	Entry:   "cli.js",
	Bins:    []string{"playwright-mcp"},
	Code:    []string{"playwright-core"},
	Node:    ">=20", // the range of playwright-core; the package.json of this package asks only for 18

	Args: func(port int) []string {
		return []string{"--cdp-endpoint", fmt.Sprintf("http://127.0.0.1:%d", port)}
	},
	Help: []string{"--help"},

	WarmUp: NewCall("browser_tabs", map[string]any{"action": "list"}),
	Open:   func(url string) adapter.Call { return NewCall("browser_navigate", map[string]any{"url": url}) },
	Script: func(_, expression string) adapter.Call {
		return NewCall("browser_evaluate", map[string]any{"function": "() => " + expression})
	},
	Moves: []string{"browser_navigate", "browser_navigate_back", "browser_tabs"},
	Tabs:  regexp.MustCompile(`(?m)^- \d+: (?P<current>\(current\) )?\[.*\]\(.*\)$`),
	// The form in which browser_snapshot prints elements: - button "Send" [active]
	// [ref=e37] [cursor=pointer].
	Snapshot: "browser_snapshot",
	Refs:     regexp.MustCompile(`(?m)^\s*- '?(?P<role>\w+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?: \[[^\]\n]*\])*? \[ref=(?P<ref>\w+)\]`),

	Acts: map[string]Act{
		"browser_navigate":      {Does: Opens},
		"browser_navigate_back": {Does: Opens},
		"browser_tabs":          {Does: Opens},
		"browser_click":         {Does: Clicks, Ref: "target"},
		"browser_hover":         {Does: Hovers, Ref: "target"},
		"browser_type":          {Does: Fills, Ref: "target", Value: "text"},
		"browser_select_option": {Does: Fills, Ref: "target", Value: "values"},
		"browser_fill_form":     {Does: Fills, Fields: "fields", Ref: "target", Value: "value"},
		"browser_press_key":     {Does: Presses, Value: "key"},
		"browser_drag":          {Does: Drags, Ref: "startTarget"},
		"browser_file_upload":   {Does: Uploads, Value: "paths"},
		"browser_handle_dialog": {Does: Answers},
	},
	Rest: "\n### Page",
}
