package jsonfile

import "encoding/json"

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
