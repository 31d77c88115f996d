package contract

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openchrome/bench/harness/contract/jsregexp"
)

// maxJSONDepth bounds nesting, as encoding/json does.
const maxJSONDepth = 10000

// decodeJSON reads one JSON text as JSON.parse does: numbers are doubles, so
// that 1e400 is infinite; a lone surrogate keeps its value (encoding/json
// turns both into something else). Objects become Details, arrays []any.
func decodeJSON(data []byte) (any, error) {
	d := decoder{data: data}
	v, err := d.value(0)
	if err != nil {
		return nil, err
	}
	if d.space(); d.pos < len(d.data) {
		return nil, d.fault("unexpected text after the value")
	}
	return v, nil
}

type decoder struct {
	data []byte
	pos  int
}

func (d *decoder) fault(what string) error { return fmt.Errorf("byte %d: %s", d.pos, what) }

func (d *decoder) space() {
	for d.pos < len(d.data) {
		switch d.data[d.pos] {
		case ' ', '\t', '\n', '\r':
			d.pos++
		default:
			return
		}
	}
}

// next skips white space and returns the byte that follows, 0 at the end.
func (d *decoder) next() byte {
	d.space()
	if d.pos < len(d.data) {
		return d.data[d.pos]
	}
	return 0
}

func (d *decoder) value(depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, d.fault("nested too deep")
	}
	switch c := d.next(); {
	case c == '{':
		return d.object(depth)
	case c == '[':
		return d.array(depth)
	case c == '"':
		return d.str()
	case c == '-' || c >= '0' && c <= '9':
		return d.number()
	}
	switch {
	case d.word("null"):
		return nil, nil
	case d.word("true"):
		return true, nil
	case d.word("false"):
		return false, nil
	}
	return nil, d.fault("expected a JSON value")
}

func (d *decoder) word(w string) bool {
	if !bytes.HasPrefix(d.data[d.pos:], []byte(w)) {
		return false
	}
	d.pos += len(w)
	return true
}

func (d *decoder) object(depth int) (any, error) {
	o := Details{}
	d.pos++
	if d.next() == '}' {
		d.pos++
		return o, nil
	}
	for {
		if d.next() != '"' {
			return nil, d.fault("expected a key")
		}
		key, err := d.str()
		if err != nil {
			return nil, err
		}
		if d.next() != ':' {
			return nil, d.fault("expected a colon")
		}
		d.pos++
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		o = append(o, Detail{key, v})
		switch d.next() {
		case ',':
			d.pos++
		case '}':
			d.pos++
			return o, nil
		default:
			return nil, d.fault("expected a comma or the end of the object")
		}
	}
}

func (d *decoder) array(depth int) (any, error) {
	list := []any{}
	d.pos++
	if d.next() == ']' {
		d.pos++
		return list, nil
	}
	for {
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		switch d.next() {
		case ',':
			d.pos++
		case ']':
			d.pos++
			return list, nil
		default:
			return nil, d.fault("expected a comma or the end of the array")
		}
	}
}

func (d *decoder) number() (any, error) {
	start := d.pos
	digits := func() bool {
		from := d.pos
		for d.pos < len(d.data) && d.data[d.pos] >= '0' && d.data[d.pos] <= '9' {
			d.pos++
		}
		return d.pos > from
	}
	is := func(c byte) bool { return d.pos < len(d.data) && d.data[d.pos] == c }
	if is('-') {
		d.pos++
	}
	switch {
	case is('0'):
		d.pos++
	case !digits():
		return nil, d.fault("expected a digit")
	}
	if is('.') {
		d.pos++
		if !digits() {
			return nil, d.fault("expected a digit")
		}
	}
	if is('e') || is('E') {
		d.pos++
		if is('+') || is('-') {
			d.pos++
		}
		if !digits() {
			return nil, d.fault("expected a digit")
		}
	}
	f, err := strconv.ParseFloat(string(d.data[start:d.pos]), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // out of range: infinite, as in JavaScript
		return nil, d.fault(err.Error())
	}
	return f, nil
}

func (d *decoder) str() (string, error) {
	d.pos++
	start := d.pos
	for d.pos < len(d.data) {
		switch c := d.data[d.pos]; {
		case c == '"':
			s := string(d.data[start:d.pos])
			d.pos++
			if !utf8.ValidString(s) {
				s = strings.ToValidUTF8(s, "\ufffd")
			}
			return s, nil
		case c == '\\':
			return d.escaped(start)
		case c < ' ':
			return "", d.fault("control character in a string")
		default:
			d.pos++
		}
	}
	return "", d.fault("unterminated string")
}

// escaped reads the rest of a string that began at start and holds escapes.
func (d *decoder) escaped(start int) (string, error) {
	b := append([]byte(nil), d.data[start:d.pos]...)
	for d.pos < len(d.data) {
		c := d.data[d.pos]
		switch {
		case c == '"':
			d.pos++
			return joinSurrogates(b), nil
		case c < ' ':
			return "", d.fault("control character in a string")
		case c != '\\':
			r, size := utf8.DecodeRune(d.data[d.pos:])
			b = utf8.AppendRune(b, r)
			d.pos += size
			continue
		}
		if d.pos+1 >= len(d.data) {
			break
		}
		c = d.data[d.pos+1]
		d.pos += 2
		if c == 'u' {
			v, err := strconv.ParseUint(string(d.data[d.pos:min(len(d.data), d.pos+4)]), 16, 16)
			if err != nil || d.pos+4 > len(d.data) || d.data[d.pos] == '+' {
				return "", d.fault("expected four hexadecimal digits")
			}
			d.pos += 4
			b = jsregexp.AppendRune(b, rune(v))
			continue
		}
		i := strings.IndexByte(`"\/bfnrt`, c)
		if i < 0 {
			d.pos--
			return "", d.fault("unknown escape in a string")
		}
		b = append(b, "\"\\/\b\f\n\r\t"[i])
	}
	return "", d.fault("unterminated string")
}

// joinSurrogates makes one character of each pair of surrogates that were
// escaped one by one.
func joinSurrogates(b []byte) string {
	s := string(b)
	if utf8.ValidString(s) {
		return s
	}
	return jsregexp.String(jsregexp.Units(nil, s))
}
