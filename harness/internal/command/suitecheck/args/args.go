// Package args reads and changes the arguments of a call as JSON, and leaves all other bytes as
// they are.
package args

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/openchrome/bench/harness/internal/read/server"
	"github.com/openchrome/bench/harness/internal/text/jsonfile"
)

// Values returns the strings, numbers and booleans in arguments.
func Values(args json.RawMessage) (out []*jsonfile.Node) {
	var walk func(*jsonfile.Node)
	walk = func(n *jsonfile.Node) {
		switch {
		case n == nil:
		case n.Is(jsonfile.Object) || n.Is(jsonfile.Array):
			for _, i := range n.Items {
				walk(i)
			}
		case !n.Is(jsonfile.Null):
			out = append(out, n)
		}
	}
	walk(jsonfile.Loose("arguments", args).Value())
	return out
}

// Replace returns the arguments with another value at a JSON pointer. The other bytes stay
// the same, because the order of members may matter.
func Replace(args json.RawMessage, pointer string, to func(string) string) json.RawMessage {
	for _, n := range Values(args) {
		if n.Pointer() != pointer {
			continue
		}
		text := []byte(to(n.Text))
		if n.Kind == jsonfile.String {
			text, _ = json.Marshal(string(text)) // a string can always be encoded
		}
		return slices.Concat(args[:n.Offset], text, args[n.End:])
	}
	return args
}

// TextAt returns the text of the value at a JSON pointer, or "".
func TextAt(args json.RawMessage, pointer string) string {
	for _, n := range Values(args) {
		if n.Pointer() == pointer {
			return n.Text
		}
	}
	return ""
}

// Without returns the arguments without a member of a member, such as /fields/Name.
func Without(args json.RawMessage, pointer string) json.RawMessage {
	above, _, _ := strings.Cut(pointer[1:], "/")
	fields := jsonfile.Loose("arguments", args).Value().Get(above)
	var kept []string
	for _, n := range fields.Items {
		if n.Pointer() != pointer {
			key, _ := json.Marshal(n.Key) // a string can always be encoded
			kept = append(kept, string(key)+":"+string(args[n.Offset:n.End]))
		}
	}
	return slices.Concat(args[:fields.Offset], []byte("{"+strings.Join(kept, ",")+"}"), args[fields.End:])
}

// With returns the arguments, an object, with another member.
func With(args json.RawMessage, name, value string) json.RawMessage {
	text, _ := json.Marshal(value) // a string can always be encoded
	rest := strings.TrimPrefix(string(args), "{")
	if rest != "}" {
		rest = "," + rest
	}
	return fmt.Appendf(nil, "{%q:%s%s", name, text, rest)
}

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

// Next adds one to the number at the end of a ref; two if the ref is only a number, as one more is the element's text.
func Next(ref string) string {
	return lastNumber.ReplaceAllStringFunc(ref, func(n string) string {
		v, _ := strconv.Atoi(n)
		if n == ref {
			v++
		}
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
