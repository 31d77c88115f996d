package args

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Use is what an argument of a call is for.
type Use int

// The uses.
const (
	Unknown Use = iota
	Query       // words that name a target
	Ref         // a ref of an earlier answer
	Typed       // a value to type or to choose
)

// UseOf returns what an argument of a tool is for. In an object with several fields, every member
// is a value.
func UseOf(t server.Tool, n *jsonfile.Node) Use {
	where := strings.Split(n.Pointer(), "/")
	above := where[max(0, len(where)-2)]
	_, err := strconv.Atoi(n.Key)
	is := func(name string) bool { return name != "" && (n.Key == name || above == name) }
	types := t.Does == server.Fills || t.Does == server.Types
	switch {
	case types && t.Fields != "" && above == t.Fields && err != nil: // whatever its name
		return Typed
	case is(t.Query) || is(t.Submit):
		return Query
	case is(t.Ref):
		return Ref
	case types && is(t.Value):
		return Typed
	}
	return Unknown
}

// TypedText reports whether the argument is a typed text, and not the state of a checkbox.
func TypedText(t server.Tool, n *jsonfile.Node) bool {
	return n.Kind == jsonfile.String && UseOf(t, n) == Typed && !Boolean(n.Text)
}

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
