package jsonfile

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// escapes matches the escapes of a string; its group is half of a surrogate pair.
var escapes = regexp.MustCompile(`\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)`)

// str returns the text of the string that begins at start and is the last token. Invalid UTF-8
// is reported once per string, also before a syntax error. n is the place of faults.
func (s *scanner) str(n *Node, start int) string {
	raw := s.data[start:s.pos]
	for i, r := range raw {
		if r == utf8.RuneError && !s.file.loose && !strings.HasPrefix(raw[i:], "\uFFFD") {
			s.file.Fault(start+i, n.Pointer(), "byte 0x%02x is not UTF-8; save the file as UTF-8", raw[i])
			break
		}
	}
	if text := strings.Trim(raw, `"`); !strings.Contains(text, `\`) && utf8.ValidString(text) {
		return text
	}
	var text []byte
	done := 1
	for _, m := range escapes.FindAllStringSubmatchIndex(raw, -1) {
		if m[2] < 0 {
			continue
		}
		if !s.file.Halves {
			s.file.Fault(start+m[0], n.Pointer(), "%s is half of a surrogate pair; write the character itself", raw[m[0]:m[1]])
		}
		// The half is encoded as three bytes.
		r, _ := strconv.ParseUint(raw[m[2]+1:m[3]], 16, 16)
		text, _ = jsontext.AppendUnquote(text, `"`+raw[done:m[0]]+`"`)
		text = append(text, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
		done = m[1]
	}
	text, _ = jsontext.AppendUnquote(text, `"`+raw[done:]) // it has its fault, if it needs one
	return string(text)
}
