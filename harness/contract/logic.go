package contract

// logic evaluates and, or and not. Children are evaluated in their order;
// the rest is not, once the answer is known.
func (j *judging) logic(n *node) *Evidence {
	e := &Evidence{AssertionKind: n.kind.name}
	switch n.kind.name {
	case "and":
		j.and(n, e)
	case "or":
		j.or(n, e)
	default:
		child := j.node(n.children[0])
		unclear := inherited(child)
		e.Passed = !child.Passed && unclear == nil
		e.Details = append(Details{{"child", child}}, unclear...)
	}
	return e
}

// and stops at the first child that does not pass. When that one cannot be
// judged, neither can the and.
func (j *judging) and(n *node, e *Evidence) {
	children := make([]any, 0, len(n.children))
	for i, c := range n.children {
		child := j.node(c)
		children = append(children, child)
		if !child.Passed {
			e.Details = append(Details{
				{"failed_at_index", float64(i)},
				{"evaluated", float64(len(children))},
				{"total", float64(len(n.children))},
				{"children", children},
			}, inherited(child)...)
			return
		}
	}
	e.Passed = true
	e.Details = Details{{"evaluated", float64(len(children))}, {"children", children}}
}

// or stops at the first child that passes. When none does, and one could not
// be judged, neither can the or.
func (j *judging) or(n *node, e *Evidence) {
	children := make([]any, 0, len(n.children))
	var unclear Details
	for i, c := range n.children {
		child := j.node(c)
		children = append(children, child)
		if child.Passed {
			e.Passed = true
			e.Details = Details{
				{"passed_at_index", float64(i)},
				{"evaluated", float64(len(children))},
				{"total", float64(len(n.children))},
				{"children", children},
			}
			return
		}
		if unclear == nil {
			unclear = inherited(child)
		}
	}
	e.Details = append(Details{{"evaluated", float64(len(children))}, {"children", children}}, unclear...)
}

// inherited returns what the parent of an assertion that cannot be judged
// says of it; nil for any other.
func inherited(child *Evidence) Details {
	message, ok := child.inconclusive()
	if !ok {
		return nil
	}
	d := Details{{"error", message}}
	for _, key := range []string{"error_code", "reason"} {
		v, _ := child.Details.Get(key)
		if s, ok := v.(string); ok {
			d = append(d, Detail{key, s})
		}
	}
	return d
}
