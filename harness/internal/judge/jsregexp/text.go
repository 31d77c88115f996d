package jsregexp

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// IsSpace reports whether \s of a JavaScript pattern matches r, and whether
// String.prototype.trim removes it.
func IsSpace(r rune) bool {
	return strings.ContainsRune("\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff", r) || r >= 0x2000 && r <= 0x200a
}

// Length returns the length that JavaScript gives for s: UTF-16 code units.
func Length(s string) (n int) {
	for i := range len(s) {
		if s[i]&0xc0 != 0x80 { // not a continuation byte 10xxxxxx
			n++
		}
		if s[i] >= 0xf0 { // begins a character beyond U+FFFF, which has two units
			n++
		}
	}
	return n
}

// Prefix returns the first n code units of s. The result may end with half of a
// surrogate pair.
func Prefix(s string, n int) string {
	ascii := 0
	for ascii < len(s) && ascii < n && s[ascii] < utf8.RuneSelf {
		ascii++
	}
	if ascii == n {
		return s[:n]
	}
	units := Units(nil, s[:min(len(s), 3*n+3)]) // a unit has at most three bytes
	if len(units) <= n {
		return s
	}
	return String(units[:n])
}

const maxUnit = 0xffff

// Units appends the UTF-16 code units of the WTF-8 string s to dst. A byte
// that belongs to no character gives U+FFFD.
func Units(dst []rune, s string) []rune {
	for len(s) > 0 {
		r, size := DecodeRune(s)
		if r > maxUnit {
			high, low := utf16.EncodeRune(r)
			dst = append(dst, high, low)
		} else {
			dst = append(dst, r)
		}
		s = s[size:]
	}
	return dst
}

// String turns UTF-16 code units back into a WTF-8 string.
func String(units []rune) string {
	b := make([]byte, 0, len(units))
	for i := 0; i < len(units); i++ {
		r := units[i]
		if i+1 < len(units) && utf16.DecodeRune(r, units[i+1]) != utf8.RuneError {
			i++
			r = utf16.DecodeRune(r, units[i])
		}
		b = appendRune(b, r)
	}
	return string(b)
}

// appendRune appends r in WTF-8: like utf8.AppendRune, but a surrogate keeps
// its value.
func appendRune(b []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
	}
	return utf8.AppendRune(b, r)
}

// DecodeRune is utf8.DecodeRuneInString for WTF-8: it also returns lone surrogates.
func DecodeRune(s string) (r rune, size int) {
	if len(s) > 2 && s[0] == 0xed && s[1] >= 0xa0 && s[1] <= 0xbf && s[2]&0xc0 == 0x80 {
		return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f), 3
	}
	return utf8.DecodeRuneInString(s)
}
