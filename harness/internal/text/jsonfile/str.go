package jsonfile

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string whose opening quote is at pos. Invalid UTF-8 is
// reported once per string. n is the place of faults.
func (s *scanner) str(n *Node) string {
	s.pos++
	end := s.pos
	for end < len(s.data) && s.data[end] >= ' ' && s.data[end] != '"' && s.data[end] != '\\' {
		end++
	}
	var text []byte
	if plain := s.data[s.pos:end]; utf8.ValidString(plain) {
		if s.pos = end; s.peek() == '"' {
			s.pos++
			return plain
		}
		text = []byte(plain)
	}
	reported := s.file.loose
	for !s.stuck {
		switch c := s.peek(); {
		case s.pos == len(s.data), c == '\n':
			s.syntax(n, `a " that ends the string`)
		case c == '"':
			s.pos++
			return string(text)
		case c == '\\':
			text = appendRune(text, s.escape(n))
		case c < ' ':
			s.syntax(n, `an escape such as \t for a control character`)
		default:
			r, size := utf8.DecodeRuneInString(s.data[s.pos:])
			if r == utf8.RuneError && size == 1 && !reported {
				reported = true
				s.file.Fault(s.pos, n.Pointer(), "byte 0x%02x is not UTF-8; save the file as UTF-8", c)
			}
			text = utf8.AppendRune(text, r)
			s.pos += size
		}
	}
	return string(text)
}

// escape reads an escape whose backslash is at pos.
func (s *scanner) escape(n *Node) rune {
	start := s.pos
	s.pos++
	c := strings.IndexByte(`"\/bfnrtu`, s.peek())
	if c < 0 {
		s.syntax(n, `one of \" \\ \/ \b \f \n \r \t \uXXXX`)
		return 0
	}
	s.pos++
	if c == len(escapes) {
		return s.unicode(n, start)
	}
	return rune(escapes[c])
}

const escapes = "\"\\/\b\f\n\r\t"

// unicode reads the digits of a \u escape, and the second half of a surrogate
// pair.
func (s *scanner) unicode(n *Node, start int) rune {
	r, ok := s.hex(s.pos)
	if !ok {
		s.syntax(n, `four hexadecimal digits after \u`)
		return 0
	}
	s.pos += 4
	if !utf16.IsSurrogate(r) {
		return r
	}
	if s.pos+1 < len(s.data) && s.data[s.pos] == '\\' && s.data[s.pos+1] == 'u' {
		if low, ok := s.hex(s.pos + 2); ok {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				s.pos += 6
				return full
			}
		}
	}
	if !s.file.Halves {
		s.file.Fault(start, n.Pointer(), "%s is half of a surrogate pair; write the character itself", s.data[start:s.pos])
	}
	return r
}

// appendRune appends r. It encodes a surrogate as three bytes.
func appendRune(b []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(b, r)
}

func (s *scanner) hex(at int) (rune, bool) {
	n, err := strconv.ParseUint(s.data[at:min(at+4, len(s.data))], 16, 16)
	return rune(n), err == nil && at+4 <= len(s.data)
}
