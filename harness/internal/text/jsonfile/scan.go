package jsonfile

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// How deep values may be nested. A [Loose] file has the limit of encoding/json.
const (
	maxDepth      = 100
	maxLooseDepth = 10_000
)

// scanner reads one value from data. After the first syntax error, it reads nothing more.
type scanner struct {
	file  *File
	data  string
	begin int               // where in data dec begins
	dec   *jsontext.Decoder // accepts what is no syntax error
	pos   int               // the end of the last token, or the place of a syntax error
	unit  string            // what data is: a file or a line
	most  int               // see maxDepth
}

func (f *File) scan(begin, end int, unit string) *Node {
	s := &scanner{file: f, data: f.data[:end], begin: begin, unit: unit, most: maxDepth}
	if f.loose {
		s.most = maxLooseDepth
	}
	s.dec = jsontext.NewDecoder(bytes.NewBufferString(f.data[begin:end]),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	n := &Node{}
	ok := s.value(n)
	if rest := s.space(s.end()); ok && rest < end {
		f.Fault(rest, "", "syntax: more follows after the end of the value, want one value per %s; remove it", unit)
	}
	if !ok && !n.Cut {
		return nil
	}
	return n
}

func (s *scanner) end() int { return s.begin + int(s.dec.InputOffset()) }

// space returns the place of the first character at or after pos that is no white space.
func (s *scanner) space(pos int) int {
	return len(s.data) - len(strings.TrimLeft(s.data[pos:], " \t\r\n"))
}

func (s *scanner) next() int {
	pos := s.space(s.end())
	if pos < len(s.data) && strings.Contains(",:", s.data[pos:pos+1]) {
		return s.space(pos + 1)
	}
	return pos
}

var kinds = map[jsontext.Kind]Kind{ // Null for null, and for no value
	't': Bool, 'f': Bool, '0': Number, '"': String, '[': Array, '{': Object,
}

// What people write in a literal, and in a number.
const (
	inLiteral = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	inNumber  = inLiteral + "+-._"
)

// value reads a value into n, and reports whether it is whole.
func (s *scanner) value(n *Node) (whole bool) {
	n.Offset = s.next()
	kind := s.dec.PeekKind()
	n.Kind = kinds[kind]
	switch {
	case n.Kind >= Array && s.dec.StackDepth() == s.most:
		s.file.Fault(n.Offset, n.Pointer(), "nested deeper than %d levels", s.most)
	case n.Kind >= Array:
		whole = s.token() && s.children(n)
		n.Cut = !whole
	case n.Kind == String:
		whole = s.token()
		n.Text = s.str(n, n.Offset)
	default:
		set := inLiteral
		if n.Kind == Number {
			set = inNumber
		}
		rest := s.data[n.Offset:]
		n.Text = rest[:len(rest)-len(strings.TrimLeft(rest, set))]
		if kind != 0 && n.Text != "" && !jsontext.Value(n.Text).IsValid() {
			s.file.Fault(n.Offset, n.Pointer(), "syntax: %s is not a JSON value", display.Short(n.Text))
			return false
		}
		whole = s.token()
	}
	n.End = s.end()
	return whole
}

// children reads the object or array n up to its end, and reports whether it is whole.
func (s *scanner) children(n *Node) bool {
	seen := make(map[string]bool)
	for kind := s.dec.PeekKind(); kind != '}' && kind != ']'; kind = s.dec.PeekKind() {
		v := &Node{up: n, place: len(n.Items)}
		if n.Kind == Object {
			v.place = s.next()
			ok := s.token()
			if kind == '"' {
				v.Key, v.keyEnd = s.str(n, v.place), s.pos
			}
			if !ok {
				return false
			}
			if seen[v.Key] && !s.file.loose {
				s.file.Fault(v.place, v.Pointer(), "duplicate key %s; keep one of them", display.Quote(v.Key))
			}
			seen[v.Key] = true
		}
		whole := s.value(v)
		if whole || v.Cut {
			n.Items = append(n.Items, v)
		}
		if !whole {
			return false
		}
	}
	return s.token()
}

// token reads a token, and reports whether there is one. If there is none, it adds a fault at
// the first byte that is not allowed.
func (s *scanner) token() bool {
	next := s.next()
	_, err := s.dec.ReadToken()
	s.pos = s.end()
	fault, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return true
	}
	s.pos = s.begin + int(fault.ByteOffset)
	rest, why := s.data[s.pos:], fault.Err.Error()
	inside := s.pos > next // not at the beginning of the token
	kind, length := s.dec.StackIndex(s.dec.StackDepth())
	ends := errors.Is(err, io.ErrUnexpectedEOF)
	if ends {
		why = "the " + s.unit + " ends here"
	}
	switch {
	case (inside || ends && next < len(s.data)) && s.data[next] != '"':
		s.pos = next
	case inside && strings.HasPrefix(rest, `\u`):
		s.pos += len(`\u`)
	case inside && strings.HasPrefix(rest, `\`):
		s.pos++
	case ends:
		s.pos = len(s.data)
	case strings.HasPrefix(rest, "//"), strings.HasPrefix(rest, "/*"):
		why = "a comment, which JSON does not have"
	case strings.HasPrefix(rest, "'"):
		why = `strings stand in "`
	case strings.HasPrefix(rest, ",") && length > 0 && (kind == '[' || length%2 == 0): // after an item
		s.pos, why = next, "a comma stands before this; remove it"
	}
	s.file.Fault(s.pos, string(fault.JSONPointer), "syntax: %s", why)
	return false
}

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
