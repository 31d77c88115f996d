package jsonfile

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Kind is the type of a JSON value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String returns the kind with its article, for messages.
func (k Kind) String() string {
	return [...]string{"null", "true or false", "a number", "a string", "an array", "an object"}[k]
}

// Node is a JSON value with its place. Its raw bytes are Offset to End. A nil Node stands
// for a missing value.
type Node struct {
	Kind Kind
	// Cut says that a syntax error ended the object or array early. So it may lack fields that
	// the file has.
	Cut         bool
	Offset, End int
	Key         string // key of a member of an object
	// Text is the content of a string, or a number or literal as written. Half of a
	// surrogate pair, which JavaScript strings may contain, is encoded as three bytes
	// (WTF-8).
	Text string
	// Items are the items of an array, or the members of an object in the order of the
	// file, including all duplicates.
	Items []*Node

	up     *Node // the object or array that contains it
	place  int   // in the parent: the offset of the key, or the index
	keyEnd int
}

// Is reports whether the value exists and has this kind.
func (n *Node) Is(k Kind) bool { return n != nil && n.Kind == k }

// Get returns the value of a key, or nil if it is missing. Of duplicate keys it returns the
// last, as JSON.parse does.
func (n *Node) Get(key string) *Node {
	if n.Is(Object) {
		for i := len(n.Items) - 1; i >= 0; i-- {
			if n.Items[i].Key == key {
				return n.Items[i]
			}
		}
	}
	return nil
}

// Float returns a number as JavaScript would: a double, which is infinite if the number is
// too large.
func (n *Node) Float() float64 {
	v, _ := strconv.ParseFloat(n.Text, 64) // an error means that it is too large
	return v
}

// Show returns the value for a message: a short value quoted and cut, any other value as
// its kind.
func (n *Node) Show() string {
	switch n.Kind {
	case String:
		return display.Quote(n.Text)
	case Number, Bool:
		return display.Short(n.Text)
	case Array:
		if len(n.Items) == 0 {
			return "an empty array"
		}
	}
	return n.Kind.String()
}

// JS returns the value as JavaScript's String writes it.
func (n *Node) JS() string {
	switch n.Kind {
	case Number:
		return string(AppendNumber(nil, n.Float()))
	case Array:
		items := make([]string, len(n.Items))
		for i, item := range n.Items {
			if item.Kind != Null { // JavaScript writes null inside an array as ""
				items[i] = item.JS()
			}
		}
		return strings.Join(items, ",")
	case Object:
		return "[object Object]"
	}
	return n.Text
}

// Pointer returns the place of the value as a JSON Pointer (RFC 6901).
func (n *Node) Pointer() string {
	switch {
	case n == nil || n.up == nil:
		return ""
	case n.up.Kind == Object:
		return string(jsontext.Pointer(n.up.Pointer()).AppendToken(n.Key))
	}
	return n.up.Pointer() + "/" + strconv.Itoa(n.place)
}

// AppendNumber appends f as JavaScript's String writes it.
func AppendNumber(b []byte, f float64) []byte {
	return append(b, jsontext.Float(f+0).String()...) // the sum of -0 and 0 is 0
}
