package display

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// JSON makes JSON safe to print: what does not print becomes a \u escape. The value stays
// the same, since such characters can only be in strings. Line ends and other ASCII stay as
// they are: encoders escape these within strings, except DEL, which is escaped here.
func JSON(data []byte) []byte {
	if !slices.ContainsFunc(data, func(c byte) bool { return c >= unicode.MaxASCII }) {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		switch {
		case r < unicode.MaxASCII || unicode.IsPrint(r) && size > 1:
			out = append(out, data[:size]...)
		case r <= 0xffff:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
		data = data[size:]
	}
	return out
}

// MaxIndent is how deep indented JSON is indented. Foreign JSON can be nested so deep that the
// indentation would be a thousand times as large as the JSON.
const MaxIndent = 20

// Indent returns compact JSON with a value on each line, as json.Indent does with two spaces. Each
// line but the first begins with prefix. What is nested deeper than [MaxIndent] stays on one line.
func Indent(compact []byte, prefix string) []byte {
	out := make([]byte, 0, 2*len(compact))
	depth, quoted := 0, false
	line := func() {
		if depth <= MaxIndent {
			out = append(append(out, '\n'), prefix...)
			out = append(out, strings.Repeat("  ", depth)...)
		}
	}
	for i := 0; i < len(compact); i++ {
		c := compact[i]
		empty := i > 0 && compact[i-1] == c-2 // {} and []
		if !quoted && (c == '}' || c == ']') {
			inner := depth <= MaxIndent
			if depth--; inner && !empty {
				line()
			}
		}
		out = append(out, c)
		switch {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
			out = append(out, compact[i])
		case quoted:
		case c == '{' || c == '[':
			if depth++; compact[i+1] != c+2 {
				line()
			}
		case c == ',':
			line()
		case c == ':' && depth <= MaxIndent:
			out = append(out, ' ')
		}
	}
	return out
}
