package route

import (
	"regexp"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/record"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web/template"
)

// A source names a value: "field.NAME", "cookie.NAME" or "state.NAME". A condition or
// change of a row can also use "row.COLUMN".
type source struct{ kind, name string }

// A scope holds the values that sources name.
type scope struct {
	request *Request
	state   *State
	row     row // nil unless a row is compared or changed
}

// all returns the values of from. Only a field may have several.
func (s scope) all(from source) []string {
	if from.kind == "field" && len(s.request.Sent[from.name]) > 0 {
		return s.request.Sent[from.name]
	}
	return []string{s.value(from)}
}

// value returns the value of a source; "" if there is none. Several values of a field are
// joined with ", ".
func (s scope) value(from source) string {
	switch from.kind {
	case "field":
		return s.request.field(from.name)
	case "cookie":
		return s.request.Cookie[from.name]
	case "header":
		return s.request.header(from.name)
	case "state":
		return s.state.Values[from.name]
	}
	return s.row[from.name]
}

// stateOnly holds the values of a state, and none of a request.
func stateOnly(now *State) scope { return scope{request: new(Request), state: now} }

// A requirement is a condition on a value or on the rows of a list.
type requirement interface {
	holds(scope) bool
	unmet(scope) record.Unmet
	// madeBy reports whether a route can meet it, and under which further conditions.
	madeBy(*Route) (more requirements, ok bool)
	rank() string // orders the requirements of a route, as a diagnosis names them
}

// requirements must all hold. Without one, they hold.
type requirements []requirement

func (all requirements) hold(s scope) bool {
	return !slices.ContainsFunc(all, func(r requirement) bool { return !r.holds(s) })
}

// A condition compares one value. All fields that are set must hold.
type condition struct {
	of            source
	equal         *string
	from          *source
	less, atLeast *float64
	matches       *regexp.Regexp // must match the whole value; prefers the longest match
}

func (c *condition) holds(s scope) bool {
	value := s.value(c.of)
	if c.equal != nil {
		return value == *c.equal
	}
	n, isNumber := template.Decimal(value)
	return (c.from == nil || slices.Contains(s.all(*c.from), value)) &&
		(c.less == nil || isNumber && n < *c.less) &&
		(c.atLeast == nil || isNumber && n >= *c.atLeast) &&
		(c.matches == nil || matchesAll(c.matches, value))
}

func (c *condition) rank() string {
	if c.equal == nil {
		return "~"
	}
	return c.of.kind
}

// matchesAll reports whether re matches the whole text. re must prefer the longest match.
func matchesAll(re *regexp.Regexp, text string) bool {
	at := re.FindStringIndex(text)
	return at != nil && at[0] == 0 && at[1] == len(text)
}

// A rowCount wants at least low and at most high rows of a list that fit.
type rowCount struct {
	list      string
	where     requirements
	low, high int
}

func (c *rowCount) rank() string { return "~rows" }

func (c *rowCount) holds(s scope) bool {
	n := 0
	for _, s.row = range s.state.Lists[c.list] {
		if c.where.hold(s) {
			n++
		}
	}
	return n >= c.low && n <= c.high
}

// values reads conditions on values of one kind. from lists the kinds of sources that a
// value may be compared with.
func (d *routeReader) values(n *jsonfile.Node, kind string, from []string) (out requirements) {
	if !d.filled(n, jsonfile.Object, "an object") {
		return nil
	}
	for _, m := range n.Items {
		c := &condition{of: source{kind, m.Key}}
		switch {
		case m.Kind == jsonfile.String:
			c.equal = &m.Text
		case m.Kind != jsonfile.Object:
			d.Wrong(m, "a string, or an object with from, less, atLeast or matches")
		case d.filled(m, jsonfile.Object, ""):
			d.Fields(m,
				jsonfile.Field{Name: "from", Read: func(n *jsonfile.Node) { c.from = d.source(n, from) }},
				jsonfile.Field{Name: "less", Read: func(n *jsonfile.Node) { c.less = d.number(n) }},
				jsonfile.Field{Name: "atLeast", Read: func(n *jsonfile.Node) { c.atLeast = d.number(n) }},
				jsonfile.Field{Name: "matches", Read: func(n *jsonfile.Node) { c.matches = d.pattern(n) }},
			)
		}
		out = append(out, c)
	}
	return out
}

// anyTime and withRow are the kinds of sources that can be used without a row and with one.
var (
	anyTime = []string{"field", "cookie", "state"}
	withRow = append(anyTime, "row")
)

func (d *routeReader) source(n *jsonfile.Node, kinds []string) *source {
	kind, name, _ := strings.Cut(n.Text, ".")
	if n.Kind != jsonfile.String || name == "" || !slices.Contains(kinds, kind) {
		d.Wrong(n, "one of "+strings.Join(kinds, ".NAME, ")+".NAME")
		return nil
	}
	return &source{kind, name}
}

func (d *routeReader) number(n *jsonfile.Node) *float64 {
	if !d.Want(n, jsonfile.Number, "a number") {
		return nil
	}
	v := n.Float()
	return &v
}

// pattern reads an RE2 pattern.
func (d *routeReader) pattern(n *jsonfile.Node) *regexp.Regexp {
	if !d.Want(n, jsonfile.String, "a pattern") {
		return nil
	}
	re := d.Pattern(n)
	if re != nil {
		re.Longest()
	}
	return re
}
