package evidence

import (
	"errors"
	"slices"

	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Details is a JSON object that keeps the order of its keys. Its values are nil, bool,
// float64, string, *string, []any, Details, json.RawMessage or *Evidence. Strings are
// WTF-8: a lone surrogate, which JavaScript strings may hold, is encoded as three bytes.
type Details []Detail

// Detail is one key of Details with its value.
type Detail struct {
	Key   string
	Value any
}

// Get returns the value of key. If the key occurs twice, the last value counts.
func (d Details) Get(key string) (value any, ok bool) {
	for i := len(d) - 1; i >= 0; i-- {
		if d[i].Key == key {
			return d[i].Value, true
		}
	}
	return nil, false
}

// Text returns the string at key, or "".
func (d Details) Text(key string) string {
	v, _ := d.Get(key)
	s, _ := v.(string)
	return s
}

// JSON returns the value at key as [JSON] does; null if there is none.
func (d Details) JSON(key string) string {
	v, _ := d.Get(key)
	return JSON(v)
}

// MarshalJSON writes the object with its keys in order.
func (d Details) MarshalJSON() ([]byte, error) { return AppendJSON(nil, d), nil }

// Node holds the values that one assertion was judged on, in the form of OpenChrome's
// evidence.
type Node struct {
	Passed        bool    `json:"passed"`
	AssertionKind string  `json:"assertion_kind"`
	Details       Details `json:"details"`
}

// Inconclusive returns the error that OpenChrome takes for "cannot tell".
func (e *Node) Inconclusive() (string, bool) {
	v, _ := e.Details.Get("error")
	s, ok := v.(string)
	return s, ok
}

// UnmarshalJSON gives the details their types.
func (e *Node) UnmarshalJSON(data []byte) error {
	n, err := Parse(data)
	if err != nil {
		return err
	}
	got, ok := ValueOf(n).(*Node)
	if !ok {
		return errors.New("evidence without passed, assertion_kind and details")
	}
	*e = *got
	return nil
}

// Parse reads what a program wrote.
func Parse(data []byte) (*jsonfile.Node, error) {
	f := jsonfile.Loose("JSON", data)
	n := f.Value()
	if len(f.Faults) > 0 {
		return nil, f.Faults[0]
	}
	return n, nil
}

// ValueOf returns the value of a node, in the types of [Details]; nil if the node is empty.
// An object in the form of evidence becomes [Node].
func ValueOf(n *jsonfile.Node) any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case jsonfile.Bool:
		return n.Text == "true"
	case jsonfile.Number:
		return n.Float()
	case jsonfile.String:
		return n.Text
	case jsonfile.Array:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = ValueOf(item)
		}
		return list
	case jsonfile.Object:
		passed, kind, details := n.Get("passed"), n.Get("assertion_kind"), n.Get("details")
		if passed.Is(jsonfile.Bool) && kind.Is(jsonfile.String) && details.Is(jsonfile.Object) {
			d, _ := ValueOf(details).(Details)
			return &Node{passed.Text == "true", kind.Text, d}
		}
		o := make(Details, len(n.Items))
		for i, m := range n.Items {
			o[i] = Detail{m.Key, ValueOf(m)}
		}
		return o
	}
	return nil
}

// StringAt returns the string at a key of o, or "".
func StringAt(o *jsonfile.Node, key string) string {
	if v := o.Get(key); v.Is(jsonfile.String) {
		return v.Text
	}
	return ""
}

// NumberAt returns the number at a key of o, which may be infinite.
func NumberAt(o *jsonfile.Node, key string) (float64, bool) {
	if v := o.Get(key); v.Is(jsonfile.Number) {
		return v.Float(), true
	}
	return 0, false
}

// Children returns the evidence of the evaluated children of an "and", "or" or "not". It
// returns nil if the value is not such evidence, since a log may hold anything.
func (e *Node) Children() (children []*Node) {
	if e == nil {
		return nil
	}
	list, _ := e.Details.Get("children")
	items, ok := list.([]any)
	if child, isNot := e.Details.Get("child"); !ok && isNot {
		items = []any{child}
	}
	for _, v := range items {
		child, ok := v.(*Node)
		if !ok {
			return nil
		}
		children = append(children, child)
	}
	return children
}

// LogFull is the detail of a network assertion that a request may meet for which the log had
// no room.
const LogFull = "log_full"

// Assumed reports whether an assertion at or below e counts as met only because the log of
// requests was full.
func (e *Node) Assumed() bool {
	_, full := e.Details.Get(LogFull)
	return e.Passed && full || slices.ContainsFunc(e.Children(), (*Node).Assumed)
}
