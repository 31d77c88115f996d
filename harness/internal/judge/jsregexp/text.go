package jsregexp

import (
	"math/bits"
	"unicode/utf8"
)

// Length returns the length that JavaScript gives for s: UTF-16 code units.
// It reads eight bytes at a time, because texts can be whole pages.
func Length(s string) int {
	const ones = 0x0101010101010101
	n, i := 0, 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		n += 8
		if w&(ones<<7) == 0 {
			continue
		}
		// A continuation byte 10xxxxxx counts as 0. A byte 1111xxxx, which begins a
		// character beyond U+FFFF, counts as 2.
		n -= bits.OnesCount64(w >> 7 & ^(w >> 6) & ones)
		n += bits.OnesCount64(w >> 7 & (w >> 6) & (w >> 5) & (w >> 4) & ones)
	}
	for ; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0xf0:
			n += 2
		case c&0xc0 != 0x80:
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
