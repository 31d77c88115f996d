package sites

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// maxCount bounds the values that "add" can reach, in both directions.
const maxCount = 1_000_000

// route returns the route that answers p, or nil. It applies the route's changes to the
// state and sets p.State to the result. All this is atomic: no other request of the session
// can come between.
func (w *Web) route(s *site, p *Page) *route {
	w.mu.Lock()
	defer w.mu.Unlock()
	var found *route
	for _, r := range s.routes {
		if r.method != p.Method || !r.at(p.Path) || !r.holds(p, w.state[p.Host]) {
			continue
		}
		if r.first > 0 {
			if w.hits[r] == r.first {
				continue
			}
			w.hits[r]++
		}
		found = r
		break
	}
	if found != nil && len(found.set)+len(found.add)+len(found.keep) > 0 {
		if w.state[p.Host] == nil {
			w.state[p.Host] = make(map[string]string)
		}
		found.change(p, w.state[p.Host])
	}
	p.State = maps.Clone(w.state[p.Host])
	return found
}

// at reports whether the route is for this URL path.
func (r *route) at(path string) bool {
	if !r.below {
		return path == r.path
	}
	return strings.HasPrefix(path, r.path) || path+"/" == r.path
}

// holds reports whether all conditions but "first" hold.
func (r *route) holds(p *Page, state map[string]string) bool {
	blank := func(name string) bool { return strings.TrimSpace(p.field(name)) == "" }
	differ := func(want []pair, value func(name string) string) bool {
		return slices.ContainsFunc(want, func(w pair) bool { return value(w.name) != w.value })
	}
	switch {
	case len(r.empty) > 0 && !slices.ContainsFunc(r.empty, blank),
		differ(r.field, p.field),
		differ(r.cookie, func(name string) string { return p.Cookie[name] }),
		differ(r.state, func(name string) string { return state[name] }):
		return false
	}
	return true
}

// field returns a field of the posted form, or else of the query.
func (p *Page) field(name string) string {
	if v, ok := p.Form[name]; ok {
		return v
	}
	return p.Query[name]
}

func (r *route) change(p *Page, state map[string]string) {
	for _, name := range r.keep {
		state[name] = p.field(name)
	}
	for _, s := range r.set {
		state[s.name] = s.value
	}
	for _, a := range r.add {
		n := num(state[a.name]) + a.n
		state[a.name] = strconv.Itoa(min(max(n, -maxCount), maxCount))
	}
}

// reply returns the route's answer to p. If it has neither a file nor a location, a success
// shows the page of the path, and an error shows a page with the status.
func (r *route) reply(s *site, p Page) reply {
	var a reply
	switch f := s.pages[p.Path]; {
	case r.location != "" || r.bodiless():
		a = reply{status: r.status, location: r.location}
	case r.file != nil:
		a = r.file.reply(r.status, p)
	case r.status >= 400:
		a = s.errorPage(r.status, p)
	case f != nil:
		a = f.reply(r.status, p)
	default:
		a = s.errorPage(http.StatusNotFound, p)
	}
	a.cookies = r.setCookie
	return a
}

func (r *route) bodiless() bool {
	return r.status == http.StatusNoContent || r.status == http.StatusResetContent
}
