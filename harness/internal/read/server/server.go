// Package server reads the descriptions of servers: what a server is called, how it is started, by
// which calls it does what an intent says, what its tools do, and how its answers look. A
// description is one JSON file in the folder servers, or the one that -profile names. It is data:
// whoever drives a server, or tells of one, asks here and knows no server by its name.
package server

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
)

// Server describes an MCP server. The comments of its fields are the descriptions in
// server.schema.json.
type Server struct {
	Schema string `json:"$schema,omitempty"`
	// that -server takes and that the names of transcripts have
	Name    string `json:"name"`
	Title   string `json:"title"`             // what people call it
	Called  string `json:"called,omitempty"`  // what it calls itself in its answer to initialize
	Version string `json:"version,omitempty"` // the version that this file was written for
	// the repositories, such as owner/repo, to which its users report
	Repositories []string `json:"repositories,omitempty"`
	Reviewer     string   `json:"reviewer"` // who reviewed the file, or: not reviewed
	Cites        []string `json:"cites"`    // the documentation that recommends the calls

	// how it is started on this machine; without it, only a command or an address can
	Start *Start `json:"start,omitempty"`
	// opens the start page, {{text}}; without it, the first call for go does
	Open *Call `json:"open,omitempty"`
	// connects the server to the browser, before the clock starts
	WarmUp *Call `json:"warmUp,omitempty"`
	// makes the viewport {{width}} by {{height}} CSS pixels, before the clock starts
	Viewport *Call `json:"viewport,omitempty"`

	Page Page `json:"page"` // how it shows a page
	// the same for what the fields hold, if page does not show it
	Fields *Page `json:"fields,omitempty"`
	// another way, which shows what page leaves out: tried once for what page does not show; {{name}} is
	// what is looked for
	More *Page `json:"more,omitempty"`
	Tabs Tabs  `json:"tabs,omitzero"` // how it shows its tabs

	Types map[string]string `json:"types,omitempty"` // other words for roles, for {{type}}
	// by the verb of an intent: the calls; accept, dismiss and prompt stand for answer, and double,
	// right and the names of keys for other ways to press; a verb that is left out is a step without a
	// tool, and one with an empty list, [], is done by the server itself
	Calls Calls `json:"calls"`
	// calls that name a target by its words, for one that page shows without a reference
	Words    Calls    `json:"words,omitempty"`
	Policies Policies `json:"policies"` // the policies that it has, with the calls that differ

	// what the tools do, by name; or by name, a space and the value of the argument action
	Tools   map[string]Tool `json:"tools,omitempty"`
	Answers Look            `json:"answers,omitzero"` // how answers look

	Source []byte `json:"-"` // the file
	Digest string `json:"-"` // "sha256:" and 64 hex digits over the file

	first map[string]string // the first name of a tool, by its other names
}

// Start says how a server is started: a package of npm, and a program that Node runs.
type Start struct {
	Why      string   `json:"why,omitempty"`      // for people
	Package  string   `json:"package"`            // the name in the npm registry
	Pinned   string   `json:"pinned,omitempty"`   // the version to install; empty: any
	Entry    string   `json:"entry"`              // the program that Node runs
	Build    string   `json:"build,omitempty"`    // the command that builds the entry in a checkout
	Commands []string `json:"commands,omitempty"` // the commands that an installation adds to the PATH
	// the files and folders that the digest of the package covers; empty: all except node_modules
	Digest []string `json:"digest,omitempty"`
	Code   []string `json:"code,omitempty"` // further packages that hold its code
	// the versions of Node that it needs; empty: the range in its package.json
	Node string `json:"node,omitempty"`
	// the arguments that attach it to the Chromium with the DevTools port {{port}}
	Args []string `json:"args"`
	Help []string `json:"help"` // the arguments that print its options
	// arguments that only some versions know: each is added if the help has its first word
	Optional [][]string `json:"optional,omitempty"`
	// variables beside the clean environment; {{dir}} is the session's folder, {{home}} its home
	Env []string `json:"env,omitempty"`
}

// Page says how a page is read.
type Page struct {
	Call Call `json:"call"` // reads the page
	// patterns of a line, of which the first that matches counts
	Lines Lines `json:"lines"`
	// finds the value in the group state of a line; empty: the group value of the line
	Value *regexp.Regexp `json:"value,omitempty" groups:"value"`
	// the roles for its own words, such as {"field": "textbox"}
	Roles    map[string]string `json:"roles,omitempty"`
	NoBoxes  bool              `json:"noBoxes,omitempty"`  // it does not show whether a box is checked
	NoValues bool              `json:"noValues,omitempty"` // it does not show what fields hold
	Why      string            `json:"why,omitempty"`      // for people
}

// Tabs says how tabs are told.
type Tabs struct {
	// the argument that names a tab, if answers name tabs, too; empty: the observer says which tab
	// is current
	Argument string `json:"argument,omitempty"`
	// the id of the first tab, if no answer tells it
	First   string         `json:"first,omitempty"`
	List    *Call          `json:"list,omitempty"`                          // lists the tabs
	Pattern *regexp.Regexp `json:"pattern,omitempty" groups:"id title url"` // finds the tabs in the answer to list
	// makes a tab current; empty: each call names the tab
	Select *Call `json:"select,omitempty"`
	// finds the open tabs in the answers of tools that open, in the order in which they were opened;
	// its group current is not empty for the current one
	Current *regexp.Regexp `json:"current,omitempty" groups:"current"`
}

// Policies are the policies of a server, by name.
type Policies map[string]Policy

// Policy is a policy of a server.
type Policy struct {
	Form  *Call `json:"form,omitempty"`  // fills several fields
	Send  *Call `json:"send,omitempty"`  // fills several fields and presses a button
	Calls Calls `json:"calls,omitempty"` // instead of those of the server
}

// Calls are the calls for each verb.
type Calls map[string][]Call

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
	Closes  Deed = "closes"  // tabs
	Other   Deed = "other"   // it changes the page or the browser in another way
	Scripts Deed = "scripts" // it may read or change
	Reads   Deed = "reads"   // it only reads or waits
)

// Tool says what a tool does, and where its arguments name it. Each of the fields from Query to
// Submit is the name of an argument; empty: it has none.
type Tool struct {
	// what it does to a page: other is a change of another kind, reads none
	Does Deed `json:"does"`
	// its names in other versions, of which that counts which the server lists
	Also  []string `json:"also,omitempty"`
	Query string   `json:"query,omitempty"` // words that name the target
	Ref   string   `json:"ref,omitempty"`   // a ref of an earlier answer
	Point string   `json:"point,omitempty"` // a list of x and y
	// what to fill in, to type or to press; a list of them, or of files
	Value string `json:"value,omitempty"`
	// several fields: an object with a value for each name, or a list of objects with query, ref and
	// value
	Fields string `json:"fields,omitempty"`
	Submit string `json:"submit,omitempty"` // words that name the button to click last
	// its arguments, for task:check; a ! marks those that a call needs
	Args []string `json:"args,omitempty"`
	// its answer ends with the page as it was after a fixed wait, which is not compared
	Settles bool `json:"settles,omitempty"`
}

// Look says how answers look.
type Look struct {
	Refs *regexp.Regexp `json:"refs,omitempty" groups:"role name ref"` // finds elements
	// finds elements where the source of a page is shown; attributes are as in HTML, and refs the
	// ids of nodes
	Nodes *regexp.Regexp `json:"nodes,omitempty" groups:"role name ref attributes"`
	Rest  string         `json:"rest,omitempty"` // begins the part of an answer that repeats the page
	// finds the part that lists, in quotes, what failed in a call that is no error; its first group
	// is the list
	Failed   *regexp.Regexp `json:"failed,omitempty"`
	Stale    *regexp.Regexp `json:"stale,omitempty"`    // finds, in an error, that a reference is of an element that is gone
	LeftOut  *regexp.Regexp `json:"leftOut,omitempty"`  // finds the lines that say what an answer leaves out
	Volatile []Volatile     `json:"volatile,omitempty"` // what differs between two runs that did the same
}

// Volatile is a rule that makes answers comparable.
type Volatile struct {
	Mark    string         `json:"mark"`    // a text without it is not searched
	Pattern *regexp.Regexp `json:"pattern"` // what differs
	To      string         `json:"to"`      // takes its place, with $1 for a group
}

// ToolOf returns what the tool of a call does; false if the description does not know the tool.
func (s *Server) ToolOf(c adapter.Call) (Tool, bool) {
	var args struct {
		Action json.RawMessage `json:"action"`
	}
	var action string
	name := s.FirstName(c.Tool)
	if json.Unmarshal(c.Args, &args) == nil && json.Unmarshal(args.Action, &action) == nil {
		if tool, ok := s.Tools[name+" "+action]; ok {
			return tool, true
		}
	}
	tool, ok := s.Tools[name]
	return tool, ok
}

// Fails reports whether an answer says that its call failed, as a whole or in part.
func (s *Server) Fails(r adapter.Result) bool { return r.IsError() || s.Failed(r) != "" }

// Failed returns the list of what an answer says has failed, in quotes; empty if it says nothing of it.
func (s *Server) Failed(r adapter.Result) string {
	if s.Answers.Failed != nil {
		if m := s.Answers.Failed.FindStringSubmatch(s.Said(r.Text())); m != nil {
			return cmp.Or(m[1], m[0])
		}
	}
	return ""
}

// Stale reports whether an answer is an error because a reference is of an element that is gone.
func (s *Server) Stale(r adapter.Result) bool {
	return r.IsError() && s.Answers.Stale != nil && s.Answers.Stale.MatchString(s.Said(r.Text()))
}

// Said returns an answer without the part that repeats the page: that is what the page says.
func (s *Server) Said(answer string) string {
	said, _, _ := strings.Cut(answer, cmp.Or(s.Answers.Rest, "\x00"))
	return said
}

// Node returns the id of the node that a call names, if the server's references are such ids.
func (s *Server) Node(c adapter.Call) (id int64, ok bool) {
	tool, _ := s.ToolOf(c)
	var args map[string]json.RawMessage
	if s.Answers.Nodes == nil || tool.Ref == "" || !tool.Asks() || json.Unmarshal(c.Args, &args) != nil {
		return 0, false
	}
	id, err := strconv.ParseInt(strings.Trim(string(args[tool.Ref]), `"`), 10, 64)
	return id, err == nil
}

// Asks reports whether a call of the tool asks for something on a page.
func (t Tool) Asks() bool {
	return !slices.Contains([]Deed{"", Opens, Answers, Closes, Other, Scripts, Reads}, t.Does)
}

// FirstName returns the name that the description gives a tool, by any of its names.
func (s *Server) FirstName(tool string) string { return cmp.Or(s.first[tool], tool) }

// Listed returns the name under which a server that lists these tools has a tool. It is the tool's
// own, unless only another one is listed.
func (s *Server) Listed(tool string, tools []adapter.Tool) string {
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(t adapter.Tool) bool { return t.Name == name })
	}
	if also := s.Tools[tool].Also; also != nil && !has(tool) {
		if i := slices.IndexFunc(also, has); i >= 0 {
			return also[i]
		}
	}
	return tool
}

// Opening returns the call that opens the start page.
func (s *Server) Opening(url string) adapter.Call {
	if s.Open != nil {
		return s.Open.With(Values{"text": url, "tab": s.Tabs.First}, nil)
	}
	return s.Calls["go"][0].With(Values{"text": url, "tab": s.Tabs.First}, nil)
}

// CurrentTab returns the position of the current tab in an answer's list of open tabs, and
// the length of the list. The position is -1 if the answer does not mark a current tab. A
// page may forge a line of the list.
func (s *Server) CurrentTab(answer string) (index, open int) {
	index = -1
	if s.Tabs.Current == nil {
		return index, 0
	}
	lines := s.Tabs.Current.FindAllStringSubmatch(answer, -1)
	for i, m := range lines {
		if m[s.Tabs.Current.SubexpIndex("current")] != "" {
			index = i
		}
	}
	return index, len(lines)
}

// Arguments returns the arguments that attach the server to the Chromium with this DevTools port.
func (s *Start) Arguments(port string) (args []string) {
	for _, arg := range s.Args {
		args = append(args, strings.ReplaceAll(arg, "{{port}}", port))
	}
	return args
}

// Environ returns the variables of the server beside the clean environment.
func (s *Start) Environ(dir, home string) (env []string) {
	for _, v := range s.Env {
		env = append(env, strings.NewReplacer("{{dir}}", dir, "{{home}}", home).Replace(v))
	}
	return env
}
