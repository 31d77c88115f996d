package jsregexp

import (
	"strings"
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
