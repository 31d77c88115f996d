package route

import (
	"errors"
	"maps"
	"strconv"

	"github.com/openchrome/bench/harness/internal/read/param"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
	"github.com/openchrome/bench/harness/internal/web/template"
)

// StateFile holds the state of a host at the start of each session.
const StateFile = "state.json"

// maxState bounds the state of a host in a session, in bytes. Each row counts as its names
// and values and 64 bytes more.
const maxState = 4 << 20

// maxCount bounds the values that "add" can reach, in both directions.
const maxCount = 1_000_000

var errStateFull = errors.New("the state of this host would exceed 4 MiB; the request changed nothing")

// A State holds the values and lists that routes keep for one host in one session. It is
// immutable: each change makes a new state, so templates can read the old one meanwhile.
type State struct {
	Values map[string]string
	Lists  map[string][]row
}

// A row is an entry of a list. It maps columns to values.
type row = param.Row

// NewState returns a State without values and lists.
func NewState() *State {
	return &State{Values: make(map[string]string), Lists: make(map[string][]row)}
}

// Size is about how many bytes the state has.
func (s *State) Size() int {
	n := 0
	sum := func(m map[string]string) {
		for name, value := range m {
			n += len(name) + len(value)
		}
	}
	sum(s.Values)
	for name, rows := range s.Lists {
		n += len(name)
		for _, row := range rows {
			n += 64
			sum(row)
		}
	}
	return n
}

// ParseState reads a state.json and returns all its faults. name is the file in faults.
func ParseState(data []byte, name string, values param.Values) (*State, jsonfile.Faults) {
	s := NewState()
	f := jsonfile.New(name, data)
	f.Edit = func(n *jsonfile.Node) []jsonfile.Change { return values.Fill(f, n) }
	root := f.Value()
	if root == nil || !f.Want(root, jsonfile.Object, "an object of strings and lists") {
		return s, f.Faults
	}
	for _, m := range root.Items {
		if m.Kind != jsonfile.Array {
			f.Want(m, jsonfile.String, "a string, or a list of rows")
			s.Values[m.Key] = m.Text
			continue
		}
		s.Lists[m.Key] = []row{}
		for _, item := range m.Items {
			r := make(row)
			if f.Want(item, jsonfile.Object, "a row: an object of strings") {
				for _, column := range item.Items {
					f.Want(column, jsonfile.String, "a string")
					r[column.Key] = column.Text
				}
			}
			s.Lists[m.Key] = append(s.Lists[m.Key], r)
		}
	}
	if s.Size() > maxState {
		f.FaultAt(root, "is larger than 4 MiB; shorten it")
	}
	f.Faults.Sort()
	return s, f.Faults
}

// An edit changes the state or a row. It applies its fields in their order here.
type edit struct {
	keep []string // fields to keep
	set  []pair   // values to set
	copy []copied // values to copy from a source
	add  []sum    // numbers to add to values
}

type copied struct {
	name string
	from source
}

func (e *edit) apply(to map[string]string, s scope) {
	for _, name := range e.keep {
		to[name] = s.request.field(name)
	}
	for _, p := range e.set {
		to[p.name] = p.value
	}
	for _, c := range e.copy {
		to[c.name] = s.value(c.from)
	}
	for _, a := range e.add {
		n := template.Num(to[a.name]) + a.n
		to[a.name] = strconv.Itoa(min(max(n, -maxCount), maxCount))
	}
}

// A rowChange changes or removes the rows of a list that fit where, or appends a row.
type rowChange struct {
	do, list string
	where    requirements
	edit
}

var rowChanges = []string{"append", "change", "remove"}

func (c *rowChange) apply(s scope) []row {
	out := []row{} // not nil, which is null in JSON
	for _, old := range s.state.Lists[c.list] {
		s.row = old
		switch {
		case c.do == "append" || !c.where.hold(s):
			out = append(out, old)
		case c.do == "change":
			changed := maps.Clone(old)
			c.edit.apply(changed, s)
			out = append(out, changed)
		}
	}
	if c.do == "append" {
		added := make(row)
		s.row = nil
		c.edit.apply(added, s)
		out = append(out, added)
	}
	return out
}

// Change returns the state after a request that this route answers. If it would be too
// large, Change returns the old state and an error.
func (r *Route) Change(q *Request, old *State) (*State, error) {
	if len(r.names())+len(r.rows) == 0 {
		return old, nil
	}
	s := &State{Values: maps.Clone(old.Values), Lists: maps.Clone(old.Lists)}
	r.edit.apply(s.Values, scope{request: q, state: s})
	for _, c := range r.rows {
		s.Lists[c.list] = c.apply(scope{request: q, state: s})
	}
	if s.Size() > maxState {
		return old, errStateFull
	}
	return s, nil
}
