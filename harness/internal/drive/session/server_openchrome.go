package session

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
)

// The versions of OpenChrome; docs/DECISIONS.md says why there are two.
const (
	// OpenChromeVersion is the version that was measured. The stand-in, the tools that
	// task:check knows, the transcripts and docs/benchmarks/suite.md follow it.
	OpenChromeVersion = "1.7.15"
	// OpenChromeOnNpm is the version that a container gets from npm if -package names none.
	OpenChromeOnNpm = "1.12.9"
)

// OpenChromeName is the name of OpenChrome where a name is needed, as of its profile. The name in
// its row is empty.
const OpenChromeName = "openchrome"

// OpenChrome is the row of OpenChrome, of the stand-in, of a command line and of an address.
var OpenChrome = Server{
	Title:   "OpenChrome",
	Package: "openchrome-mcp",
	// The package's bin is a different program. It starts a browser that is not headless,
	// and edits files in the user's home.
	Entry:  "dist/index.js",
	Build:  "npm install && npm run build",
	Bins:   []string{"openchrome", "oc"},
	Digest: []string{"package.json", "dist"},

	Args: func(port int) []string { return []string{"serve", "--port", strconv.Itoa(port)} },
	Help: []string{"serve", "--help"},
	// These make OpenChrome start no browser or server of its own.
	Optional: [][]string{
		{"--no-auto-elect"},
		{"--launch-mode", "attach"},
	},
	Env: openchromeEnv,

	WarmUp: NewCall("tabs_context", map[string]any{}),
	Open:   func(url string) adapter.Call { return NewCall("navigate", map[string]any{"url": url}) },
	Script: func(tab, expression string) adapter.Call {
		// OpenChrome 1.7.15 loses the value and the errors of code with a semicolon, a line break
		// or the word "return", so the page decodes it.
		code := strings.ReplaceAll(url.PathEscape(expression), "return", "%72eturn")
		return NewCall("javascript_tool", map[string]any{"tabId": tab, "code": `await eval(decodeURIComponent("` + code + `"))`})
	},
	// The form in which find, and read_page in mode ax, print elements.
	Snapshot: "read_page",
	Refs:     regexp.MustCompile(`(?m)^\s*\[(?P<ref>ref_\d+)\] (?P<role>\w+)(?:: "(?P<name>(?:[^"\\]|\\.)*)")?`),

	Acts: map[string]Act{
		"navigate":              {Does: Opens},
		"tabs_create":           {Does: Opens},
		"interact":              {Does: Clicks, Query: "query"},
		"interact hover":        {Does: Hovers, Query: "query"},
		"fill_form":             {Does: Fills, Fields: "fields", Submit: "submit"},
		"form_input":            {Does: Fills, Ref: "ref", Value: "value"},
		"computer left_click":   {Does: Clicks, Ref: "ref", Point: "coordinate"},
		"computer right_click":  {Does: Clicks, Ref: "ref", Point: "coordinate"},
		"computer double_click": {Does: Clicks, Ref: "ref", Point: "coordinate"},
		"computer triple_click": {Does: Clicks, Ref: "ref", Point: "coordinate"},
		"computer hover":        {Does: Hovers, Ref: "ref", Point: "coordinate"},
		"computer type":         {Does: Types, Value: "text"},
		"computer key":          {Does: Presses, Value: "text"},
		"drag_drop":             {Does: Drags, Query: "sourceSelector"},
		"file_upload":           {Does: Uploads, Query: "selector", Value: "filePaths"},
	},
	Rest:  "\n[",
	Marks: regexp.MustCompile(`(?m)^Errors: (.*)$`),
	Nodes: regexp.MustCompile(`(?m)\[(?P<ref>\d+)\]<(?P<role>[\w-]+)(?P<attributes>(?: [\w-]+(?:="[^"]*")?)*) ?/?>(?P<name>[^\n\[★]*)`),
}

// openchromeEnv returns the variables that OpenChrome gets in addition to the clean
// environment. With them it keeps its files in its home, contacts no other server, does not
// check for updates, and does not slow down calls. Its tools are those that users get.
func openchromeEnv(dir string) []string {
	state := filepath.Join(HomeOf(dir), ".openchrome")
	return []string{
		"OPENCHROME_TASK_ROOT=" + filepath.Join(state, "tasks"),
		"OPENCHROME_CONTROLLER_LOCK_DIR=" + filepath.Join(state, "locks"),
		"OPENCHROME_BROKER_REGISTRY_DIR=" + filepath.Join(state, "brokers"),
		"OC_STORAGE_DIR=" + filepath.Join(state, "storage"),
		"OPENCHROME_AUTO_ELECT=0",
		"OPENCHROME_HEALTH_ENDPOINT=0",
		"OPENCHROME_UPDATE_CHECK=0",
		"OPENCHROME_RATE_LIMIT_RPM=100000",
		"OPENCHROME_PPID_WATCH=1",
	}
}
