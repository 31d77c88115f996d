package phash

// base64Values maps the standard and the URL-safe alphabet to 6 bits, '=' to
// base64End, all else to base64Skip.
var base64Values = func() (t [256]int8) {
	for i := range t {
		t[i] = base64Skip
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i, c := range []byte(alphabet) {
		t[c] = int8(i)
	}
	t['-'], t['_'], t['='] = 62, 63, base64End
	return t
}()

const (
	base64Skip = -1
	base64End  = -2
)

// DecodeBase64 decodes s by the rules of Node's Buffer.from(s, "base64"), which
// never refuses: both alphabets may be mixed, padding may be missing, any other
// character is skipped, the first '=' ends the data, and bits that make up no
// whole byte are dropped. A character beyond U+00FF counts by the low byte of
// each of its UTF-16 units, as in Node.
func DecodeBase64(s string) []byte {
	out := make([]byte, 0, len(s)/4*3+2)
	var acc uint32 // the last bits read
	var have uint  // how many of them are not written yet
	add := func(c byte) (more bool) {
		v := base64Values[c]
		if v < 0 {
			return v != base64End
		}
		acc, have = acc<<6|uint32(v), have+6
		if have >= 8 {
			have -= 8
			out = append(out, byte(acc>>have))
		}
		return true
	}
	for _, r := range s {
		if r > 0xffff {
			r -= 0x10000
			if !add(byte(r >> 10)) { // low byte of the high surrogate
				break
			}
		}
		if !add(byte(r)) {
			break
		}
	}
	return out
}
