package route

import (
	"maps"
	"math"
	"slices"

	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// lists holds the lists and columns of a host that state.json or a route makes. Any other
// name is a fault.
type lists struct {
	made    map[string]bool
	columns map[[2]string]bool // list and column
	checks  []func()           // run after all routes are read
}

// newLists returns the lists of state.json. If start is nil, state.json has faults: the
// lists are unknown, and the checks do not run.
func newLists(start *State) *lists {
	l := &lists{made: make(map[string]bool), columns: make(map[[2]string]bool)}
	if start == nil {
		return l
	}
	for list, rows := range start.Lists {
		l.made[list] = true
		for _, r := range rows {
			for column := range r {
				l.columns[[2]string{list, column}] = true
			}
		}
	}
	return l
}

// count reads an entry of "rows" in a "when".
func (d *routeReader) count(n *jsonfile.Node) {
	c := &rowCount{low: 1, high: math.MaxInt}
	d.Fields(n,
		jsonfile.Field{Name: "in", Required: true, Read: func(n *jsonfile.Node) { c.list = d.Text(n) }},
		jsonfile.Field{Name: "where", Read: func(n *jsonfile.Node) { c.where = d.values(n, "row", withRow) }},
		jsonfile.Field{Name: "count", Read: func(n *jsonfile.Node) { c.low, c.high = d.bounds(n) }},
	)
	d.r.when = append(d.r.when, c)
	d.checkLater(n, c.list)
}

// bounds reads a number of rows: 2, {"less": 3} or {"atLeast": 1}.
func (d *routeReader) bounds(n *jsonfile.Node) (low, high int) {
	const most = 1_000_000
	low, high = 0, most
	switch {
	case n.Kind == jsonfile.Number:
		low = d.Int(n, 0, most)
		return low, low
	case n.Kind != jsonfile.Object:
		d.Wrong(n, "an integer, or an object with less or atLeast")
	case d.filled(n, jsonfile.Object, ""):
		d.Fields(n,
			jsonfile.Field{Name: "less", Read: func(n *jsonfile.Node) { high = d.Int(n, 1, most) - 1 }},
			jsonfile.Field{Name: "atLeast", Read: func(n *jsonfile.Node) { low = d.Int(n, 0, most) }},
		)
	}
	return low, high
}

// change reads an entry of "rows" of a route.
func (d *routeReader) change(n *jsonfile.Node) {
	c := &rowChange{}
	from := withRow
	if do := n.Get("do"); do != nil && do.Text == "append" {
		from = anyTime
	}
	d.Fields(n, append([]jsonfile.Field{
		{Name: "do", Required: true, Read: func(n *jsonfile.Node) { c.do = d.OneOf(n, rowChanges) }},
		{Name: "in", Required: true, Read: func(n *jsonfile.Node) { c.list = d.Text(n) }},
		{Name: "where", Read: func(n *jsonfile.Node) { c.where = d.values(n, "row", withRow) }},
	}, d.edits(&c.edit, from)...)...)
	d.r.rows = append(d.r.rows, c)
	d.checkLater(n, c.list)
	edits := false
	for _, key := range []string{"keep", "set", "add"} {
		v := n.Get(key)
		edits = edits || v != nil
		if v != nil && c.do == "remove" {
			d.FaultAt(v, "\"remove\" deletes the whole row and writes no columns; leave out %s", key)
		}
	}
	switch where := n.Get("where"); {
	case c.do == "append" && where != nil:
		d.FaultAt(where, "append adds a new row and compares no rows; move the condition to the route's \"when\"")
	case (c.do == "append" || c.do == "change") && !edits && n.Kind == jsonfile.Object && !n.Cut:
		d.FaultAt(n, "there is nothing to write into the row; add \"keep\", \"set\" or \"add\"")
	}
	if c.do == "append" {
		d.lists.made[c.list] = true
	}
	for _, column := range c.names() {
		d.lists.columns[[2]string{c.list, column}] = true
	}
}

// names returns the names that the edit writes to.
func (e *edit) names() []string {
	out := slices.Clone(e.keep)
	for _, p := range e.set {
		out = append(out, p.name)
	}
	for _, c := range e.copy {
		out = append(out, c.name)
	}
	for _, a := range e.add {
		out = append(out, a.name)
	}
	return out
}

// checkLater adds a check of an entry of "rows": state.json or a route makes its list and
// its columns.
func (d *routeReader) checkLater(n *jsonfile.Node, list string) {
	in, where := n.Get("in"), n.Get("where")
	if !in.Is(jsonfile.String) || list == "" {
		return // has a fault
	}
	d.lists.checks = append(d.lists.checks, func() {
		if !d.lists.made[list] {
			all := slices.Sorted(maps.Keys(d.lists.made))
			d.FaultAt(in, "is %s, but there is no list of this name; add it to %s, or append to it in a route%s",
				display.Quote(list), StateFile, display.DidYouMean(list, all))
		} else if where.Is(jsonfile.Object) {
			for _, m := range where.Items {
				if !d.lists.columns[[2]string{list, m.Key}] {
					d.FaultAt(m, "no row of %s has the column %s; correct the name, or write the column in %s or in a route",
						display.Quote(list), display.Quote(m.Key), StateFile)
				}
			}
		}
	})
}
