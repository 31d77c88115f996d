package judge

import (
	"slices"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// kind is a row of the grammar: one kind of assertion.
type kind struct {
	name string
	// fields are the fields that an assertion of the kind may have, in the order
	// of evidence; "kind" is first.
	fields []string
	// fact names what it measures, as in [evidence.Facts.Unavailable].
	fact string
	// read reads the fields, in the order of OpenChrome's validator. The
	// result is valid only if there are no faults. It is nil for and, or and not.
	read func(*assertion) leaf
	// actual returns the part of the evidence that goes into failed_assertions; if actual
	// is nil, all of it does.
	actual func(evidence.Details) any
}

// leaf is an assertion without child assertions.
type leaf interface {
	// judge judges the assertion. If the details have a string "error", the assertion
	// cannot be judged.
	judge(*judging) (passed bool, d evidence.Details)
	// want and got describe the expected and the observed value for people.
	want() string
	got(evidence.Details) string
	// missed says in one short line how an assertion with these details fails.
	missed(evidence.Details) string
}

// kinds lists the kinds in OpenChrome's order.
var kinds = []*kind{
	&urlKind, &domTextKind, &domCountKind, &networkKind, &screenshotKind, &noDialogKind, &imageKind, &performanceKind, &consoleKind,
	{name: "and", fields: []string{"kind", "children"}},
	{name: "or", fields: []string{"kind", "children"}},
	{name: "not", fields: []string{"kind", "child"}},
}

// Kinds returns all kinds of assertions, in OpenChrome's order.
func Kinds() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// Fields returns the fields that an assertion of this kind may have, "kind" first. For an
// unknown kind it returns the fields of all kinds, sorted, and false.
func Fields(name string) ([]string, bool) {
	var all []string
	for _, k := range kinds {
		if k.name == name {
			return slices.Clone(k.fields), true
		}
		all = append(all, k.fields...)
	}
	slices.Sort(all)
	return slices.Compact(all), false
}

// expected returns the fields for failed_assertions.
func (n *node) expected() evidence.Details {
	if len(n.kind.fields) == 1 {
		return evidence.Details{{Key: n.kind.name, Value: true}}
	}
	var d evidence.Details
	if n.kind == &domTextKind && n.src.Get("selector") == nil {
		d = evidence.Details{{Key: "selector", Value: n.of}}
	}
	return append(d, pick(n.src, n.kind.fields...)...)
}

// pick returns the fields that o has, except the ones that identify the assertion.
func pick(o *jsonfile.Node, fields ...string) evidence.Details {
	d := evidence.Details{}
	for _, name := range fields {
		if v := o.Get(name); v != nil && name != "kind" && name != "schema_version" {
			d = append(d, evidence.Detail{Key: name, Value: evidence.ValueOf(v)})
		}
	}
	return d
}

// comparison is the part of an assertion that compares an observed number with a target.
type comparison struct {
	op    string // eq, gte or lte
	value float64
}

// readOp reads the operator; the kinds of assertion differ in the values that they allow.
func readOp(a *assertion) comparison {
	return comparison{op: a.oneOf("op", "eq", "gte", "lte")}
}

func (c comparison) holds(observed float64) bool {
	switch c.op {
	case "eq":
		return observed == c.value
	case "gte":
		return observed >= c.value
	}
	return observed <= c.value
}

func (c comparison) details(observed float64) evidence.Details {
	return evidence.Details{{Key: "op", Value: c.op}, {Key: "target", Value: c.value}, {Key: "observed", Value: observed}}
}

// target returns the wanted value in words.
func (c comparison) target() string {
	return map[string]string{"gte": "at least ", "lte": "at most "}[c.op] + evidence.JSON(c.value)
}

func (comparison) got(d evidence.Details) string { return d.JSON("observed") }
