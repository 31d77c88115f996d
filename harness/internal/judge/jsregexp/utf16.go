package jsregexp

import (
	"unicode/utf16"
	"unicode/utf8"
)

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
		b = AppendRune(b, r)
	}
	return string(b)
}

// AppendRune appends r in WTF-8: like utf8.AppendRune, but a surrogate keeps
// its value.
func AppendRune(b []byte, r rune) []byte {
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
