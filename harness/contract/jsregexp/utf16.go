package jsregexp

import "unicode/utf8"

const (
	surrogateMin = 0xd800
	lowMin       = 0xdc00
	surrogateMax = 0xdfff
	maxUnit      = 0xffff
)

func isSurrogate(r rune) bool { return r >= surrogateMin && r <= surrogateMax }

// Units appends the UTF-16 code units of the WTF-8 string s to dst. A byte
// that belongs to no character gives U+FFFD.
func Units(dst []rune, s string) []rune {
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			dst = append(dst, rune(b))
			i++
			continue
		}
		if r, ok := SurrogateAt(s, i); ok {
			dst = append(dst, r)
			i += 3
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r >= 0x10000 {
			r -= 0x10000
			dst = append(dst, surrogateMin+r>>10, lowMin+r&0x3ff)
			continue
		}
		dst = append(dst, r)
	}
	return dst
}

// String turns UTF-16 code units back into a WTF-8 string.
func String(units []rune) string {
	b := make([]byte, 0, len(units))
	for i := 0; i < len(units); i++ {
		r := units[i]
		if r >= surrogateMin && r < lowMin && i+1 < len(units) && units[i+1] >= lowMin && units[i+1] <= surrogateMax {
			i++
			r = 0x10000 + (r-surrogateMin)<<10 + units[i] - lowMin
		}
		b = AppendRune(b, r)
	}
	return string(b)
}

// AppendRune appends r in WTF-8: like utf8.AppendRune, but a surrogate keeps
// its value.
func AppendRune(b []byte, r rune) []byte {
	if isSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6&0x3f), 0x80|byte(r&0x3f))
	}
	return utf8.AppendRune(b, r)
}

// SurrogateAt reports the lone surrogate of the WTF-8 string s whose three bytes start at s[i].
func SurrogateAt(s string, i int) (rune, bool) {
	if s[i] != 0xed || i+2 >= len(s) || s[i+1] < 0xa0 || s[i+1] > 0xbf || s[i+2]&0xc0 != 0x80 {
		return 0, false
	}
	return 0xd000 | rune(s[i+1]&0x3f)<<6 | rune(s[i+2]&0x3f), true
}
