package session

import (
	"encoding/json"
	"path/filepath"
	"regexp"

	"github.com/openchrome/bench/harness/adapter"
)

// Server is an MCP server that the local launcher can start and that episodes can drive:
// OpenChrome, or one of its peers. Each is a row of [Servers] and has its own file.
type Server struct {
	// Name is the name that -openchrome= takes and that the names of transcripts hold. It
	// is empty for OpenChrome, which local and container start and whose transcript is
	// transcript.jsonl.
	Name  string
	Title string // for people

	// The package's name in the npm registry; the version that the transcripts were made with
	// (empty: any); and the program that Node runs.
	Package, Version, Entry string
	Build                   string   // how to build Entry in a checkout; may be empty
	Bins                    []string // the commands that an installation adds to the PATH
	// Digest lists the files and folders of the package that its digest covers; nil means
	// all except node_modules. Code names further packages that hold the server's code; the
	// digest covers all of their files.
	Digest, Code []string
	Node         string // the Node versions that it needs; empty: the range in its package.json

	// Args returns the arguments of the program that attach it to the Chromium with this
	// DevTools port. Optional lists arguments that only some versions know. Each is added
	// if the output of Help contains its first word. Env returns the variables that the
	// program gets in addition to the clean environment of the session in dir. If it is
	// nil, there are none.
	Args     func(port int) []string
	Help     []string
	Optional [][]string
	Env      func(dir string) []string

	// WarmUp connects the server to the browser, before the clock starts.
	WarmUp adapter.Call
	// Open returns the call that opens url, which is step 0.
	Open func(url string) adapter.Call
	// Script returns the call that evaluates a JavaScript expression on the page of a tab. It
	// waits for a promise.
	Script func(tab, expression string) adapter.Call
	// Moves are the tools that may change the current tab. The observer then says which tab
	// is current. Nil means that the server's answers name the tab, as OpenChrome's do.
	Moves []string
	// Tabs finds the open tabs in the answers of Moves, one match for each, in the order in
	// which they were opened. Its group current is not empty for the current tab. If Tabs
	// is nil, or an answer lists no tabs, the tab that loads is current.
	Tabs *regexp.Regexp
	// Snapshot is the tool whose answer shows the whole page.
	Snapshot string
	// Refs finds the elements in an answer. Its groups are role, name and ref.
	Refs *regexp.Regexp

	// Acts says what the tools do to a page, by the name of the tool; or by its name, a space and
	// the value of the argument "action". A tool that is not here asks for nothing on a page.
	Acts map[string]Act
	// Rest begins the part of an answer that repeats the page; empty: no answer has one.
	Rest string
	// Marks finds the part of an answer that lists what failed in a call that is no error. What
	// failed stands there in quotes.
	Marks *regexp.Regexp
	// Nodes finds elements in answers that show the source of a page, as Refs does. Its group
	// attributes holds them as in HTML.
	Nodes *regexp.Regexp
}

// Deed is what a tool does to a page.
type Deed string

// The deeds.
const (
	Clicks  Deed = "clicks"
	Hovers  Deed = "hovers"
	Fills   Deed = "fills"   // one field
	Types   Deed = "types"   // a text into what has the focus
	Presses Deed = "presses" // keys
	Drags   Deed = "drags"
	Uploads Deed = "uploads"
	Answers Deed = "answers" // a dialog
	Opens   Deed = "opens"   // addresses or tabs
)

// Act says where the arguments of a tool name what it does. Each field is the name of an
// argument; empty: it has none.
type Act struct {
	Does  Deed
	Query string // words that name the target
	Ref   string // a ref of an earlier answer
	Point string // a list of x and y
	Value string // what to fill in, to type or to press; a list of them, or of files
	// Fields holds several fields: an object with a value for each name, or a list of objects
	// with the arguments Query, Ref and Value.
	Fields string
	Submit string // words that name the button to click last
}

// ActOf returns what a call does to a page; false if it does nothing.
func (s Server) ActOf(c adapter.Call) (Act, bool) {
	var args struct {
		Action json.RawMessage `json:"action"`
	}
	var action string
	if json.Unmarshal(c.Args, &args) == nil && json.Unmarshal(args.Action, &action) == nil {
		if act, ok := s.Acts[c.Tool+" "+action]; ok {
			return act, true
		}
	}
	act, ok := s.Acts[c.Tool]
	return act, ok
}

// Servers are all rows, OpenChrome first.
func Servers() []Server { return []Server{OpenChrome, Playwright, DevTools} }

// CurrentTab returns the position of the current tab in an answer's list of open tabs, and
// the length of the list. The position is -1 if the answer does not mark a current tab. A
// page may forge a line of the list.
func (s Server) CurrentTab(answer string) (index, open int) {
	index = -1
	if s.Tabs == nil {
		return index, 0
	}
	lines := s.Tabs.FindAllStringSubmatch(answer, -1)
	for i, m := range lines {
		if m[s.Tabs.SubexpIndex("current")] != "" {
			index = i
		}
	}
	return index, len(lines)
}

// NewCall returns a call with these arguments, which hold only texts and numbers.
func NewCall(tool string, args map[string]any) adapter.Call {
	raw, _ := json.Marshal(args)
	return adapter.Call{Tool: tool, Args: raw}
}

// HomeOf returns the home folder of the programs of the session in the folder dir.
func HomeOf(dir string) string { return filepath.Join(dir, "home") }
