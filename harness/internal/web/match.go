package web

import (
	"net/http"
	"slices"
	"strings"
)

// route returns the route that answers p, or nil. It applies the route's changes to the
// state and sets p.State and p.List to the result. All this is atomic: no other request of
// the session can come between. The error says that the state would be too large.
func (w *Web) route(s *site, p *Page) (*route, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.state[p.Host]
	if now == nil {
		now = s.start
	}
	var found *route
	var err error
	for _, r := range s.routes {
		if r.method != p.Method || !r.at(p.Path) || !r.holds(p, now) {
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
	if found != nil {
		now, err = found.change(p, now)
		w.state[p.Host] = now
	}
	p.State, p.List = now.values, now.lists
	return found, err
}

// at reports whether the route is for this URL path.
func (r *route) at(path string) bool {
	if !r.below {
		return path == r.path
	}
	return strings.HasPrefix(path, r.path) || path+"/" == r.path
}

// holds reports whether all conditions but "first" hold.
func (r *route) holds(p *Page, now *state) bool {
	blank := func(name string) bool { return strings.TrimSpace(p.field(name)) == "" }
	differ := func(want []pair, value func(name string) string) bool {
		return slices.ContainsFunc(want, func(w pair) bool { return value(w.name) != w.value })
	}
	switch {
	case len(r.empty) > 0 && !slices.ContainsFunc(r.empty, blank),
		differ(r.field, p.field),
		differ(r.cookie, func(name string) string { return p.Cookie[name] }),
		differ(r.state, func(name string) string { return now.values[name] }):
		return false
	}
	s := scope{page: p, state: now}
	return r.compare.hold(s) && !slices.ContainsFunc(r.counts, func(c rowCount) bool { return !c.holds(s) })
}

// field returns a field of the posted form or JSON, or else of the query.
func (p *Page) field(name string) string { return p.joined[name] }

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
