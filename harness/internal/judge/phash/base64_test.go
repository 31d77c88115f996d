package phash

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/internal/need"
)

// What is expected here was answered by Node 20.
func TestDecodeBase64(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"whole", "QUJD", "ABC"},
		{"padded", "QUJDRA==", "ABCD"},
		{"not padded", "QUJDRA", "ABCD"},
		{"half padded", "QUJDRA=", "ABCD"},
		{"padded too much", "QUJD====", "ABC"},
		{"padding only", "==", ""},
		{"padding ends the data", "QUJDRA==QUJD", "ABCD"},
		{"padding inside a byte", "QU=JD", "A"},
		{"padding first", "=QUJD", ""},
		{"one character", "Q", ""},
		{"one character left", "QUJDR", "ABC"},
		{"stray bits", "QUJDRB==", "ABCD"},
		{"both alphabets", "+/-_", "\xfb\xff\xbf"},
		{"white space", " Q U\r\nJ\tD\x00", "ABC"},
		{"junk", "Q*U?J.Dé", "ABC"},
		{"text", "not base64 at all", "\x9e\x8b\x5b\x6a\xc7\xba\xe1\xab\x5a\x96"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			need.Equal(t, "", tt.want, string(DecodeBase64(tt.in)))
		})
	}
}

// Valid base64 decodes as everywhere, whatever is strewn in.
func FuzzDecodeBase64(f *testing.F) {
	f.Add("", " ")
	f.Add("\x00\xff\x10", "*\n")
	f.Fuzz(func(t *testing.T, data, junk string) {
		junk = strings.Map(func(r rune) rune {
			if strings.ContainsRune("+/-_=", r) || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
				return -1
			}
			return r
		}, junk)
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			s := strings.Join(strings.Split(enc.EncodeToString([]byte(data)), ""), junk)
			need.Is(t, fmt.Sprintf("DecodeBase64(%q)", s), data, string(DecodeBase64(s)))
		}
		if got := DecodeBase64(data); len(got) > len(data) {
			t.Errorf("%d bytes from a string of %d", len(got), len(data))
		}
	})
}
