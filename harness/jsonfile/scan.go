package jsonfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep values may be nested.
const maxDepth = 100

// scanner reads one value (RFC 8259) out of data, whose offsets are those of
// the file. After the first syntax error it is stuck: every method returns at
// once.
type scanner struct {
	file  *File
	data  []byte
	pos   int
	unit  string // what ends with data: file or line
	stuck bool
}

func (f *File) scan(begin, end int, unit string) *Node {
	s := &scanner{file: f, data: f.data[:end], pos: begin, unit: unit}
	s.space()
	n := s.value("", 0)
	s.space()
	if !s.stuck && s.pos < len(s.data) {
		f.Fault(s.pos, "", "syntax: %s after the end of the value, want one value a %s; remove it", s.here(), unit)
	}
	return n
}

// syntax adds the fault that the byte at pos cannot stand there.
func (s *scanner) syntax(pointer, want string) {
	if s.stuck {
		return
	}
	s.stuck = true
	s.file.Fault(s.pos, pointer, "syntax: %s, want %s", s.here(), want)
}

// here names what stands at pos: a word, else one character.
func (s *scanner) here() string {
	rest := s.data[s.pos:]
	if len(rest) == 0 {
		return "the " + s.unit + " ends here"
	}
	n := 0
	for n < len(rest) && (rest[n]|0x20 >= 'a' && rest[n]|0x20 <= 'z' || rest[n] >= '0' && rest[n] <= '9') {
		n++
	}
	if n > 0 {
		return "unexpected " + Quote(string(rest[:n]))
	}
	r, n := utf8.DecodeRune(rest)
	switch {
	case r == utf8.RuneError && n == 1:
		return fmt.Sprintf("byte 0x%02x is not UTF-8", rest[0])
	case r == '/' && len(rest) > 1 && (rest[1] == '/' || rest[1] == '*'):
		return "a comment, which JSON does not have"
	case r == '\'':
		return `unexpected ' (strings stand in ")`
	}
	return "unexpected " + strconv.QuoteRune(r)
}

func (s *scanner) space() {
	s.skip(" \t\r\n")
}

// peek returns the byte at pos, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// value reads a value that begins at pos; nil when none does.
func (s *scanner) value(pointer string, depth int) *Node {
	n := &Node{Offset: s.pos, Pointer: pointer}
	switch c := s.peek(); {
	case c == '{' || c == '[':
		if depth == maxDepth {
			s.stuck = true
			s.file.Fault(s.pos, pointer, "nested deeper than %d levels", maxDepth)
			return nil
		}
		if n.Kind = Object; c == '[' {
			n.Kind = Array
		}
		s.pos++
		s.children(n, depth+1)
	case c == '"':
		n.Kind = String
		n.Text = s.str(pointer)
	case c == '-' || c >= '0' && c <= '9':
		n.Kind = Number
		n.Text = s.number(pointer)
	default:
		s.literal(n)
	}
	n.End = s.pos
	n.Cut = s.stuck
	if s.stuck && n.Kind != Object && n.Kind != Array {
		return nil
	}
	return n
}

// children reads what stands between the brackets of an object or array.
func (s *scanner) children(n *Node, depth int) {
	closing, child := byte('}'), `a key in " or "}"`
	if n.Kind == Array {
		closing, child = ']', `a value or "]"`
	}
	seen := make(map[string]bool)
	s.space()
	for s.peek() != closing {
		if n.Kind == Array {
			if s.pos == len(s.data) {
				s.syntax(n.Pointer, child)
				return
			}
			if v := s.value(n.Pointer+"/"+strconv.Itoa(len(n.Items)), depth); v != nil {
				n.Items = append(n.Items, v)
			}
		} else {
			if s.peek() != '"' {
				s.syntax(n.Pointer, child)
				return
			}
			s.member(n, seen, depth)
		}
		s.space()
		switch {
		case s.stuck:
			return
		case s.peek() == closing:
		case s.peek() == ',':
			s.pos++
			s.space()
			if s.peek() == closing {
				s.file.Fault(s.pos, n.Pointer, "syntax: %q after a comma; remove the comma before it", closing)
			}
		case s.peek() == '"' && n.Kind == Object:
			s.file.Fault(s.pos, n.Pointer, "syntax: a comma is missing before this key")
		default:
			s.syntax(n.Pointer, fmt.Sprintf(`"," or %q`, string(closing)))
			return
		}
	}
	s.pos++
}

func (s *scanner) member(n *Node, seen map[string]bool, depth int) {
	m := Member{Offset: s.pos}
	m.Key = s.str(n.Pointer)
	pointer := Join(n.Pointer, m.Key)
	s.space()
	if !s.stuck && s.peek() != ':' {
		s.syntax(pointer, `":" and a value`)
	}
	if s.stuck {
		return
	}
	if seen[m.Key] {
		s.file.Fault(m.Offset, pointer, "duplicate key %s; keep one of them", Quote(m.Key))
	}
	seen[m.Key] = true
	s.pos++
	s.space()
	if m.Value = s.value(pointer, depth); m.Value != nil {
		n.Members = append(n.Members, m)
	}
}

func (s *scanner) literal(n *Node) {
	for _, word := range [...]string{"null", "true", "false"} {
		end := s.pos + len(word)
		if end > len(s.data) || string(s.data[s.pos:end]) != word {
			continue
		}
		if end == len(s.data) || strings.IndexByte(" \t\r\n,]}", s.data[end]) >= 0 {
			if word != "null" {
				n.Kind = Bool
			}
			n.Text, s.pos = word, end
			return
		}
	}
	s.syntax(n.Pointer, "a JSON value")
}
