// Package route reads what a host's routes.json and state.json say, and applies it to one
// request: whether a route matches, and the state after it.
//
// The package does not answer requests and keeps no state of a session; package web does.
package route

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// RoutesFile holds the routes of a host.
const RoutesFile = "routes.json"

// A Route is one entry of routes.json. The first route whose method, path and conditions
// match a request answers it.
type Route struct {
	Method string
	Path   string // without the "*" of "/dir/*"
	below  bool   // path ended in "/*": matches it and everything below

	First int          // answers only the first n matching requests; 0: all
	empty []string     // one of these fields is empty
	query bool         // the URL has a query
	when  requirements // further conditions on fields, cookies, state and lists

	edit // of the state
	rows []*rowChange

	Cookies  []*http.Cookie
	Headers  http.Header
	Delay    time.Duration
	Fault    string // of the connection: Cut, Hang or Reset; "": none
	Status   int
	Location string
	File     string // "": the page of the path, if there is one

	Stream []Line // of a stream of events or a socket; nil: the answer is none
	End    bool   // the stream ends after its lines; false: it stays open

	Wrong   string // why a request that the route answers is a wrong act; "": it is none
	Receipt bool   // answers only while no wrong act has happened, see [Route.Ends]
}

type pair struct{ name, value string }

type sum struct {
	name string
	n    int
}

// Message is the method of what a page sends over an open socket.
const Message = "MESSAGE"

var methods = []string{"DELETE", "GET", Message, "PATCH", "POST", "PUT"}

var redirects = []int{301, 302, 303, 307, 308}

// A Host is what routes can name of their host.
type Host struct {
	Values           param.Values
	Start            *State                 // nil: state.json has faults
	HasFile, HasPage func(name string) bool // a file in the folder; a page at a URL path
}

// Parse reads a routes.json for the host and returns all its faults. name is the file in
// faults.
func Parse(data []byte, name string, h Host) ([]*Route, jsonfile.Faults) {
	f := jsonfile.New(name, data)
	f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return h.Values.Fill(f, n, "matches") }
	if len(bytes.TrimSpace(data)) == 0 { // Value would require an object
		f.Fault(0, "", "the file is empty, want an array of routes")
		return nil, f.Faults
	}
	var routes []*Route
	lists := newLists(h.Start)
	lines := make(map[string]int)
	read := func(n *jsonfile.Node) {
		if f.Full() {
			return
		}
		r := &Route{Method: "GET"}
		routes = append(routes, r)
		d := &routeReader{f, h, r, lists}
		f.Fields(n, d.keys()...)
		if n.Cut {
			return
		}
		d.whole(n)
		slices.SortStableFunc(r.when, func(a, b requirement) int { return strings.Compare(a.rank(), b.rank()) })
		if r.Path == "" {
			return // has a fault
		}
		key := fmt.Sprint(r.Method, " ", r.Path, " ", r.below)
		if before, ok := lines[key]; ok {
			f.FaultAt(n, "never reached: the route in line %d answers every %s; move this route before it, or add a \"when\" to that route",
				before, display.VisibleTo(r.Method+" "+r.Path, 60))
		} else if n.Get("when") == nil {
			lines[key] = f.Remark(n, "").Line
		}
	}
	if root := f.Value(); root != nil {
		f.Array(root, "routes", read)
		if h.Start != nil {
			for _, check := range lists.checks {
				check()
			}
		}
	}
	f.Faults.Sort()
	return routes, f.Faults
}

type routeReader struct {
	*jsonfile.File
	host  Host
	r     *Route
	lists *lists
}

func (d *routeReader) keys() []jsonfile.Field {
	r := d.r
	return slices.Concat([]jsonfile.Field{
		{Name: "path", Required: true, Read: d.path},
		{Name: "method", Read: func(n *jsonfile.Node) { r.Method = d.OneOf(n, methods) }},
		{Name: "when", Read: func(n *jsonfile.Node) {
			if d.filled(n, jsonfile.Object, "an object") {
				d.Fields(n, d.conditions()...)
			}
		}},
	}, d.edits(&r.edit, anyTime), []jsonfile.Field{
		{Name: "rows", Read: func(n *jsonfile.Node) { d.list(n, "changes", d.change) }},
		{Name: "setCookie", Read: d.setCookie},
		{Name: "headers", Read: d.headers},
		{Name: "delayMs", Read: func(n *jsonfile.Node) {
			r.Delay = time.Duration(d.Int(n, 1, int(maxDelay/time.Millisecond))) * time.Millisecond
		}},
		{Name: "fault", Read: func(n *jsonfile.Node) { r.Fault = d.OneOf(n, faults) }},
		{Name: "status", Read: func(n *jsonfile.Node) { r.Status = d.Int(n, 200, 599) }},
		{Name: "location", Read: d.redirect},
		{Name: "file", Read: d.answer},
		{Name: "stream", Read: func(n *jsonfile.Node) {
			r.Stream = []Line{}
			d.Array(n, "lines", d.line)
		}},
		{Name: "end", Read: func(n *jsonfile.Node) { r.End = d.Bool(n) }},
		{Name: "wrong", Read: d.wrong},
		{Name: "receipt", Read: func(n *jsonfile.Node) { r.Receipt = d.Bool(n) }},
	})
}

// edits are the keys that change the state or a row.
func (d *routeReader) edits(e *edit, from []string) []jsonfile.Field {
	return []jsonfile.Field{
		{Name: "keep", Read: func(n *jsonfile.Node) { e.keep = d.names(n) }},
		{Name: "set", Read: func(n *jsonfile.Node) { e.set, e.copy = d.assign(n, from) }},
		{Name: "add", Read: func(n *jsonfile.Node) { e.add = d.sums(n) }},
	}
}

func (d *routeReader) conditions() []jsonfile.Field {
	r := d.r
	values := func(kind string) jsonfile.Field {
		return jsonfile.Field{Name: kind, Read: func(n *jsonfile.Node) {
			r.when = append(r.when, d.values(n, kind, anyTime)...)
		}}
	}
	return []jsonfile.Field{
		{Name: "empty", Read: func(n *jsonfile.Node) { r.empty = d.names(n) }},
		values("field"),
		{Name: "query", Read: func(n *jsonfile.Node) { r.query = d.Bool(n) }},
		values("cookie"),
		{Name: "header", Read: d.headerConditions},
		values("state"),
		{Name: "rows", Read: func(n *jsonfile.Node) { d.list(n, "conditions", d.count) }},
		{Name: "first", Read: func(n *jsonfile.Node) { r.First = d.Int(n, 1, 1000) }},
	}
}

// whole checks that the keys of a route fit together. A key with a fault counts as present,
// so that one mistake gives one fault.
func (d *routeReader) whole(n *jsonfile.Node) {
	r, status, location, file := d.r, n.Get("status"), n.Get("location"), n.Get("file")
	switch {
	case status == nil && location == nil:
		r.Status = http.StatusOK
	case status == nil:
		r.Status = http.StatusSeeOther
	case r.Status == 0: // has a fault
	case location != nil && !slices.Contains(redirects, r.Status):
		d.FaultAt(status, "is %d with a location; write 303, 302, 301, 307 or 308, or leave status out for 303", r.Status)
	case location == nil && r.Status >= 300 && r.Status < 400:
		d.FaultAt(status, "is %d without a location; add \"location\"", r.Status)
	}
	if location != nil && file != nil {
		d.FaultAt(file, "a redirect shows no file; remove file or location")
	}
	if r.Bodiless() && file != nil {
		d.FaultAt(file, "status %d shows no file; remove the file or use another status", r.Status)
	}
	d.receipt(n)
	d.stream(n)
	fault := n.Get("fault")
	switch {
	case r.Fault == Cut && (location != nil || r.Bodiless()):
		d.FaultAt(fault, "cuts the body, but an answer with status %d has no body; use reset", r.Status)
	case r.Fault == Reset || r.Fault == Hang:
		for _, key := range []string{"setCookie", "headers", "status", "location", "file"} {
			if v := n.Get(key); v != nil {
				d.FaultAt(v, "the fault %s sends no answer; remove %s", r.Fault, key)
			}
		}
		if delay := n.Get("delayMs"); delay != nil && r.Fault == Hang {
			d.FaultAt(delay, "the fault hang waits anyway; remove delayMs")
		}
	}
	answers := fault == nil || r.Fault == Cut
	success := r.Status >= 200 && r.Status < 300 && !r.Bodiless()
	streams := n.Get("stream") != nil || r.Method == Message
	if success && answers && file == nil && !streams && !r.below && r.Path != "" && !d.host.HasPage(r.Path) {
		d.FaultAt(n, "nothing to answer with: there is no page at %s; add \"file\", \"location\" or a \"status\"", display.VisibleTo(r.Path, 60))
	}
}

func (d *routeReader) path(n *jsonfile.Node) {
	if !d.Want(n, jsonfile.String, "a path that begins with /") {
		return
	}
	path, below := n.Text, false
	if rest, ok := strings.CutSuffix(path, "/*"); ok {
		path, below = rest+"/", true
	}
	switch text := display.Quote(n.Text); {
	case !strings.HasPrefix(path, "/"):
		d.FaultAt(n, "is %s, want a path that begins with /", text)
	case strings.ContainsAny(path, "?#"):
		d.FaultAt(n, "is %s, which has a query or fragment; match a query with \"when\": {\"field\": …}", text)
	case strings.Contains(path, "*"):
		d.FaultAt(n, "is %s; a * may stand only at the end, after a /", text)
	case strings.Contains(path, "%"):
		d.FaultAt(n, "is %s, which is escaped; write it unescaped", text)
	case Reserved(path):
		d.FaultAt(n, "is %s; %s are for the web's own entries in the log of requests", text, strings.Join(reserved, ", "))
	default:
		d.r.Path, d.r.below = path, below
	}
}

func (d *routeReader) redirect(n *jsonfile.Node) {
	const want = "a path that begins with / or a URL with http:// or https://"
	if !d.Want(n, jsonfile.String, want) {
		return
	}
	u, err := url.Parse(n.Text)
	if err != nil || !(strings.HasPrefix(n.Text, "/") || (u.Scheme == "http" || u.Scheme == "https") && u.Host != "") {
		d.FaultAt(n, "is %s, want %s", display.Quote(n.Text), want)
	}
	d.r.Location = n.Text
}

func (d *routeReader) answer(n *jsonfile.Node) {
	if !d.Want(n, jsonfile.String, "the name of a file") {
		return
	}
	if d.r.File = n.Text; !d.host.HasFile(n.Text) || n.Text == RoutesFile {
		d.FaultAt(n, "is %s, which is not in the folder of this host; add it or correct the name", display.Quote(n.Text))
	}
}

// assign reads an object of values to set. Each is a string or {"from": "field.NAME"}. from
// lists the kinds of sources that are allowed.
func (d *routeReader) assign(n *jsonfile.Node, from []string) (set []pair, copy []copied) {
	if !d.filled(n, jsonfile.Object, "an object of strings") {
		return nil, nil
	}
	for _, m := range n.Items {
		if m.Kind != jsonfile.Object {
			d.Want(m, jsonfile.String, "a string, or an object with from")
			set = append(set, pair{m.Key, m.Text})
			continue
		}
		d.Fields(m, jsonfile.Field{Name: "from", Required: true, Read: func(n *jsonfile.Node) {
			if s := d.source(n, from); s != nil {
				copy = append(copy, copied{m.Key, *s})
			}
		}})
	}
	return set, copy
}

// sums reads an object of integers to add.
func (d *routeReader) sums(n *jsonfile.Node) []sum {
	if !d.filled(n, jsonfile.Object, "an object of integers") {
		return nil
	}
	var out []sum
	for _, m := range n.Items {
		out = append(out, sum{m.Key, d.Int(m, -1000, 1000)})
	}
	return out
}

// list reads an array that must not be empty, item by item.
func (d *routeReader) list(n *jsonfile.Node, what string, item func(*jsonfile.Node)) {
	if d.filled(n, jsonfile.Array, "an array of "+what) {
		d.Array(n, what, item)
	}
}

func (d *routeReader) names(n *jsonfile.Node) []string {
	if !d.filled(n, jsonfile.Array, "an array of names") {
		return nil
	}
	var out []string
	for _, item := range n.Items {
		d.Want(item, jsonfile.String, "a name")
		out = append(out, item.Text)
	}
	return out
}

// filled is like Want, for an object or array that must not be empty.
func (d *routeReader) filled(n *jsonfile.Node, k jsonfile.Kind, what string) bool {
	if !d.Want(n, k, what) {
		return false
	}
	if len(n.Items) == 0 && !n.Cut {
		d.FaultAt(n, "is empty; add a name or remove the key")
	}
	return true
}

// The values of "fault". The client gets no answer, or half of one.
const (
	Reset = "reset" // the connection breaks before the answer
	Cut   = "cut"   // the connection breaks after half of the body
	Hang  = "hang"  // no answer comes until the client leaves or the web closes
)

var faults = []string{Cut, Hang, Reset}

// maxDelay bounds "delayMs".
const maxDelay = time.Minute

// EndPath, WrongPath and GotPath begin the paths of the entries that no request makes in the log of requests:
// the end state of a host, the wrong acts of a session, and the downloads that arrived. No page can answer there.
const (
	EndPath   = "/.end"
	WrongPath = "/.wrong"
	GotPath   = "/.got"
)

var reserved = []string{EndPath, WrongPath, GotPath}

// Reserved reports whether a path is for these entries.
func Reserved(path string) bool {
	return slices.ContainsFunc(reserved, func(p string) bool { return strings.HasPrefix(path, p+"/") })
}

// Ends reports whether the conditions of a receipt hold in this state.
func (r *Route) Ends(now *State) bool { return r.holds(&Request{}, now) }

// maxWrong bounds the reason of a wrong act, in bytes.
const maxWrong = 100

func (d *routeReader) wrong(n *jsonfile.Node) {
	reason := d.Text(n)
	if len(reason) > maxWrong {
		d.FaultAt(n, "is longer than %d bytes; shorten it", maxWrong)
	}
	d.r.Wrong = reason
}

// receipt checks that the state alone decides on a receipt, because the web also looks at the
// state when no page asks.
func (d *routeReader) receipt(n *jsonfile.Node) {
	at, r := n.Get("receipt"), d.r
	if at == nil || !r.Receipt {
		return
	}
	when := n.Get("when")
	switch {
	case n.Get("wrong") != nil:
		d.FaultAt(at, "a wrong act has no receipt; remove receipt or wrong")
	case r.Method != http.MethodGet || r.below:
		d.FaultAt(at, "a receipt is a page that GET shows at one path; remove receipt, or correct method or path")
	case when.Get("state") == nil && when.Get("rows") == nil:
		d.FaultAt(at, "a receipt needs a state that the act leaves; add \"when\": {\"state\": …} or {\"rows\": …}")
	}
	for _, key := range []string{"empty", "field", "query", "cookie", "header", "first"} {
		if v := when.Get(key); v != nil {
			d.FaultAt(v, "a receipt depends on state and rows only; remove %s", key)
		}
	}
}

// A Request is what routes compare, and keep in the state.
type Request struct {
	Method string // HEAD counts as GET
	Path   string // decoded
	Query  bool   // the URL has one
	Cookie map[string]string
	Header http.Header
	Sent   url.Values        // the query, and the form or JSON, which takes precedence
	Joined map[string]string // Sent, with the values of each field joined once, because a state may keep them often
}

// At reports whether the route is for this URL path.
func (r *Route) At(path string) bool {
	if !r.below {
		return path == r.Path
	}
	return strings.HasPrefix(path, r.Path) || path+"/" == r.Path
}

// Matches reports whether the method, the path and all conditions but "first" match.
func (r *Route) Matches(q *Request, now *State) bool {
	return r.Method == q.Method && r.At(q.Path) && r.holds(q, now)
}

func (r *Route) holds(q *Request, now *State) bool {
	blank := func(name string) bool { return strings.TrimSpace(q.field(name)) == "" }
	s := scope{request: q, state: now}
	return (q.Query || !r.query) && (len(r.empty) == 0 || slices.ContainsFunc(r.empty, blank)) && r.when.hold(s)
}

// field returns a field of the posted form or JSON, or else of the query.
func (q *Request) field(name string) string { return q.Joined[name] }

// Bodiless reports whether the answer has no body, whatever the route says.
func (r *Route) Bodiless() bool {
	return r.Status == http.StatusNoContent || r.Status == http.StatusResetContent
}
