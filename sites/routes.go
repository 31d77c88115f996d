package sites

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

const routesFile = "routes.json"

// A route is one entry of routes.json. The first whose method, path and
// conditions fit a request answers it.
type route struct {
	method string
	path   string // without the "*" of "/dir/*"
	below  bool   // path ended in "/*": it and everything below

	first  int      // only the first n requests that get here; 0: all
	empty  []string // one of these fields is empty
	field  []pair   // these fields have these values
	cookie []pair   // these cookies have these values
	state  []pair   // this state has these values

	set  []pair // state to set
	add  []sum  // state to count up
	keep []string

	setCookie []pair
	status    int
	location  string
	file      *file // nil: the page of the path, or none
}

type pair struct{ name, value string }

type sum struct {
	name string
	n    int
}

var methods = []string{"DELETE", "GET", "PATCH", "POST", "PUT"}

var redirects = []int{301, 302, 303, 307, 308}

const (
	routeKeys = "add, file, keep, location, method, path, set, setCookie, status, when"
	whenKeys  = "cookie, empty, field, first, state"
)

// parseRoutes reads a routes.json for the site s. name is the file in errors;
// the error joins all faults, one a line, as "name:line:col: …".
func parseRoutes(data []byte, name string, s *site) ([]*route, error) {
	d := &decoder{name: name, data: data}
	root, ok := d.root()
	if !ok {
		return nil, errors.Join(d.faults...)
	}
	var routes []*route
	lines := make(map[string]int)
	for _, n := range d.array(root, "the file") {
		r := d.route(n, s)
		routes = append(routes, r)
		key := fmt.Sprint(r.method, " ", r.path, " ", r.below)
		if before, ok := lines[key]; ok {
			d.fault(n.off, "never reached: the route in line %d answers every %s %s; put this one before it or give that one a when", before, r.method, r.path)
		} else if !r.conditional() {
			lines[key] = 1 + strings.Count(string(data[:n.off]), "\n")
		}
	}
	return routes, errors.Join(d.faults...)
}

func (r *route) conditional() bool {
	return r.first > 0 || len(r.empty)+len(r.field)+len(r.cookie)+len(r.state) > 0
}

func (d *decoder) route(n node, s *site) *route {
	r := &route{method: "GET"}
	statusAt, fileAt := n.off, n.off
	for _, m := range d.object(n, "a route") {
		switch m.key {
		case "method":
			if r.method = d.str(m.val, "method"); r.method != "" && !slices.Contains(methods, r.method) {
				d.fault(m.val.off, "method %q is none of %s", r.method, strings.Join(methods, ", "))
			}
		case "path":
			d.path(r, m.val)
		case "when":
			d.when(r, m.val)
		case "status":
			r.status, statusAt = d.integer(m.val, "status", 200, 599), m.val.off
		case "location":
			r.location = d.location(m.val)
		case "file":
			name := d.str(m.val, "file")
			if r.file, fileAt = s.files[name], m.val.off; r.file == nil || name == routesFile {
				d.fault(m.val.off, "file %q is not in the folder of this host; add it or correct the name", name)
			}
		case "set":
			r.set = d.pairs(m.val, "set")
		case "add":
			for _, a := range d.members(m.val, "add") {
				r.add = append(r.add, sum{a.key, d.integer(a.val, "add "+a.key, -1000, 1000)})
			}
		case "keep":
			r.keep = d.strs(m.val, "keep")
		case "setCookie":
			r.setCookie = d.cookies(m.val)
		default:
			d.fault(m.at, "unknown key %q; a route has %s", m.key, routeKeys)
		}
	}
	if r.path == "" {
		d.fault(n.off, "a route without path; add \"path\": \"/…\"")
	}
	d.whole(r, n, statusAt, fileAt, s)
	return r
}

// whole checks what the keys of a route say together.
func (d *decoder) whole(r *route, n node, statusAt, fileAt int, s *site) {
	switch {
	case r.location != "" && r.status != 0 && !slices.Contains(redirects, r.status):
		d.fault(statusAt, "status %d with a location; write 303, 302, 301, 307 or 308, or leave status out for 303", r.status)
	case r.location == "" && r.status >= 300 && r.status < 400:
		d.fault(statusAt, "status %d without a location; add \"location\"", r.status)
	}
	if r.status == 0 && r.location != "" {
		r.status = http.StatusSeeOther
	} else if r.status == 0 {
		r.status = http.StatusOK
	}
	if r.location != "" && r.file != nil {
		d.fault(fileAt, "a file with a location, which shows none; remove one of the two")
	}
	if r.bodiless() && r.file != nil {
		d.fault(fileAt, "a file with status %d, which shows none; remove it or take another status", r.status)
	}
	success := r.status < 300 && !r.bodiless()
	if success && r.file == nil && !r.below && r.path != "" && s.pages[r.path] == nil {
		d.fault(n.off, "nothing to answer with: no page at %s; add \"file\", \"location\" or a \"status\"", r.path)
	}
}

func (d *decoder) path(r *route, n node) {
	p := d.str(n, "path")
	r.path = p
	if rest, ok := strings.CutSuffix(p, "/*"); ok {
		r.path, r.below = rest+"/", true
	}
	switch {
	case !strings.HasPrefix(p, "/"):
		d.fault(n.off, "path %q does not begin with /", p)
	case strings.ContainsAny(p, "?#"):
		d.fault(n.off, "path %q has a query or fragment; match a query with \"when\": {\"field\": …}", p)
	case strings.Contains(r.path, "*"):
		d.fault(n.off, "path %q: a * may stand only at the end, after a /", p)
	case strings.Contains(r.path, "%"):
		d.fault(n.off, "path %q is escaped; write it as it reads", p)
	}
}

func (d *decoder) when(r *route, n node) {
	for _, m := range d.members(n, "when") {
		switch m.key {
		case "first":
			r.first = d.integer(m.val, "first", 1, 1000)
		case "empty":
			r.empty = d.strs(m.val, "empty")
		case "field":
			r.field = d.pairs(m.val, "field")
		case "cookie":
			r.cookie = d.pairs(m.val, "cookie")
		case "state":
			r.state = d.pairs(m.val, "state")
		default:
			d.fault(m.at, "unknown key %q; when has %s", m.key, whenKeys)
		}
	}
}

// pairs reads an object of strings.
func (d *decoder) pairs(n node, what string) []pair {
	var out []pair
	for _, m := range d.members(n, what) {
		out = append(out, pair{m.key, d.str(m.val, what+" "+m.key)})
	}
	return out
}

func (d *decoder) location(n node) string {
	s := d.str(n, "location")
	u, err := url.Parse(s)
	if err != nil || !(strings.HasPrefix(s, "/") || (u.Scheme == "http" || u.Scheme == "https") && u.Host != "") {
		d.fault(n.off, "location %q is neither a path that begins with / nor a URL with http:// or https://", s)
	}
	return s
}

func (d *decoder) cookies(n node) []pair {
	out := d.pairs(n, "setCookie")
	for _, p := range out {
		c := http.Cookie{Name: p.name, Value: p.value}
		if err := c.Valid(); err != nil {
			d.fault(n.off, "setCookie %q: %v", p.name, err)
		}
	}
	return out
}
