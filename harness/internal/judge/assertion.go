package judge

import (
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/judge/evidence"
	"github.com/openchrome/bench/harness/internal/judge/jsregexp"
	"github.com/openchrome/bench/harness/internal/text/display"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// assertion is an assertion whose fields are being read.
type assertion struct {
	*reader
	o    *jsonfile.Node
	path string
	of   string // see node.of
	bad  bool   // the field that was read last has a fault
	over bool   // OpenChrome's validator has left this assertion
}

// slip is the fault of a field: the value that it should have, in our words and with an
// article, and OpenChrome's message. words are the allowed values, if they are a list.
type slip struct {
	want, message string
	words         []string
}

func expected(want string) slip {
	bare := strings.TrimPrefix(strings.TrimPrefix(want, "a "), "an ")
	return slip{want, "expected " + bare, nil}
}

func oneOf(words []string) slip {
	return slip{"one of " + strings.Join(words, ", "), "expected one of " + strings.Join(words, "|"), words}
}

// fault adds the fault of a field. v is the field's value; nil means that the field is
// missing.
func (a *assertion) fault(field string, v *jsonfile.Node, s slip) {
	a.bad = true
	switch {
	case a.file == nil && !a.over:
		a.faults = append(a.faults, Fault{a.path + "." + field, s.message})
	case a.file == nil:
	case v == nil && a.o.Cut, v != nil && v.Cut: // the rest comes after a syntax error
	case v == nil:
		a.file.FaultAt(a.o, "missing field %q, want %s", field, s.want)
	case s.want == "":
		a.file.FaultAt(v, "is %s: %s", v.Show(), display.VisibleTo(s.message, 200))
	default:
		a.file.Wrong(v, s.want, s.words...)
	}
}

// stop ends the reading of the assertion if the last field has a fault, as OpenChrome's
// validator does here.
func (a *assertion) stop() { a.over = a.over || a.bad }

// get returns the value of a field if it has the kind and ok accepts it. Otherwise it adds
// a fault and returns an empty node.
func (a *assertion) get(field string, k jsonfile.Kind, want string, ok func(*jsonfile.Node) bool) *jsonfile.Node {
	v := a.o.Get(field)
	if a.bad = !v.Is(k) || ok != nil && !ok(v); a.bad {
		a.fault(field, v, expected(want))
		return &jsonfile.Node{}
	}
	return v
}

func (a *assertion) text(field string) string {
	return a.get(field, jsonfile.String, "a string", nil).Text
}

func (a *assertion) oneOf(field string, words ...string) string {
	v := a.o.Get(field)
	if a.bad = !v.Is(jsonfile.String) || !slices.Contains(words, v.Text); a.bad {
		a.fault(field, v, oneOf(words))
		return ""
	}
	return v.Text
}

func (a *assertion) number(field, want string, ok func(float64) bool) float64 {
	return a.get(field, jsonfile.Number, want, func(v *jsonfile.Node) bool { return ok(v.Float()) }).Float()
}

func (a *assertion) pattern(field string) *jsregexp.Regexp {
	source := a.text(field)
	if a.bad {
		return nil
	}
	re, fault := checkPattern(source)
	if fault != "" {
		a.fault(field, a.o.Get(field), slip{message: fault})
	}
	return re
}

func (a *assertion) schemaVersion() {
	a.number("schema_version", "schema_version 1", func(v float64) bool { return v == 1 })
}

func (a *assertion) maxAge() float64 {
	return a.number("max_age_ms", "an integer in [0,300000]", func(v float64) bool { return evidence.IsInteger(v) && v >= 0 && v <= 300_000 })
}

func filled(list *jsonfile.Node) bool { return len(list.Items) > 0 }
