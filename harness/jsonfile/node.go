package jsonfile

import "strings"

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

// Node is a JSON value with its place. Raw bytes are Offset to End.
type Node struct {
	Kind        Kind
	Offset, End int
	Pointer     string // RFC 6901
	// Text is the content of a string, or a number or literal as written.
	Text    string
	Members []Member // of an object, in the order of the file
	Items   []*Node  // of an array
	// Cut says that a syntax error ended the object or array early: that
	// something is not in it says nothing.
	Cut bool
}

// Member is a key of an object with its value. Of duplicate keys, which are a
// fault, all are there.
type Member struct {
	Key    string
	Offset int // of the key
	Value  *Node
}

// Get returns the value of a key, nil when it is not there; of duplicates the
// last, as JSON.parse does.
func (n *Node) Get(key string) *Node {
	for i := len(n.Members) - 1; i >= 0; i-- {
		if n.Members[i].Key == key {
			return n.Members[i].Value
		}
	}
	return nil
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// Join returns the pointer of a key below pointer.
func Join(pointer, key string) string {
	return pointer + "/" + pointerEscapes.Replace(key)
}
