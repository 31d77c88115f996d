package display

import (
	"fmt"
	"slices"
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
