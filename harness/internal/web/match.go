package web

import (
	"net/http"
	"time"

	"github.com/openchrome/bench/harness/internal/web/route"
)

// route returns the route that answers p, or nil. It applies the route's changes to the
// state, notes a wrong act, and sets p.State and p.List to the result. All this is atomic: no
// other request of the session can come between. The error says that the state would be too
// large.
func (w *Web) route(s *site, p *Page) (*route.Route, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	sent := &route.Request{Method: p.Method, Path: p.Path, Query: p.queried, Cookie: p.Cookie, Sent: p.sent, Joined: p.joined}
	now := w.state[p.Host]
	if now == nil {
		now = s.start
	}
	var found *route.Route
	var err error
	for _, r := range s.routes {
		if !r.Matches(sent, now) || r.Receipt && len(w.log.wrong) > 0 {
			continue
		}
		if r.First > 0 {
			if w.hits[r] == r.First {
				continue
			}
			w.hits[r]++
		}
		found = r
		break
	}
	before := now
	if found != nil {
		now, err = found.Change(sent, now)
		w.state[p.Host] = now
		if found.Wrong != "" && err == nil {
			w.log.addWrong(p.Host, found.Wrong)
		}
	}
	w.note(p.Host, route.Act{Request: sent, At: time.Now(), By: found, Before: before, After: now}, err)
	p.State, p.List = now.Values, now.Lists
	return found, err
}

// routed returns the route's answer to p. If it has neither a file nor a location, a success
// shows the page of the path, and an error shows a page with the status.
func (s *site) routed(r *route.Route, p Page) reply {
	var a reply
	switch f := s.pages[p.Path]; {
	case r.Location != "" || r.Bodiless():
		a = reply{status: r.Status, location: r.Location}
	case r.File != "":
		a = s.files[r.File].reply(r.Status, p)
	case r.Status >= 400:
		a = s.errorPage(r.Status, p)
	case f != nil:
		a = f.reply(r.Status, p)
	default:
		a = s.errorPage(http.StatusNotFound, p)
	}
	a.cookies = r.Cookies
	return a
}
