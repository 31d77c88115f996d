package route

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
)

// A near is a route that an act should have met, and the conditions that the act did not meet.
type near struct {
	route *Route
	act   int // -1: no request came to the route
	unmet []unmet
}

type unmet struct {
	record.Unmet
	want requirement
}

// changes reports whether a route leaves a trace in the state or a cookie.
func (r *Route) changes() bool { return len(r.names())+len(r.rows)+len(r.Cookies) > 0 }

// unmet returns what a route, and others, want and act i does not meet.
func (f *finder) unmet(r *Route, more requirements, i int) []unmet {
	a := &f.past[i]
	s := scope{request: a.Request, state: a.Before}
	var all []unmet
	for _, want := range slices.Concat(r.when, more) {
		u := unmet{want.unmet(s), want}
		same := func(other unmet) bool { return other.Of == u.Of && other.Name == u.Name }
		if !want.holds(s) && !slices.ContainsFunc(all, same) {
			all = append(all, u)
		}
	}
	return all
}

func (c *condition) unmet(s scope) record.Unmet {
	u := record.Unmet{Of: c.of.kind, Name: c.of.name, Got: cut(s.value(c.of))}
	if c.of.kind == "field" {
		u.Absent = s.request.Sent[c.of.name] == nil
	}
	var want []string
	add := func(format string, args ...any) { want = append(want, fmt.Sprintf(format, args...)) }
	if c.equal != nil {
		add("%s", strconv.Quote(cut(*c.equal)))
	}
	if c.from != nil {
		add("%s", strconv.Quote(cut(strings.Join(s.all(*c.from), ", "))))
	}
	if c.less != nil {
		add("less than %g", *c.less)
	}
	if c.atLeast != nil {
		add("at least %g", *c.atLeast)
	}
	if c.matches != nil {
		add("a text that matches %s", cut(c.matches.String()))
	}
	u.Wanted = strings.Join(want, " and ")
	return u
}

// unmet describes the first row that is in the way.
func (c *rowCount) unmet(s scope) record.Unmet {
	n, bad := 0, ""
	var why record.Unmet
	for i, r := range s.state.Lists[c.list] {
		s.row = r
		at := slices.IndexFunc(c.where, func(w requirement) bool { return !w.holds(s) })
		if at < 0 {
			n++
			continue
		}
		if bad == "" {
			bad, why = fmt.Sprintf("row %d of %s", i+1, c.list), c.where[at].unmet(s)
		}
	}
	want := fmt.Sprint(c.low)
	switch {
	case n > c.high:
		want, bad = fmt.Sprintf("at most %d", c.high), ""
	case c.high > c.low && c.high < math.MaxInt:
		want = fmt.Sprintf("%d to %d", c.low, c.high)
	case c.high > c.low:
		want = fmt.Sprintf("at least %d", c.low)
	}
	if bad != "" {
		return record.Unmet{Of: cut(bad), Name: why.Name, Wanted: why.Wanted, Got: why.Got}
	}
	return record.Unmet{Of: "rows", Name: cut(c.list), Wanted: want, Got: fmt.Sprint(n)}
}

// nearest returns the route and the act that lack least; of equal ones, the last act.
func nearest(all []near) near {
	return slices.MinFunc(all, func(a, b near) int {
		if (a.act < 0) != (b.act < 0) {
			return b.act - a.act
		}
		if d := len(a.unmet) - len(b.unmet); d != 0 {
			return d
		}
		return b.act - a.act
	})
}

// madeBy implements [requirement].
func (c *rowCount) madeBy(r *Route) (more requirements, ok bool) {
	return nil, slices.ContainsFunc(r.rows, func(change *rowChange) bool { return change.list == c.list })
}
