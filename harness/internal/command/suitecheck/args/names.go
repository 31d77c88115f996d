package args

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Queries and Refs are the names of arguments that hold a query or a ref; those of inputs hold a
// typed text.
var (
	Queries = map[string]bool{"query": true, "submit": true, "selector": true}
	Refs    = map[string]bool{"ref": true, "uid": true, "target": true, "backendNodeId": true}
	inputs  = map[string]bool{"value": true, "values": true, "text": true}
)

// Typed reports whether the argument is a value to type or to choose. In OpenChrome's
// fill_form, every member of "fields" is.
func Typed(n *jsonfile.Node) bool {
	where := strings.Split(n.Pointer(), "/")
	above := where[max(0, len(where)-2)]
	_, err := strconv.Atoi(n.Key)
	return inputs[n.Key] || inputs[above] || above == "fields" && err != nil
}

// TypedText reports whether the argument is a typed text, and not the state of a checkbox.
func TypedText(n *jsonfile.Node) bool {
	return n.Kind == jsonfile.String && Typed(n) && !Boolean(n.Text)
}

// Presses reports whether the call presses keys, whose names are not typed.
func Presses(given json.RawMessage) bool { return TextAt(given, "/action") == "key" }

// Boolean reports whether a text is true or false.
func Boolean(s string) bool { return s == "true" || s == "false" }

// Alter changes the last letter or digit.
func Alter(s string) string {
	r := []rune(s)
	for i, c := range slices.Backward(r) {
		switch {
		case unicode.IsDigit(c):
			r[i] = '0' + (c-'0'+1)%10
		case c == 'a' || c == 'A':
			r[i]++
		case unicode.IsLetter(c):
			r[i]--
		default:
			continue
		}
		return string(r)
	}
	return s + "x"
}

// SwapCase changes the case of the first letter that has one.
func SwapCase(s string) string {
	r := []rune(s)
	for i, c := range r {
		if other := unicode.ToUpper(c) + unicode.ToLower(c) - c; other != c {
			r[i] = other
			return string(r)
		}
	}
	return s
}

var lastNumber = regexp.MustCompile(`\d+$`)

// Next adds one to the number at the end of a ref.
func Next(ref string) string {
	return lastNumber.ReplaceAllStringFunc(ref, func(n string) string {
		v, _ := strconv.Atoi(n)
		return strconv.Itoa(v + 1)
	})
}

// Alike reports whether a word of one text is a part of a word of the other.
func Alike(a, b string) bool {
	for _, x := range strings.Fields(strings.ToLower(a)) {
		for _, y := range strings.Fields(strings.ToLower(b)) {
			if strings.Contains(x, y) || strings.Contains(y, x) {
				return true
			}
		}
	}
	return false
}
