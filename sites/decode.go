package sites

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A decoder takes JSON apart and notes every fault with its place. Values are
// handed on as nodes, so that a wrong one does not hide those after it.
type decoder struct {
	name   string // of the file, in errors
	data   []byte
	faults []error
}

// A node is a JSON value and where it begins.
type node struct {
	raw json.RawMessage
	off int
}

// A member is one key of an object with its value.
type member struct {
	key string
	at  int
	val node
}

// fault notes msg as "file:line:col: msg". Lines and columns count from 1,
// columns in bytes.
func (d *decoder) fault(off int, format string, args ...any) {
	before := d.data[:min(off, len(d.data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	col := len(before) - bytes.LastIndexByte(before, '\n')
	d.faults = append(d.faults, fmt.Errorf("%s:%d:%d: %s", d.name, line, col, fmt.Sprintf(format, args...)))
}

// root checks that data is one JSON value in UTF-8 and returns it.
func (d *decoder) root() (node, bool) {
	if !utf8.Valid(d.data) {
		off := 0
		for rest := d.data; ; {
			r, n := utf8.DecodeRune(rest)
			if r == utf8.RuneError && n == 1 {
				break
			}
			off, rest = off+n, rest[n:]
		}
		d.fault(off, "not UTF-8; save the file as UTF-8")
		return node{}, false
	}
	var raw json.RawMessage
	if err := json.Unmarshal(d.data, &raw); err != nil {
		off := len(d.data)
		if se, ok := errors.AsType[*json.SyntaxError](err); ok {
			off = max(int(se.Offset)-1, 0)
		}
		d.fault(off, "not JSON: %v", err)
		return node{}, false
	}
	off := skipTo(d.data, 0)
	return node{d.data[off:], off}, true
}

// skipTo returns the place of the next token at or after off.
func skipTo(data []byte, off int) int {
	for off < len(data) && strings.IndexByte(" \t\r\n,:", data[off]) >= 0 {
		off++
	}
	return off
}

// array returns the elements of n.
func (d *decoder) array(n node, what string) []node {
	dec, base, ok := d.open(n, '[', what, "a list in [ ]")
	if !ok {
		return nil
	}
	var out []node
	for dec.More() {
		out = append(out, d.next(dec, base))
	}
	return out
}

// object returns the members of n, in order, less those with a key that came
// before.
func (d *decoder) object(n node, what string) []member {
	dec, base, ok := d.open(n, '{', what, "an object in { }")
	if !ok {
		return nil
	}
	var out []member
	seen := make(map[string]bool)
	for dec.More() {
		at := skipTo(d.data, base+int(dec.InputOffset()))
		t, err := dec.Token()
		if err != nil {
			return out // cannot be: root checked the syntax
		}
		m := member{key: t.(string), at: at, val: d.next(dec, base)}
		if seen[m.key] {
			d.fault(at, "%q is given twice; remove one", m.key)
			continue
		}
		seen[m.key] = true
		out = append(out, m)
	}
	return out
}

// members is object for one that must not be empty.
func (d *decoder) members(n node, what string) []member {
	before := len(d.faults)
	out := d.object(n, what)
	if len(out) == 0 && len(d.faults) == before {
		d.fault(n.off, "%s is empty; name something or leave the key out", what)
	}
	return out
}

// open returns a decoder inside the list or object n, and the place in the
// file where that decoder's input begins.
func (d *decoder) open(n node, delim json.Delim, what, want string) (*json.Decoder, int, bool) {
	if n.raw[0] != byte(delim) {
		d.fault(n.off, "%s is %s; write %s", what, kind(n), want)
		return nil, 0, false
	}
	dec := json.NewDecoder(bytes.NewReader(n.raw))
	dec.Token()
	return dec, n.off, true
}

// next reads the value that follows.
func (d *decoder) next(dec *json.Decoder, base int) node {
	off := skipTo(d.data, base+int(dec.InputOffset()))
	var raw json.RawMessage
	dec.Decode(&raw) // cannot fail: root checked the syntax
	return node{raw, off}
}

func (d *decoder) str(n node, what string) string {
	var s string
	if n.raw[0] != '"' || json.Unmarshal(n.raw, &s) != nil {
		d.fault(n.off, "%s is %s; write a string in quotes", what, kind(n))
	}
	return s
}

func (d *decoder) integer(n node, what string, low, high int) int {
	var i int
	if err := json.Unmarshal(n.raw, &i); err != nil || n.raw[0] == 'n' || i < low || i > high {
		d.fault(n.off, "%s is %s; write a whole number from %d to %d", what, kind(n), low, high)
		return low
	}
	return i
}

// strs returns the strings of a list that is not empty.
func (d *decoder) strs(n node, what string) []string {
	before := len(d.faults)
	var out []string
	for _, e := range d.array(n, what) {
		out = append(out, d.str(e, what+" element"))
	}
	if len(out) == 0 && len(d.faults) == before {
		d.fault(n.off, "%s is empty; name something or leave the key out", what)
	}
	return out
}

func kind(n node) string {
	switch n.raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	if len(n.raw) > 20 {
		return "a number"
	}
	return string(n.raw)
}
