package contract

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Fault is one validation error, as in OpenChrome's validation_errors.
type Fault struct {
	Path    string `json:"path"` // JSON path in the contract, such as $.children.0.pattern
	Message string `json:"message"`
}

func (f Fault) String() string { return f.Path + ": " + f.Message }

// maxDepth bounds how deep assertions nest. OpenChrome has no such rule, but
// its recursion ends somewhere too.
const maxDepth = 1000

// Parse validates a contract by the rules of OpenChrome's validateAssertion
// (version 1.15), with its paths and messages in its order. Fields that
// OpenChrome does not know are ignored. The Contract is nil exactly when there
// are faults. Two faults are this package's own: text that is not JSON, and
// assertions nested more than 1000 deep.
func Parse(raw []byte) (*Contract, []Fault) {
	v, err := decodeJSON(raw)
	if err != nil {
		return nil, []Fault{{"$", "not JSON: " + err.Error()}}
	}
	var p parser
	root := p.walk(v, "$", 0)
	if len(p.faults) > 0 {
		return nil, p.faults
	}
	return &Contract{raw: bytes.Clone(raw), root: root}, nil
}

type parser struct {
	faults []Fault
}

func (p *parser) fault(path, message string) { p.faults = append(p.faults, Fault{path, message}) }

// walk validates one assertion. What it returns is worth something only when
// there are no faults at all.
func (p *parser) walk(v any, path string, depth int) *node {
	o, ok := v.(Details)
	if !ok {
		p.fault(path, "expected object")
		return nil
	}
	if depth > maxDepth {
		p.fault(path, fmt.Sprintf("assertions nested more than %d deep", maxDepth))
		return nil
	}
	kind, _ := o.Get("kind")
	name, ok := kind.(string)
	if !ok {
		p.fault(path+".kind", "missing or non-string `kind`")
		return nil
	}
	n := &node{path: path}
	for _, k := range kinds {
		if k.name != name {
			continue
		}
		n.kind = k.name
		switch {
		case k.parse != nil:
			n.leaf = k.parse(p, o, path)
		case name == "not":
			p.child(n, o, depth)
		default:
			p.children(n, o, depth)
		}
		return n
	}
	p.fault(path+".kind", "unknown kind '"+name+"'")
	return nil
}

func (p *parser) children(n *node, o Details, depth int) {
	v, _ := o.Get("children")
	list, _ := v.([]any)
	if len(list) == 0 {
		p.fault(n.path+".children", "expected non-empty array")
		return
	}
	n.children = make([]*node, len(list))
	for i, child := range list {
		n.children[i] = p.walk(child, n.path+".children."+strconv.Itoa(i), depth+1)
	}
}

func (p *parser) child(n *node, o Details, depth int) {
	v, ok := o.Get("child")
	if !ok {
		p.fault(n.path+".child", "missing required field")
		return
	}
	if _, ok := o.Get("children"); ok {
		p.fault(n.path+".children", "`not` takes a single `child`, not `children`")
		return
	}
	n.children = []*node{p.walk(v, n.path+".child", depth+1)}
}

func (p *parser) str(o Details, field, path string) (string, bool) {
	v, _ := o.Get(field)
	s, ok := v.(string)
	if !ok {
		p.fault(path+"."+field, "expected string")
	}
	return s, ok
}

// op reads the comparison of counts and values.
func (p *parser) op(o Details, path string) (string, bool) {
	v, _ := o.Get("op")
	op, _ := v.(string)
	if !slices.Contains([]string{"eq", "gte", "lte"}, op) {
		p.fault(path+".op", "expected one of eq|gte|lte")
		return "", false
	}
	return op, true
}

func compare(observed float64, op string, target float64) bool {
	switch op {
	case "eq":
		return observed == target
	case "gte":
		return observed >= target
	}
	return observed <= target
}

// number reads a number that may be infinite.
func number(o Details, field string) (float64, bool) {
	v, _ := o.Get(field)
	n, ok := v.(float64)
	return n, ok
}

// isInteger is Number.isInteger.
func isInteger(n float64) bool { return n == math.Trunc(n) && !math.IsInf(n, 0) }

// maxSafe is Number.MAX_SAFE_INTEGER.
const maxSafe = 1<<53 - 1

// isSafeInteger is Number.isSafeInteger.
func isSafeInteger(n float64) bool { return isInteger(n) && math.Abs(n) <= maxSafe }
