package judge

import (
	"github.com/openchrome/bench/harness/internal/judge/evidence"
)

// logic evaluates "and", "or" and "not". It evaluates children in order until one decides:
// for "and", the first that does not pass; for "or", the first that passes. If the deciding
// child cannot be judged, the whole cannot be judged. The same is true if no child of an
// "or" passes and one of them cannot be judged.
func (j *judging) logic(n *node) *evidence.Node {
	e := &evidence.Node{AssertionKind: n.kind.name}
	if n.kind.name == "not" {
		j.negated = !j.negated
		child := j.node(n.children[0])
		j.negated = !j.negated
		unclear := inherited(child)
		e.Passed = !child.Passed && unclear == nil
		e.Details = append(evidence.Details{{Key: "child", Value: child}}, unclear...)
		return e
	}
	decides, index := false, "failed_at_index"
	if n.kind.name == "or" {
		decides, index = true, "passed_at_index"
	}
	children := make([]any, 0, len(n.children))
	var unclear evidence.Details // of the first that could not be judged
	for i, c := range n.children {
		child := j.node(c)
		children = append(children, child)
		if unclear == nil {
			unclear = inherited(child)
		}
		if child.Passed == decides {
			e.Passed = decides
			e.Details = evidence.Details{{Key: index, Value: float64(i)}, {Key: "evaluated", Value: float64(i + 1)}, {Key: "total", Value: float64(len(n.children))}, {Key: "children", Value: children}}
			if !decides {
				e.Details = append(e.Details, unclear...)
			}
			return e
		}
	}
	e.Passed = !decides
	e.Details = append(evidence.Details{{Key: "evaluated", Value: float64(len(children))}, {Key: "children", Value: children}}, unclear...)
	return e
}

// inherited returns details for the parent of an assertion that cannot be judged. For any
// other assertion it returns nil.
func inherited(child *evidence.Node) evidence.Details {
	message, ok := child.Inconclusive()
	if !ok {
		return nil
	}
	d := evidence.Details{{Key: "error", Value: message}}
	for _, key := range []string{"error_code", "reason"} {
		v, _ := child.Details.Get(key)
		if s, ok := v.(string); ok {
			d = append(d, evidence.Detail{Key: key, Value: s})
		}
	}
	return d
}
