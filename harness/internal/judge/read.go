package judge

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Fault is one validation error, as in OpenChrome's validation_errors.
type Fault struct {
	Path    string `json:"path"` // JSON path in the contract, such as $.children.0.pattern
	Message string `json:"message"`
}

func (f Fault) String() string { return f.Path + ": " + f.Message }

// maxDepth bounds how deep assertions nest. OpenChrome has no such rule, but its
// recursion has a limit too.
const maxDepth = 1000

// Parse validates a contract by the rules of OpenChrome's validateAssertion (version 1.15),
// with the same paths and messages in the same order. Like OpenChrome, it stops reading an
// assertion at the first or second fault, and ignores fields that OpenChrome does not know.
// The Contract is nil exactly if there are faults. Two faults are our own: text that is not
// JSON, and assertions nested more than 1000 deep.
func Parse(raw []byte) (*Contract, []Fault) {
	f := jsonfile.Loose("contract", raw)
	n := f.Value()
	if len(f.Faults) > 0 {
		return nil, []Fault{{"$", "not JSON: " + f.Faults[0].Error()}}
	}
	var r reader
	root := r.walk(n, "$", 0)
	if len(r.faults) > 0 {
		return nil, r.faults
	}
	return &Contract{raw: []byte(f.Raw(n)), root: root}, nil
}

// Read reads the contract at a node of a file, by the same rules. It adds every
// fault to the file, at its place. Fields that OpenChrome ignores are faults too,
// since they are mistakes. The result is valid only if the file has no faults.
func Read(f *jsonfile.File, n *jsonfile.Node) *Contract {
	r := reader{file: f}
	return &Contract{raw: []byte(f.Raw(n)), root: r.walk(n, "$", 0)}
}

// reader reads a contract. Without a file it stops where OpenChrome does.
type reader struct {
	file   *jsonfile.File
	faults []Fault
}

// walk reads one assertion. The result is valid only if there are no faults.
func (r *reader) walk(o *jsonfile.Node, path string, depth int) *node {
	whole := func(ours, theirs string) *node {
		if r.file != nil {
			r.file.FaultAt(o, "%s", ours)
		} else {
			r.faults = append(r.faults, Fault{path, theirs})
		}
		return nil
	}
	if !o.Is(jsonfile.Object) {
		return whole("is "+o.Show()+", want an object", "expected object")
	}
	if depth > maxDepth {
		deep := fmt.Sprintf("assertions nested more than %d deep", maxDepth)
		return whole(deep, deep)
	}
	a := &assertion{reader: r, o: o, path: path}
	k := a.kind()
	if r.file != nil {
		allowed := k.fields
		if k.name == "" {
			allowed, _ = Fields("")
		}
		for _, m := range o.Items {
			if !slices.Contains(allowed, m.Key) {
				r.file.Unknown(m, allowed)
			}
		}
	}
	n := &node{kind: k, path: path, src: o}
	switch {
	case k.read != nil:
		n.leaf = k.read(a)
		n.of = a.of
	case k.name == "not":
		child, both := o.Get("child"), o.Get("children")
		switch {
		case child == nil:
			a.fault("child", nil, slip{"an assertion", "missing required field", nil})
		case both != nil && r.file == nil: // in a file this is reported as an unknown field
			a.fault("children", both, slip{message: "`not` takes a single `child`, not `children`"})
		default:
			n.children = []*node{r.walk(child, path+".child", depth+1)}
		}
	case k.name != "":
		list := a.get("children", jsonfile.Array, "a non-empty array", filled)
		n.children = make([]*node, len(list.Items))
		for i, child := range list.Items {
			n.children[i] = r.walk(child, path+".children."+strconv.Itoa(i), depth+1)
		}
	case r.file != nil: // the kind is unknown, but its children may have faults too
		inside := []*jsonfile.Node{o.Get("child")}
		if list := o.Get("children"); list != nil {
			inside = append(inside, list.Items...)
		}
		for _, child := range inside {
			if child.Is(jsonfile.Object) {
				r.walk(child, path, depth+1)
			}
		}
	}
	return n
}

// kind returns the row of the assertion's kind. The row of an unknown kind has no
// name.
func (a *assertion) kind() *kind {
	v := a.o.Get("kind")
	if v.Is(jsonfile.String) {
		for _, k := range kinds {
			if k.name == v.Text {
				return k
			}
		}
	}
	switch {
	case a.file != nil && v != nil:
		a.file.OneOf(v, Kinds())
	case v.Is(jsonfile.String):
		a.fault("kind", v, slip{message: "unknown kind '" + v.Text + "'"})
	default:
		a.fault("kind", v, slip{oneOf(Kinds()).want, "missing or non-string `kind`", nil})
	}
	return &kind{}
}
