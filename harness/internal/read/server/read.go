package server

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/servers"
)

// openchrome is the name of the server that the stand-in, a command line and an address are, unless
// a description says otherwise.
const openchrome = "openchrome"

// Names are the names of the known servers, OpenChrome first.
func Names() []string {
	files, _ := fs.Glob(servers.FS, "*.json") // the pattern is valid
	names := []string{openchrome}
	for _, file := range files {
		if name := strings.TrimSuffix(file, ".json"); file != servers.Schema && name != openchrome {
			names = append(names, name)
		}
	}
	return names
}

var known = sync.OnceValue(func() (all []*Server) {
	for _, name := range Names() {
		f := jsonfile.Read(servers.FS, name+".json", "servers/"+name+".json", "")
		s := Read(f)
		if s.Name != name {
			f.Fault(0, "", "is the description of %s; name the file after its server", display.Quote(s.Name))
		}
		if err := f.Faults.Err(); err != nil {
			panic(err) // a test reads all of them
		}
		all = append(all, s)
	}
	return all
})

// All returns the known servers, OpenChrome first.
func All() []*Server { return known() }

// OpenChrome returns the description of OpenChrome.
func OpenChrome() *Server { return known()[0] }

// IsPeer reports whether it is another server than OpenChrome.
func (s *Server) IsPeer() bool { return s.Name != openchrome }

// Named returns the known server of this name; nil if there is none.
func Named(name string) *Server {
	for _, s := range known() {
		if s.Name == name {
			return s
		}
	}
	return nil
}

// Title returns what people call a server, by the name that it gives in its answer to initialize.
func Title(called string) string {
	for _, s := range known() {
		if s.Called == called {
			return s.Title
		}
	}
	return called
}

// Repositories are those to which the users of a server report, by the name that it gives in its answer to initialize.
func Repositories(called string) []string {
	for _, s := range known() {
		if s.Called == called {
			return s.Repositories
		}
	}
	return nil
}

// Settles reports whether what the tool of any server answers ends with a page that is not compared.
func Settles(tool string) bool {
	return slices.ContainsFunc(known(), func(s *Server) bool { return s.Tools[s.FirstName(tool)].Settles })
}

// Open reads the description in a file. The error is [jsonfile.Faults] if it has faults.
func Open(file string) (*Server, error) {
	dir, name := filepath.Split(file)
	const absent = "-profile names the description of a server"
	f := jsonfile.Read(os.DirFS(cmp.Or(dir, ".")), name, filepath.ToSlash(file), absent)
	s := Read(f)
	return s, f.Faults.Err()
}

// Logged returns the description with which a log is read: the one that it has, or else the built-in one of
// this name. Logs of the stand-in, of a command and of an address name OpenChrome.
func Logged(name string, own []byte) (*Server, error) {
	if own == nil {
		if s := Named(cmp.Or(name, openchrome)); s != nil {
			return s, nil
		}
		return nil, fmt.Errorf("the log is of %s, which this program does not know", display.Quote(name))
	}
	f := jsonfile.New("the description in the log", own)
	s := Read(f)
	return s, f.Faults.Err()
}

// Read reads a description. It adds faults to f.
func Read(f *jsonfile.File) *Server {
	source := []byte(f.Content())
	s := &Server{Source: source, Digest: fmt.Sprintf("sha256:%x", sha256.Sum256(source)), first: make(map[string]string)}
	n := f.Value()
	f.Decode(n, s)
	if len(f.Faults) > 0 {
		return s
	}
	if len(s.Cites) == 0 {
		f.FaultAt(n.Get("cites"), "is empty; cite the documentation that recommends these calls")
	}
	if s.Open == nil && len(s.Calls[string(intent.Go)]) == 0 {
		f.FaultAt(n, "has neither open nor a call for go: nothing opens the start page")
	}
	if (s.Tabs.List == nil) != (s.Tabs.Pattern == nil) {
		f.FaultAt(n.Get("tabs"), "list and pattern need each other")
	}
	if s.Answers.Failed != nil && s.Answers.Failed.NumSubexp() == 0 {
		f.FaultAt(n.Get("answers").Get("failed"), "has no group; the first one is the list of what failed")
	}
	if start := n.Get("start"); start != nil && !strings.Contains(strings.Join(s.Start.Args, " "), "{{port}}") {
		f.FaultAt(start.Get("args"), "do not name the port of the browser, {{port}}")
	}
	for name, tool := range s.Tools {
		for _, also := range tool.Also {
			if _, taken := s.Tools[also]; taken || s.first[also] != "" {
				f.FaultAt(n.Get("tools").Get(name).Get("also"), "has %s, which is the name of another tool", display.Quote(also))
			}
			s.first[also] = name
		}
	}
	return s
}

var deeds = []string{
	string(Clicks), string(Hovers), string(Fills), string(Types), string(Presses), string(Drags), string(Uploads),
	string(Answers), string(Opens), string(Closes), string(Other), string(Scripts), string(Reads),
}

// ReadJSON implements [jsonfile.Reader].
func (d *Deed) ReadJSON(f *jsonfile.File, n *jsonfile.Node) { *d = Deed(f.OneOf(n, deeds)) }

// Lines are patterns of the lines of a page.
type Lines []*regexp.Regexp

// groups are the groups that a pattern of a line can have.
var groups = []string{"ref", "role", "tag", "attributes", "name", "value", "state"}

// ReadJSON implements [jsonfile.Reader].
func (l *Lines) ReadJSON(f *jsonfile.File, n *jsonfile.Node) {
	f.Array(n, "patterns", func(n *jsonfile.Node) {
		re := f.PatternWith(n)
		if re == nil {
			return
		}
		*l = append(*l, re)
		for _, g := range re.SubexpNames() {
			if g != "" && !slices.Contains(groups, g) {
				f.FaultAt(n, "has a group %s; allowed: %s%s",
					display.Quote(g), strings.Join(groups, ", "), display.DidYouMean(g, groups))
			}
		}
	})
}

// verbs are the keys of calls: the verbs of intents, with three in place of answer, and the other ways to
// press.
var verbs = func() (all []string) {
	for _, v := range intent.Verbs {
		switch v {
		case intent.Read, intent.Send, intent.Try, intent.Answer, intent.Tab, intent.Unsupported:
		default:
			all = append(all, string(v))
		}
	}
	return append(append(all, "accept", "dismiss", "prompt"), intent.Clicks...)
}()

// ReadJSON implements [jsonfile.Reader].
func (c *Calls) ReadJSON(f *jsonfile.File, n *jsonfile.Node) {
	f.Decode(n, (*map[string][]Call)(c))
	keys(f, n, verbs)
}

// keys adds a fault for each key that is not allowed.
func keys(f *jsonfile.File, n *jsonfile.Node, allowed []string) {
	for _, m := range n.Items {
		if !slices.Contains(allowed, m.Key) {
			f.Unknown(m, allowed)
		}
	}
}

// The policies.
const (
	BySubmit = "submit" // fills in and sends in one call, which names the button
	ByForm   = "form"   // fills in all fields in one call, then presses
	ByRef    = "ref"    // one call for each field, by reference
	ByKeys   = "type"   // clicks a field and types
)

// PolicyNames are all policies, in the order in which trust tries them.
var PolicyNames = []string{BySubmit, ByForm, ByRef, ByKeys}

// ReadJSON implements [jsonfile.Reader].
func (p *Policies) ReadJSON(f *jsonfile.File, n *jsonfile.Node) {
	f.Decode(n, (*map[string]Policy)(p))
	keys(f, n, PolicyNames)
	for _, m := range n.Items {
		one := (*p)[m.Key]
		for key, call := range map[string]*Call{"form": one.Form, "send": one.Send} {
			switch {
			case call == nil && (m.Key == BySubmit || m.Key == ByForm && key == "form"):
				f.FaultAt(m, "missing field %q", key)
			case call != nil && call.Field == "":
				f.FaultAt(m.Get(key), `has no "field", which is a field in the place of {{fields}}`)
			}
		}
	}
}

// VolatileParts are the rules of all servers that make answers comparable.
var VolatileParts = sync.OnceValue(func() (all []Volatile) {
	for _, s := range known() {
		all = append(all, s.Answers.Volatile...)
	}
	return all
})
