package jsonfile

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Field is a field that an object may have.
type Field struct {
	Name     string
	Required bool
	// Read is called with the value, whatever its type. It is called for each duplicate.
	Read func(*Node)
}

// Fields reads an object that may have only these fields. It does nothing for a nil node,
// because that value could not be read.
func (f *File) Fields(n *Node, fields ...Field) {
	if n == nil || !f.Want(n, Object, Object.String()) {
		return
	}
	var names, required []string
	for _, field := range fields {
		names = append(names, field.Name)
		if field.Required {
			required = append(required, field.Name)
		}
	}
	for _, m := range n.Items {
		if i := slices.IndexFunc(fields, func(field Field) bool { return field.Name == m.Key }); i >= 0 {
			fields[i].Read(m)
		} else {
			f.Unknown(m, names)
		}
	}
	for _, name := range required {
		if n.Get(name) == nil && !n.Cut {
			f.FaultAt(n, "missing field %q; required: %s", name, strings.Join(required, ", "))
		}
	}
}

// Unknown adds a fault: the key of m is not one of the names.
func (f *File) Unknown(m *Node, names []string) {
	why := ""
	if slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, m.Key) }) {
		why = " (keys are case-sensitive)"
	}
	f.Fault(m.place, m.Pointer(), "unknown field %s%s; allowed: %s%s",
		display.Quote(m.Key), why, strings.Join(names, ", "), display.DidYouMean(m.Key, names))
}

// Want reports whether n has this kind, and adds a fault if it does not. what describes the
// wanted value.
func (f *File) Want(n *Node, k Kind, what string) bool {
	if n.Kind != k {
		f.Wrong(n, what)
	}
	return n.Kind == k
}

// Wrong adds a fault: n is not the wanted value. words are the allowed values, if they are
// a list.
func (f *File) Wrong(n *Node, want string, words ...string) {
	f.FaultAt(n, "is %s, want %s%s", n.Show(), want, display.DidYouMean(n.Text, words))
}

// Text reads a string that is not blank.
func (f *File) Text(n *Node) string {
	if n.Kind != String || strings.TrimSpace(n.Text) == "" {
		f.Wrong(n, "a non-empty string")
	}
	return n.Text
}

// OneOf reads a string that must be one of the allowed strings.
func (f *File) OneOf(n *Node, allowed []string) string {
	if n.Kind != String || !slices.Contains(allowed, n.Text) {
		f.Wrong(n, "one of "+strings.Join(allowed, ", "), allowed...)
	}
	return n.Text
}

// Bool reads true or false.
func (f *File) Bool(n *Node) bool {
	return f.Want(n, Bool, Bool.String()) && n.Text == "true"
}

// Int reads an integer from low to high in any JSON notation: 1e2 is 100.
func (f *File) Int(n *Node, low, high int) int {
	v := math.NaN()
	if n.Kind == Number {
		v = n.Float()
	}
	if v != math.Trunc(v) || v < float64(low) || v > float64(high) {
		f.Wrong(n, fmt.Sprintf("an integer from %d to %d", low, high))
		return 0
	}
	return int(v)
}

// Array reads an array item by item.
func (f *File) Array(n *Node, what string, item func(*Node)) {
	if !f.Want(n, Array, "an array of "+what) {
		return
	}
	for _, i := range n.Items {
		item(i)
	}
}

// Values returns an upper bound for the number of values in a JSON text, which need not be valid.
// It needs no memory, so callers can refuse a text before they decode it.
func Values(data []byte) int {
	n, inString := 1, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case !inString && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// Escape returns a text as it stands between the quotes of a JSON string.
func Escape(text string) string {
	quoted, _ := json.Marshal(text) // encoding a string cannot fail
	return string(quoted[1 : len(quoted)-1])
}
