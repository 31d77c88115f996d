package policy

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/adapter"
	"github.com/openchrome/bench/harness/internal/drive/session"
	"github.com/openchrome/bench/harness/internal/read/intent"
	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Profile says by which calls a server does something, and how it shows a page. It is data: a
// file in profiles, or the one that -profile names.
type Profile struct {
	record.Profile
	page   reader
	fields *reader // shows what the fields hold, if page does not
	again  *call   // waits a moment, before the page is read again for a target that is missing
	tab    string  // id of the first tab; empty: the answers name it
	list   *call   // lists the tabs
	tabs   *regexp.Regexp
	choose *call             // makes a tab current; nil: each call names the tab
	types  map[string]string // other names of roles, for {{type}}
	calls  map[string][]call // by verb: the calls of each policy that has no own
	// policies are the ways that the server has, by name.
	policies map[string]way
}

// way is a policy of a server.
type way struct {
	form  *call             // fills several fields
	send  *call             // the same, and presses a button
	calls map[string][]call // instead of those of the profile
}

// reader is how a server shows a page.
type reader struct {
	call    call
	lines   []*regexp.Regexp
	value   *regexp.Regexp // finds the value in a line; nil: the group of the line
	noBoxes bool           // it does not show whether a box is checked
}

//go:embed profiles/*.json
var builtin embed.FS

// Find returns the profile in a file, of this server (empty: of any) or, without a file, the
// built-in one. The error is [jsonfile.Faults] if the profile has faults.
func Find(server, file string) (*Profile, error) {
	var f *jsonfile.File
	if file != "" {
		f = jsonfile.Read(os.DirFS(filepath.Dir(file)), filepath.Base(file), filepath.ToSlash(file), "-profile names a profile of a server")
	} else {
		name := path.Join("profiles", server+".json")
		if _, err := builtin.Open(name); err != nil {
			return nil, fmt.Errorf("-adapter: there is no profile of %s; name one with -profile=FILE", display.Quote(server))
		}
		f = jsonfile.Read(builtin, name, name, "")
	}
	p := readProfile(f)
	if err := f.Faults.Err(); err != nil {
		return nil, err
	}
	switch {
	case server != "" && p.Server != server:
		return nil, fmt.Errorf("-profile: %s is of %s, but the server is %s", display.Quote(file), display.Quote(p.Server), display.Quote(server))
	case server == "" && p.calls[string(intent.Go)] == nil:
		return nil, fmt.Errorf("-profile: %s has no call for go, which opens the start page", display.Quote(file))
	}
	return p, nil
}

// Row returns the row of the profile's server. If there is none, it has only a name and the call
// that opens a page.
func (p *Profile) Row() session.Server {
	for _, s := range session.Servers() {
		if cmp.Or(s.Name, session.OpenChromeName) == p.Server {
			return s
		}
	}
	return session.Server{Name: p.Server, Title: p.Server, Open: func(url string) adapter.Call {
		return p.calls[string(intent.Go)][0].with(values{"text": url, "tab": p.tab}, nil)
	}}
}

// verbs are the keys of calls: the verbs of intents, with three in place of answer.
var verbs = func() (all []string) {
	for _, v := range intent.Verbs {
		switch v {
		case intent.Read, intent.Send, intent.Try, intent.Answer, intent.Tab:
		default:
			all = append(all, string(v))
		}
	}
	return append(all, "accept", "dismiss", "prompt")
}()

// readProfile reads a profile. It adds faults to f.
func readProfile(f *jsonfile.File) *Profile {
	p := &Profile{policies: make(map[string]way), types: make(map[string]string), calls: make(map[string][]call)}
	p.Digest = fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(f.Content())))
	text := func(to *string) func(*jsonfile.Node) { return func(n *jsonfile.Node) { *to = f.Text(n) } }
	f.Fields(f.Value(),
		jsonfile.Field{Name: "server", Required: true, Read: text(&p.Server)},
		jsonfile.Field{Name: "reviewer", Required: true, Read: text(&p.Reviewer)},
		jsonfile.Field{Name: "cites", Required: true, Read: func(n *jsonfile.Node) {
			f.Array(n, "strings", func(n *jsonfile.Node) { f.Text(n) })
			if n.Kind == jsonfile.Array && len(n.Items) == 0 {
				f.FaultAt(n, "is empty; cite the documentation that recommends these calls")
			}
		}},
		jsonfile.Field{Name: "page", Required: true, Read: func(n *jsonfile.Node) { p.page = readReader(f, n) }},
		jsonfile.Field{Name: "fields", Read: func(n *jsonfile.Node) { p.fields = new(readReader(f, n)) }},
		jsonfile.Field{Name: "again", Read: func(n *jsonfile.Node) { p.again = new(readCall(f, n)) }},
		jsonfile.Field{Name: "tab", Read: text(&p.tab)},
		jsonfile.Field{Name: "tabs", Read: func(n *jsonfile.Node) {
			f.Fields(n,
				jsonfile.Field{Name: "list", Required: true, Read: func(n *jsonfile.Node) { p.list = new(readCall(f, n)) }},
				jsonfile.Field{Name: "pattern", Required: true, Read: func(n *jsonfile.Node) { p.tabs = pattern(f, n, "id", "title", "url") }},
				jsonfile.Field{Name: "select", Read: func(n *jsonfile.Node) { p.choose = new(readCall(f, n)) }})
		}},
		jsonfile.Field{Name: "types", Read: func(n *jsonfile.Node) {
			if f.Want(n, jsonfile.Object, "an object with a text for each role") {
				for _, m := range n.Items {
					p.types[m.Key] = f.Text(m)
				}
			}
		}},
		jsonfile.Field{Name: "calls", Required: true, Read: func(n *jsonfile.Node) { f.Fields(n, callFields(f, p.calls)...) }},
		jsonfile.Field{Name: "policies", Required: true, Read: func(n *jsonfile.Node) {
			var fields []jsonfile.Field
			for _, name := range names {
				fields = append(fields, jsonfile.Field{Name: name, Read: func(n *jsonfile.Node) { p.policies[name] = p.readWay(f, n, name) }})
			}
			f.Fields(n, fields...)
		}},
	)
	return p
}

func (p *Profile) readWay(f *jsonfile.File, n *jsonfile.Node, name string) way {
	w := way{calls: make(map[string][]call)}
	form := func(to **call) func(*jsonfile.Node) {
		return func(n *jsonfile.Node) {
			c := readCall(f, n)
			if *to = &c; c.field == "" && n.Kind == jsonfile.Object {
				f.FaultAt(n, `has no "field", which is a field in the place of {{fields}}`)
			}
		}
	}
	f.Fields(n, append(callFields(f, w.calls),
		jsonfile.Field{Name: "form", Required: name == bySubmit || name == byForm, Read: form(&w.form)},
		jsonfile.Field{Name: "send", Required: name == bySubmit, Read: form(&w.send)})...)
	return w
}

func callFields(f *jsonfile.File, to map[string][]call) (fields []jsonfile.Field) {
	for _, v := range verbs {
		fields = append(fields, jsonfile.Field{Name: v, Read: func(n *jsonfile.Node) {
			f.Array(n, "calls", func(n *jsonfile.Node) { to[v] = append(to[v], readCall(f, n)) })
		}})
	}
	return fields
}

func readReader(f *jsonfile.File, n *jsonfile.Node) (r reader) {
	f.Fields(n,
		jsonfile.Field{Name: "call", Required: true, Read: func(n *jsonfile.Node) { r.call = readCall(f, n) }},
		jsonfile.Field{Name: "lines", Required: true, Read: func(n *jsonfile.Node) {
			f.Array(n, "patterns", func(n *jsonfile.Node) {
				if re := pattern(f, n); re != nil {
					r.lines = append(r.lines, re)
				}
			})
		}},
		jsonfile.Field{Name: "value", Read: func(n *jsonfile.Node) { r.value = pattern(f, n, "value") }},
		jsonfile.Field{Name: "noBoxes", Read: func(n *jsonfile.Node) { r.noBoxes = f.Bool(n) }},
		jsonfile.Field{Name: "why", Read: func(n *jsonfile.Node) { f.Text(n) }},
	)
	return r
}

// groups are the groups that a pattern of a line can have.
var groups = []string{"ref", "role", "tag", "attributes", "name", "value", "state"}

// pattern reads a pattern. It must have these groups or, of a line, only those that a line can have.
func pattern(f *jsonfile.File, n *jsonfile.Node, wanted ...string) *regexp.Regexp {
	f.Text(n)
	re := f.Pattern(n)
	if re == nil {
		return nil
	}
	for _, g := range wanted {
		if re.SubexpIndex(g) < 0 {
			f.FaultAt(n, "has no group %s", g)
		}
	}
	for _, g := range re.SubexpNames() {
		if wanted == nil && g != "" && !slices.Contains(groups, g) {
			f.FaultAt(n, "has a group %s; allowed: %s%s", display.Quote(g), strings.Join(groups, ", "), display.DidYouMean(g, groups))
		}
	}
	return re
}
