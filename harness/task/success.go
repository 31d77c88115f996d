package task

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/openchrome/bench/harness/contract"
	"github.com/openchrome/bench/harness/jsonfile"
)

// maxRounds bounds how often a contract is mended and validated again. An
// assertion needs a few rounds; only a list with more bad items needs more.
const maxRounds = 100

// ReadContract reads a contract at a node of a file as it is read in a task
// file. Faults are added to the file; what is returned is worth something only
// when it has none.
func ReadContract(f *jsonfile.File, n *jsonfile.Node) *contract.Contract {
	r := reader{file: f, spec: new(Spec), unknown: make(map[string]bool)}
	r.success(n)
	return r.spec.Success
}

// success reads the contract. What it may hold is package contract's word;
// fields that OpenChrome would ignore are faults here, since they are slips.
func (r *reader) success(n *jsonfile.Node) {
	if n.Kind == jsonfile.Object {
		r.assertion(n)
	}
	if cut(n) {
		return // what is missing in it says nothing
	}
	c, faults := contract.Parse(r.file.Raw(n))
	if len(faults) == 0 {
		r.spec.Success = c
		return
	}
	// OpenChrome's validator stops at the first or second fault of an
	// assertion. To tell all of them, put something valid in each place that
	// it names and ask again. Unknown fields were told and are left out.
	value, told := r.decode(n), make(map[string]bool)
	for range maxRounds {
		raw, err := json.Marshal(value)
		if err != nil {
			panic(err) // decode makes maps, slices and scalars only
		}
		_, faults = contract.Parse(raw)
		if len(faults) == 0 {
			return
		}
		for _, fault := range faults {
			path := strings.Split(fault.Path, ".")[1:] // without $
			if told[fault.Path] && len(path) > 0 {
				// What was put there did not help: give the assertion up.
				path = path[:len(path)-1]
			} else {
				r.contractFault(n, path, fault.Message)
			}
			told[fault.Path] = true
			value = mend(value, path, "")
		}
	}
}

// assertion looks for unknown fields, and for what this harness cannot judge.
func (r *reader) assertion(n *jsonfile.Node) {
	kind := ""
	if k := n.Get("kind"); k != nil && k.Kind == jsonfile.String {
		kind = k.Text
	}
	allowed, ok := contract.Fields(kind)
	if !ok {
		// The kind is a fault of its own; here only fields that no kind has.
		for _, k := range contract.Kinds() {
			fields, _ := contract.Fields(k)
			allowed = append(allowed, fields...)
		}
		slices.Sort(allowed)
		allowed = slices.Compact(allowed)
	}
	if kind == "image_qa" {
		r.spec.Warnings = append(r.spec.Warnings, r.file.Remark(n,
			"image_qa asks a model that looks at the page; this harness has none, so the episode will be inconclusive"))
	}
	for _, m := range n.Members {
		if !slices.Contains(allowed, m.Key) {
			r.file.Unknown(n, m, allowed)
			r.unknown[jsonfile.Join(n.Pointer, m.Key)] = true
		}
		for _, child := range append([]*jsonfile.Node{m.Value}, m.Value.Items...) {
			if child.Kind == jsonfile.Object {
				r.assertion(child)
			}
		}
	}
}

// contractFault adds a fault of package contract at its place in the file; a
// missing field is told at its object.
func (r *reader) contractFault(root *jsonfile.Node, path []string, message string) {
	n, missing := find(root, path)
	kinds := contract.Kinds()
	want, typed := wanted(message)
	switch {
	case missing == "kind":
		r.file.FaultAt(n, "missing field \"kind\", want one of %s", strings.Join(kinds, ", "))
	case missing != "":
		r.file.FaultAt(n, "missing field %q, want %s", missing, want)
	case len(path) > 0 && path[len(path)-1] == "kind":
		r.file.OneOf(n, kinds)
	case typed:
		names := strings.Split(strings.TrimPrefix(want, "one of "), ", ")
		r.file.FaultAt(n, "is %s, want %s%s", show(n), want, jsonfile.DidYouMean(n.Text, names))
	default:
		r.file.FaultAt(n, "is %s: %s", show(n), jsonfile.Plain(message, 200))
	}
}

// wanted turns OpenChrome's "expected x" into the words of this package; false
// when the message says something else.
func wanted(message string) (string, bool) {
	if message == "missing required field" {
		return "an assertion", true // only a not's child
	}
	want, ok := strings.CutPrefix(message, "expected ")
	switch first, _, _ := strings.Cut(want, " "); first {
	case "one":
		want = strings.ReplaceAll(want, "|", ", ")
	case "object", "integer", "HTTP":
		want = "an " + want
	case "string", "boolean", "finite", "non-empty", "non-negative":
		want = "a " + want
	}
	return want, ok
}

// find walks a path of package contract down the tree. When a part is not
// there it returns the node above it, and the part's name.
func find(n *jsonfile.Node, path []string) (_ *jsonfile.Node, missing string) {
	for _, part := range path {
		var next *jsonfile.Node
		if i, err := strconv.Atoi(part); err == nil && i < len(n.Items) {
			next = n.Items[i]
		} else {
			next = n.Get(part)
		}
		if next == nil {
			return n, part
		}
		n = next
	}
	return n, ""
}

func show(n *jsonfile.Node) string {
	switch n.Kind {
	case jsonfile.String:
		return jsonfile.Quote(n.Text)
	case jsonfile.Number, jsonfile.Bool:
		return jsonfile.Plain(n.Text, 60)
	case jsonfile.Array:
		if len(n.Items) == 0 {
			return "an empty array"
		}
	}
	return n.Kind.String()
}

func cut(n *jsonfile.Node) bool {
	return n.Cut || slices.ContainsFunc(n.Items, cut) ||
		slices.ContainsFunc(n.Members, func(m jsonfile.Member) bool { return cut(m.Value) })
}
