package contract

// FailedAssertion is one assertion that did not hold, as in OpenChrome's
// failed_assertions. Expected and Actual hold values as [Details] does.
type FailedAssertion struct {
	Name     string `json:"name"` // path and kind, such as $.children.1[url]
	Expected any    `json:"expected"`
	Actual   any    `json:"actual"`
	Location string `json:"location,omitempty"` // path; "" for what is under not
}

// failedAssertions appends the assertions below n that made it fail. Of a
// not that failed, its child is named.
func failedAssertions(out []FailedAssertion, n *node, e *Evidence) []FailedAssertion {
	if e.Passed {
		return out
	}
	switch n.kind {
	case "and", "or":
		for i, child := range e.children() {
			out = failedAssertions(out, n.children[i], child)
		}
	case "not":
		child := n.children[0]
		out = append(out, FailedAssertion{
			Name:     child.path + "[" + child.kind + "]",
			Expected: Details{{"negated", true}},
			Actual:   e.child().Details,
		})
	default:
		out = append(out, FailedAssertion{
			Name:     n.path + "[" + n.kind + "]",
			Expected: n.leaf.expected(),
			Actual:   n.leaf.actual(e.Details),
			Location: n.path,
		})
	}
	return out
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
	v, err := decodeJSON(data)
	if err != nil {
		return err
	}
	o, ok := v.(Details)
	if !ok {
		return typeError("failed assertion", "object", v)
	}
	*f = FailedAssertion{Name: o.text("name"), Location: o.text("location")}
	f.Expected, _ = o.Get("expected")
	f.Actual, _ = o.Get("actual")
	if actual, ok := f.Actual.(Details); ok {
		f.Actual = evidenceInside(actual)
	}
	return nil
}
