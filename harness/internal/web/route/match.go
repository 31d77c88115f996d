package route

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Request is what routes compare, and keep in the state.
type Request struct {
	Method string // HEAD counts as GET
	Path   string // decoded
	Query  bool   // the URL has one
	Cookie map[string]string
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
