package jsonfile

import (
	"cmp"
	"math/big"
	"regexp"
	"strings"

	"github.com/openchrome/bench/harness/display"
)

// What other languages take for a number, and JSON does not.
var (
	leadingZero = regexp.MustCompile(`^(-?)0+([0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)$`)
	hexadecimal = regexp.MustCompile(`^-?0[xX][0-9a-fA-F]{1,16}$`)
)

// number reads a number that begins at pos, and returns its text as JSON has it:
// one with a leading zero or in hexadecimal is a fault, but its value is known.
func (s *scanner) number(n *Node) string {
	start := s.pos
	s.skip("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.+-")
	word := s.data[start:s.pos]
	s.pos = start
	want := s.decimal()
	if want == "" && s.pos == start+len(word) {
		return word
	}
	at := s.pos
	s.pos = start + len(word)
	if parts := leadingZero.FindStringSubmatch(word); parts != nil {
		text := parts[1] + parts[2]
		s.file.Fault(start, n.Pointer(), "syntax: %s is no JSON number: it has a leading zero; write %s", display.VisibleTo(word, 60), display.VisibleTo(text, 60))
		return text
	}
	if hexadecimal.MatchString(word) {
		v, _ := new(big.Int).SetString(word, 0)
		s.file.Fault(start, n.Pointer(), "syntax: %s is no JSON number: it is hexadecimal; write %s", word, v)
		return v.String()
	}
	s.pos = at
	s.syntax(n, cmp.Or(want, "the end of the number"))
	return ""
}

func (s *scanner) skip(chars string) {
	for s.pos < len(s.data) && strings.IndexByte(chars, s.data[s.pos]) >= 0 {
		s.pos++
	}
}

// decimal goes to the end of a number of RFC 8259, or to where something else,
// which it returns, would have to stand.
func (s *scanner) decimal() (want string) {
	digits := func() bool {
		start := s.pos
		for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
			s.pos++
		}
		return s.pos > start
	}
	if s.peek() == '-' {
		s.pos++
	}
	if s.peek() == '0' {
		s.pos++ // no digit may follow
	} else if !digits() {
		return "a digit"
	}
	if s.peek() == '.' {
		s.pos++
		if !digits() {
			return "a digit"
		}
	}
	if s.peek()|0x20 == 'e' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if !digits() {
			return "a digit"
		}
	}
	return ""
}
