package jsonfile

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strconv"

	"github.com/openchrome/bench/harness/internal/text/display"
)

// Forms of numbers that other languages allow and JSON does not.
var (
	leadingZero = regexp.MustCompile(`^(-?)0+([0-9])`)
	hexadecimal = regexp.MustCompile(`^-?0[xX][0-9a-fA-F]{1,16}$`)
)

// number reads a number that begins at pos, and returns it in the form of JSON. A number
// with a leading zero or in hexadecimal is a fault, but it still returns the value.
func (s *scanner) number(n *Node) string {
	start := s.pos
	for isWord(s.peek()) || s.peek() == '.' || s.peek() == '+' || s.peek() == '-' || s.peek() == '_' {
		s.pos++
	}
	word := s.data[start:s.pos]
	if json.Valid([]byte(word)) {
		return word
	}
	text, why := leadingZero.ReplaceAllString(word, "$1$2"), "it has a leading zero"
	if hexadecimal.MatchString(word) {
		v, _ := new(big.Int).SetString(word, 0)
		text, why = v.String(), "it is hexadecimal"
	}
	if !json.Valid([]byte(text)) {
		s.stuck = true
		s.file.Fault(start, n.Pointer(), "syntax: %s is not a JSON number", display.Short(word))
		return ""
	}
	s.file.Fault(start, n.Pointer(), "syntax: %s is not a JSON number: %s; write %s", display.Short(word), why, display.Short(text))
	return text
}

// isWord reports whether c is an ASCII letter or digit.
func isWord(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
}

// AppendNumber appends f as JavaScript's String writes it.
func AppendNumber(b []byte, f float64) []byte {
	abs := math.Abs(f)
	switch {
	case f == 0:
		return append(b, '0') // also for -0
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	case abs >= 1e-6 && abs < 1e21:
		return strconv.AppendFloat(b, f, 'f', -1, 64)
	}
	b = strconv.AppendFloat(b, f, 'e', -1, 64)
	if n := len(b); b[n-2] == '0' { // JavaScript writes e-7 and not e-07
		b = append(b[:n-2], b[n-1])
	}
	return b
}
