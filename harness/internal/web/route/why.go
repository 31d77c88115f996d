package route

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/display"
)

// An Act is a request of the past: the route that answered it, nil if none did, and the state
// before and after.
type Act struct {
	*Request
	At            time.Time
	By            *Route
	Before, After *State
}

// Why says why the state of a host does not earn a receipt, or why a wrong act spoils it. past are
// the acts on the host, in order.
func Why(routes []*Route, past []Act, now *State, receipt *Route) record.Missed {
	f := finder{routes, past}
	for i := range past {
		if by := past[i].By; by != nil && by.Wrong != "" {
			return f.wrong(i)
		}
	}
	return f.lacks(receipt.when, len(past), now, 0)
}

// maxDepth is how many requests back the search goes.
const maxDepth = 8

type finder struct {
	routes []*Route
	past   []Act
}

// wrong explains a wrong act: by the route that it should have met, if there is one at its path.
func (f *finder) wrong(i int) record.Missed {
	a := &f.past[i]
	var right []near
	for _, r := range f.routes {
		if r.Wrong == "" && r.changes() && r.Method == a.Method && r.At(a.Path) {
			right = append(right, near{r, i, f.unmet(r, nil, i)})
		}
	}
	m := record.Missed{Kind: record.MissedWrong}
	if len(right) > 0 {
		m = f.explain(nearest(right), 0)
		if m.Kind == record.MissedState && len(m.Unmet) == 0 {
			m.Kind = record.MissedWrong
		}
	}
	m.Wrong = a.By.Wrong
	if m.Sent == "" && m.Early == "" {
		m.Sent, m.At = a.name(), a.At
	}
	return m
}

// explain says what an act lacks to meet the route.
func (f *finder) explain(n near, depth int) record.Missed {
	if n.act < 0 {
		return f.unsent(n.route)
	}
	a := &f.past[n.act]
	m := record.Missed{Kind: record.MissedValue, Wanted: n.route.name(), Sent: a.name(), At: a.At}
	var earlier requirements
	for _, u := range n.unmet {
		if c, ok := u.want.(*condition); ok && c.of.kind != "state" {
			m.Unmet = append(m.Unmet, u.Unmet)
		} else {
			earlier = append(earlier, u.want)
		}
	}
	switch {
	case len(m.Unmet) > 0:
		return m
	case len(earlier) > 0 && depth < maxDepth:
		m = f.lacks(earlier, n.act, a.Before, depth+1)
		m.Early = cmp.Or(m.Early, a.name())
		return m
	case a.By != nil && (a.By.First > 0 || a.By.Fault != "") && a.By.Wrong == "":
		m.Kind, m.Status = record.MissedFailed, a.By.Status
		return m
	case n.route.First > 0 && slices.Index(f.routes, n.route) < slices.Index(f.routes, a.By):
		m.Kind = record.MissedAgain
		return m
	}
	if m.Unmet = blocked(a); len(m.Unmet) == 0 {
		m.Kind = record.MissedState
	}
	return m
}

// blocked says which values made an earlier route answer.
func blocked(a *Act) (all []record.Unmet) {
	if a.By == nil {
		return nil
	}
	s := scope{request: a.Request, state: a.Before}
	for _, name := range a.By.empty {
		if strings.TrimSpace(a.field(name)) == "" {
			c := condition{of: source{"field", name}}
			u := c.unmet(s)
			u.Wanted = "a text"
			all = append(all, u)
		}
	}
	for _, want := range a.By.when {
		c, ok := want.(*condition)
		if !ok {
			break // the rows come last
		}
		u := c.unmet(s)
		u.Wanted, u.Value = "another value", ""
		all = append(all, u)
	}
	return all
}

// lacks says why the state did not meet these conditions before act n.
func (f *finder) lacks(wants requirements, n int, now *State, depth int) record.Missed {
	var best *record.Missed
	for _, want := range wants {
		if want.holds(stateOnly(now)) {
			continue
		}
		switch m := f.missed(want, n, now, depth); {
		case best == nil, best.Kind == record.MissedUnsent && m.Kind != record.MissedUnsent:
			best = &m
		case m.Kind == record.MissedValue && best.Kind == m.Kind && best.At.Equal(m.At):
			for _, u := range m.Unmet {
				if !slices.Contains(best.Unmet, u) {
					best.Unmet = append(best.Unmet, u)
				}
			}
		}
	}
	if best == nil {
		return record.Missed{Kind: record.MissedState}
	}
	return *best
}

// missed finds the request that should have met a requirement, among the acts before n.
func (f *finder) missed(want requirement, n int, now *State, depth int) record.Missed {
	setters := map[*Route]requirements{} // the routes that can do so, with the conditions under which they do
	for _, r := range f.routes {
		if more, ok := want.madeBy(r); ok && r.Wrong == "" {
			setters[r] = more
		}
	}
	state := want.unmet(stateOnly(now))
	holds := func(s *State) bool { return want.holds(stateOnly(s)) }
	var all []near
	for _, r := range f.routes {
		more, ok := setters[r]
		if !ok {
			continue
		}
		r, more = f.reached(r, more)
		one := near{route: r, act: -1}
		for i := range f.past[:n] {
			a := &f.past[i]
			if _, set := setters[a.By]; a.Method != r.Method || !r.At(a.Path) || set && len(f.unmet(a.By, setters[a.By], i)) == 0 {
				continue
			}
			all = append(all, near{r, i, f.unmet(r, more, i)})
			one.act = i
		}
		if one.act < 0 {
			all = append(all, one)
		}
	}
	undone := -1
	done := state.Wanted != `""` || len(setters) == 0 // a blank that a request makes again must be made first
	for i := range f.past[:n] {
		switch a := &f.past[i]; {
		case holds(a.Before) && !holds(a.After) && done:
			undone = i
		case !holds(a.Before) && holds(a.After):
			done = true
		}
	}
	for _, one := range all {
		if undone >= 0 && one.act == undone && len(one.unmet) > 0 {
			undone = -1 // it set another value
		}
	}
	var answered *Act // by a setter, without making the state hold
	for i := range f.past[:n] {
		if _, ok := setters[f.past[i].By]; ok {
			answered = &f.past[i]
		}
	}
	came := slices.ContainsFunc(all, func(one near) bool { return one.act >= 0 })
	switch {
	case undone >= 0:
		a := &f.past[undone]
		return record.Missed{Kind: record.MissedUndone, Sent: a.name(), At: a.At, Unmet: []record.Unmet{state}}
	case answered != nil && !came, len(all) == 0:
		m := record.Missed{Kind: record.MissedState, Unmet: []record.Unmet{state}}
		if answered != nil {
			m.Sent, m.At = answered.name(), answered.At
		}
		return m
	}
	return f.explain(nearest(all), depth)
}

// reached returns the route whose redirect leads to r, if r is a page that no page links to: its path
// holds a drawn value that nobody can guess.
func (f *finder) reached(r *Route, more requirements) (*Route, requirements) {
	for range maxDepth {
		i := slices.IndexFunc(f.routes, func(from *Route) bool { return from != r && from.Wrong == "" && from.Location == r.Path })
		asked := slices.ContainsFunc(f.past, func(a Act) bool { return a.Method == r.Method && r.At(a.Path) })
		if r.Method != http.MethodGet || i < 0 || asked {
			break
		}
		r, more = f.routes[i], nil
	}
	return r, more
}

// madeBy implements [requirement].
func (c *condition) madeBy(r *Route) (more requirements, ok bool) {
	want := *c
	name := want.of.name
	if want.of.kind == "cookie" {
		return nil, slices.ContainsFunc(r.Cookies, func(c *http.Cookie) bool {
			return c.Name == name && want.holds(scope{request: &Request{Cookie: map[string]string{name: c.Value}}, state: NewState()})
		})
	}
	with := func(of source) (requirements, bool) {
		sent := want
		sent.of = of
		return requirements{&sent}, true
	}
	takes := func(value string) bool { return want.holds(stateOnly(&State{Values: map[string]string{name: value}})) }
	for _, c := range r.copy {
		if c.name == name {
			return with(c.from)
		}
	}
	for _, p := range r.set {
		if p.name == name {
			return nil, takes(p.value)
		}
	}
	if slices.Contains(r.keep, name) {
		other := func(r requirement) bool {
			c, ok := r.(*condition)
			return ok && c.of == source{"field", name} && c.equal != nil && !takes(*c.equal)
		}
		more, _ := with(source{"field", name})
		return more, !slices.ContainsFunc(r.when, other)
	}
	return nil, slices.ContainsFunc(r.add, func(a sum) bool { return a.name == name })
}

// unsent says that no request came to the route, and what was sent instead.
func (f *finder) unsent(r *Route) record.Missed {
	m := record.Missed{Kind: record.MissedUnsent, Wanted: r.name()}
	for i := range f.past {
		if a := &f.past[i]; a.Method != http.MethodGet {
			m.Sent, m.At = a.name(), a.At
		}
	}
	return m
}

func (r *Route) name() string {
	path := r.Path
	if r.below {
		path += "*"
	}
	return r.Method + " " + cut(path)
}

func (a *Act) name() string { return a.Method + " " + cut(a.Path) }

// maxTold is how many characters of a text a diagnosis has.
const maxTold = 200

func cut(s string) string { return display.Cut(s, maxTold) }

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
		u.Value = cut(*c.equal)
		add("%s", strconv.Quote(u.Value))
	}
	if c.from != nil {
		u.Value = cut(strings.Join(s.all(*c.from), ", "))
		add("%s", strconv.Quote(u.Value))
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
