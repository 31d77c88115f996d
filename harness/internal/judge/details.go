package judge

import (
	"errors"

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

// text returns the string at key, or "".
func (d Details) text(key string) string {
	v, _ := d.Get(key)
	s, _ := v.(string)
	return s
}

// MarshalJSON writes the object with its keys in order.
func (d Details) MarshalJSON() ([]byte, error) { return appendJSON(nil, d), nil }

// Evidence holds the values that one assertion was judged on, in the form of OpenChrome's
// evidence.
type Evidence struct {
	Passed        bool    `json:"passed"`
	AssertionKind string  `json:"assertion_kind"`
	Details       Details `json:"details"`
}

// inconclusive returns the error that OpenChrome takes for "cannot tell".
func (e *Evidence) inconclusive() (string, bool) {
	v, _ := e.Details.Get("error")
	s, ok := v.(string)
	return s, ok
}

func (e *Evidence) verdict() Verdict {
	if _, unclear := e.inconclusive(); unclear {
		return Inconclusive
	}
	if e.Passed {
		return Pass
	}
	return Fail
}

// MarshalJSON writes the evidence as OpenChrome does.
func (e *Evidence) MarshalJSON() ([]byte, error) { return appendJSON(nil, e), nil }

// UnmarshalJSON reads what MarshalJSON wrote.
func (e *Evidence) UnmarshalJSON(data []byte) error {
	n, err := parse(data)
	if err != nil {
		return err
	}
	got, ok := value(n).(*Evidence)
	if !ok {
		return errors.New("evidence without passed, assertion_kind and details")
	}
	*e = *got
	return nil
}

// MarshalJSON writes the keys in OpenChrome's order.
func (f FailedAssertion) MarshalJSON() ([]byte, error) {
	o := Details{{"name", f.Name}, {"expected", f.Expected}, {"actual", f.Actual}}
	if f.Location != "" {
		o = append(o, Detail{"location", f.Location})
	}
	return appendJSON(nil, o), nil
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (f *FailedAssertion) UnmarshalJSON(data []byte) error {
	n, err := parse(data)
	if err == nil {
		*f = FailedAssertion{text(n, "name"), value(n.Get("expected")), value(n.Get("actual")), text(n, "location")}
	}
	return err
}

// parse reads what a program wrote.
func parse(data []byte) (*jsonfile.Node, error) {
	f := jsonfile.Loose("JSON", data)
	n := f.Value()
	if len(f.Faults) > 0 {
		return nil, f.Faults[0]
	}
	return n, nil
}

// value returns the value of a node, in the types of [Details]; nil if the node is empty.
// An object in the form of evidence becomes [Evidence].
func value(n *jsonfile.Node) any {
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
			list[i] = value(item)
		}
		return list
	case jsonfile.Object:
		passed, kind, details := n.Get("passed"), n.Get("assertion_kind"), n.Get("details")
		if passed.Is(jsonfile.Bool) && kind.Is(jsonfile.String) && details.Is(jsonfile.Object) {
			d, _ := value(details).(Details)
			return &Evidence{passed.Text == "true", kind.Text, d}
		}
		o := make(Details, len(n.Items))
		for i, m := range n.Items {
			o[i] = Detail{m.Key, value(m)}
		}
		return o
	}
	return nil
}

// text returns the string at a key of o, or "".
func text(o *jsonfile.Node, key string) string {
	if v := o.Get(key); v.Is(jsonfile.String) {
		return v.Text
	}
	return ""
}

// number returns the number at a key of o, which may be infinite.
func number(o *jsonfile.Node, key string) (float64, bool) {
	if v := o.Get(key); v.Is(jsonfile.Number) {
		return v.Float(), true
	}
	return 0, false
}

// children returns the evidence of the evaluated children of an "and", "or" or "not". It
// returns nil if the value is not such evidence, since a log may hold anything.
func (e *Evidence) children() (children []*Evidence) {
	if e == nil {
		return nil
	}
	list, _ := e.Details.Get("children")
	items, ok := list.([]any)
	if child, isNot := e.Details.Get("child"); !ok && isNot {
		items = []any{child}
	}
	for _, v := range items {
		child, ok := v.(*Evidence)
		if !ok {
			return nil
		}
		children = append(children, child)
	}
	return children
}
