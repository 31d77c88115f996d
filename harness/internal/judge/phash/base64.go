package phash

import (
	"encoding/base64"
	"strings"
)

// DecodeBase64 decodes s like Node's Buffer.from(s, "base64"), which accepts any text. Both
// alphabets may be mixed and padding may be missing. The first '=' ends the data. All other
// characters are skipped, and bits that do not fill a byte are dropped.
func DecodeBase64(s string) []byte {
	s, _, _ = strings.Cut(s, "=")
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '+', r == '/':
			return r
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		}
		return -1
	}, s)
	if len(s)%4 == 1 {
		s = s[:len(s)-1]
	}
	data, _ := base64.RawStdEncoding.DecodeString(s) // cannot fail after this cleaning
	return data
}
