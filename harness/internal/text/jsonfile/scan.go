package jsonfile

import (
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// How deep values may be nested. A [Loose] file has the limit of encoding/json.
const (
	maxDepth      = 100
	maxLooseDepth = 10_000
)

// maxNodes bounds the values of a file or line that is not [Loose]. A file of [MaxSize] cannot
// have so many.
const maxNodes = 1_000_000

// scanner reads one value (RFC 8259) from data. Its offsets are offsets in the file. After
// the first syntax error, every method returns at once.
type scanner struct {
	file  *File
	data  string
	pos   int
	unit  string // what data is: a file or a line
	stuck bool
	depth int    // nesting depth of the value that is being read
	most  int    // see maxDepth
	nodes int    // values so far
	slab  []Node // nodes that are allocated but not used yet
}

func (f *File) scan(begin, end int, unit string) *Node {
	s := &scanner{file: f, data: f.data[:end], pos: begin, unit: unit, most: maxDepth}
	if f.loose {
		s.most = maxLooseDepth
	}
	s.space()
	n := s.node(nil)
	ok := s.value(n)
	s.space()
	if !s.stuck && s.pos < len(s.data) {
		f.Fault(s.pos, "", "syntax: %s after the end of the value, want one value per %s; remove it", s.here(), unit)
	}
	if !ok {
		return nil
	}
	return n
}

// node returns a new node. It allocates many at a time.
func (s *scanner) node(up *Node) *Node {
	if len(s.slab) == 0 {
		s.slab = make([]Node, min(4+(len(s.data)-s.pos)/24, 128))
	}
	n := &s.slab[0]
	s.slab = s.slab[1:]
	n.up = up
	return n
}

// syntax adds a fault: the byte at pos is not allowed there.
func (s *scanner) syntax(n *Node, want string) {
	if s.stuck {
		return
	}
	s.stuck = true
	s.file.Fault(s.pos, n.Pointer(), "syntax: %s, want %s", s.here(), want)
}

// here returns the text at pos for a message: a word, or one character.
func (s *scanner) here() string {
	rest := s.data[s.pos:]
	if len(rest) == 0 {
		return "the " + s.unit + " ends here"
	}
	if word := s.word(); word != "" {
		return "unexpected " + display.Quote(word)
	}
	r, n := utf8.DecodeRuneInString(rest)
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
	for {
		switch s.peek() {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek returns the byte at pos, 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

// value reads the value at pos into n, and reports whether there is one.
func (s *scanner) value(n *Node) bool {
	n.Offset = s.pos
	s.nodes++
	switch c := s.peek(); {
	case s.nodes > maxNodes && !s.file.loose:
		s.stuck = true
		s.file.Fault(s.pos, n.Pointer(), "is one of more than %d values; make the %s smaller", maxNodes, s.unit)
		return false
	case c == '{' || c == '[':
		if s.depth == s.most {
			s.stuck = true
			s.file.Fault(s.pos, n.Pointer(), "nested deeper than %d levels", s.most)
			return false
		}
		if n.Kind = Object; c == '[' {
			n.Kind = Array
		}
		s.pos++
		s.depth++
		s.children(n)
		s.depth--
	case c == '"':
		n.Kind = String
		n.Text = s.str(n)
	case c == '-' || c >= '0' && c <= '9':
		n.Kind = Number
		n.Text = s.number(n)
	default:
		s.literal(n)
	}
	n.End = s.pos
	n.Cut = s.stuck
	return !s.stuck || n.Kind == Object || n.Kind == Array
}

// children reads the text between the brackets of an object or array.
func (s *scanner) children(n *Node) {
	closing, child := byte('}'), `a key in " or "}"`
	if n.Kind == Array {
		closing, child = ']', `a value or "]"`
	}
	var seen map[string]bool
	if n.Kind == Object && !s.file.loose {
		seen = make(map[string]bool)
	}
	s.space()
	for s.peek() != closing {
		if s.pos == len(s.data) || n.Kind == Object && s.peek() != '"' {
			s.syntax(n, child)
			return
		}
		v := s.node(n)
		v.place = len(n.Items)
		if (n.Kind == Array || s.key(v, seen)) && s.value(v) {
			if n.Items == nil {
				n.Items = make([]*Node, 0, 4)
			}
			n.Items = append(n.Items, v)
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
				s.file.Fault(s.pos, n.Pointer(), "syntax: %q after a comma; remove the comma before it", closing)
			}
		case s.peek() == '"' && n.Kind == Object:
			s.file.Fault(s.pos, n.Pointer(), "syntax: a comma is missing before this key")
		default:
			s.syntax(n, fmt.Sprintf(`"," or %q`, string(closing)))
			return
		}
	}
	s.pos++
}

// key reads the key of v, up to the beginning of the value. seen are the object's keys so
// far; nil if duplicates are allowed.
func (s *scanner) key(v *Node, seen map[string]bool) bool {
	v.place = s.pos
	v.Key = s.str(v.up)
	s.space()
	if !s.stuck && s.peek() != ':' {
		s.syntax(v, `":" and a value`)
	}
	if s.stuck {
		return false
	}
	if seen[v.Key] {
		s.file.Fault(v.place, v.Pointer(), "duplicate key %s; keep one of them", display.Quote(v.Key))
	}
	if seen != nil {
		seen[v.Key] = true
	}
	s.pos++
	s.space()
	return true
}

func (s *scanner) literal(n *Node) {
	switch word := s.word(); word {
	case "true", "false":
		n.Kind = Bool
		fallthrough
	case "null":
		n.Text = word
		s.pos += len(word)
	default:
		s.syntax(n, "a JSON value")
	}
}

// word returns the ASCII letters and digits at pos.
func (s *scanner) word() string {
	end := s.pos
	for end < len(s.data) && isWord(s.data[end]) {
		end++
	}
	return s.data[s.pos:end]
}
