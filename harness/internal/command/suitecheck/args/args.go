// Package args reads and changes the arguments of a call as JSON, and leaves all other bytes as
// they are.
package args

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

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
