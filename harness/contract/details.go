package contract

import "encoding/json"

// Details is a JSON object that keeps the order of its keys. Its values are
// nil, bool, float64, string, []any, Details, *Evidence or []*Evidence.
// Strings are WTF-8: a lone surrogate, which JavaScript strings may hold,
// stands as three bytes.
type Details []Detail

// Detail is one key of Details with its value.
type Detail struct {
	Key   string
	Value any
}

// Get returns the value of key; of a key that is there twice, the last one.
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

// UnmarshalJSON reads an object; null gives nil.
func (d *Details) UnmarshalJSON(data []byte) error {
	v, err := decodeJSON(data)
	if err != nil {
		return err
	}
	o, ok := v.(Details)
	if v != nil && !ok {
		return typeError("details", "object", v)
	}
	*d = evidenceInside(o)
	return nil
}

// Evidence is what judging one assertion saw, in the form of OpenChrome's
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
	v, err := decodeJSON(data)
	if err != nil {
		return err
	}
	got := asEvidence(v)
	if got == nil {
		return typeError("evidence", "object with passed, assertion_kind and details", v)
	}
	*e = *got
	return nil
}

// asEvidence reads v as evidence, or returns nil.
func asEvidence(v any) *Evidence {
	o, _ := v.(Details)
	passed, _ := o.Get("passed")
	kind, _ := o.Get("assertion_kind")
	details, _ := o.Get("details")
	e := &Evidence{}
	var ok [3]bool
	e.Passed, ok[0] = passed.(bool)
	e.AssertionKind, ok[1] = kind.(string)
	e.Details, ok[2] = details.(Details)
	if ok != [3]bool{true, true, true} {
		return nil
	}
	e.Details = evidenceInside(e.Details)
	return e
}

// evidenceInside turns the children of and, or and not back into evidence.
func evidenceInside(d Details) Details {
	for i, m := range d {
		switch m.Key {
		case "child":
			if e := asEvidence(m.Value); e != nil {
				d[i].Value = e
			}
		case "children":
			list, _ := m.Value.([]any)
			children := make([]*Evidence, len(list))
			whole := len(list) > 0
			for k, v := range list {
				children[k] = asEvidence(v)
				whole = whole && children[k] != nil
			}
			if whole {
				d[i].Value = children
			}
		}
	}
	return d
}

// children returns the evidence of the evaluated children of and and or.
func (e *Evidence) children() []*Evidence {
	v, _ := e.Details.Get("children")
	list, _ := v.([]*Evidence)
	return list
}

// child returns the evidence of the child of not.
func (e *Evidence) child() *Evidence {
	v, _ := e.Details.Get("child")
	child, _ := v.(*Evidence)
	return child
}

var (
	_ json.Marshaler   = Details(nil)
	_ json.Unmarshaler = (*Details)(nil)
	_ json.Unmarshaler = (*Evidence)(nil)
)
