package jsregexp

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// set holds ranges of code units: first, last, first, last and so on.
type set []rune

func (s set) has(c rune) bool {
	for i := 0; i+1 < len(s); i += 2 {
		if s[i] <= c && c <= s[i+1] {
			return true
		}
	}
	return false
}

// complement needs the ranges in order, and not adjacent.
func (s set) complement() (out set) {
	next := rune(0)
	for i := 0; i+1 < len(s); i += 2 {
		out = append(out, next, s[i]-1)
		next = s[i+1] + 1
	}
	return append(out, next, maxUnit)
}

func (s set) single() bool { return len(s) == 2 && s[0] == s[1] }

var (
	lineEnds = set{'\n', '\n', '\r', '\r', 0x2028, 0x2029}
	digits   = set{'0', '9'}
	words    = set{'0', '9', 'A', 'Z', '_', '_', 'a', 'z'}
	spaces   = set{'\t', '\r', ' ', ' ', 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029,
		0x202f, 0x202f, 0x205f, 0x205f, 0x3000, 0x3000, 0xfeff, 0xfeff}

	// escapes are the sets that a backslash and a letter stand for.
	escapes = map[rune]set{
		'd': digits, 'D': digits.complement(),
		's': spaces, 'S': spaces.complement(),
		'w': words, 'W': words.complement(),
		'f': {'\f', '\f'}, 'n': {'\n', '\n'}, 'r': {'\r', '\r'}, 't': {'\t', '\t'}, 'v': {'\v', '\v'},
	}
)

// IsSpace reports whether \s of a JavaScript pattern matches r, and whether
// String.prototype.trim removes it.
func IsSpace(r rune) bool { return spaces.has(r) }

// reference reads a reference to a group; it returns nil if there is none.
func (p *parser) reference() node {
	start, dir := p.pos, p.dir
	p.pos++
	if p.named && p.skip("k") {
		if !p.skip("<") {
			panic("Invalid named reference")
		}
		name := p.groupName()
		p.takers++
		return func(next matcher) matcher {
			n, ok := p.names[name] // all names are known now
			if !ok {
				panic("Invalid named capture referenced")
			}
			return again(2*n, dir)(next)
		}
	}
	if n, _ := p.number(); n >= 1 && n <= p.total && p.src[start+1] != '0' {
		p.takers++
		return again(2*(n-1), dir)
	}
	p.pos = start
	return nil
}

// escape reads a backslash and what it escapes: one character or a set.
func (p *parser) escape(inClass bool) set {
	p.pos++
	if p.cur() == end {
		panic("\\ at end of pattern")
	}
	c := p.next()
	if s := escapes[c]; s != nil {
		return s
	}
	digits := 0
	switch {
	case c == 'x':
		digits = 2
	case c == 'u':
		digits = 4
	case c == 'b' && inClass:
		c = '\b'
	case c == 'k' && p.named:
		panic("Invalid escape")
	case c == 'c':
		letter := p.cur()
		if !words.has(letter) || !inClass && !unicode.IsLetter(letter) {
			p.pos-- // the c is read again, as a plain character
			return set{'\\', '\\'}
		}
		p.pos++
		c = letter & 0x1f
	case c >= '0' && c <= '7': // up to three octal digits of a value below 256
		c -= '0'
		for n := 1; n < 3 && c < 32 && p.cur() >= '0' && p.cur() <= '7'; n++ {
			c = c*8 + p.next() - '0'
		}
	}
	if v, ok := p.hex(digits); ok {
		c = v
	}
	return set{c, c}
}

// hex reads exactly n hexadecimal digits. If there are fewer, it reads none.
func (p *parser) hex(n int) (v rune, ok bool) {
	for i := range n {
		d := strings.IndexRune("0123456789abcdef", unicode.ToLower(p.at(i)))
		if d < 0 {
			return 0, false
		}
		v = v<<4 | rune(d)
	}
	p.pos += n
	return v, n > 0
}

// class reads a character class whose opening bracket has been read.
func (p *parser) class() *class {
	c := &class{dir: p.dir, not: p.skip("^")}
	for !p.skip("]") {
		low := p.classAtom()
		if p.cur() != '-' || p.at(1) == ']' || p.at(1) == end {
			c.set = append(c.set, low...)
			continue
		}
		p.pos++
		switch high := p.classAtom(); {
		case !low.single() || !high.single():
			// One end is a set such as \d, so the dash is a plain character.
			c.set = append(append(append(c.set, low...), '-', '-'), high...)
		case low[0] > high[0]:
			panic("Range out of order in character class")
		default:
			c.set = append(c.set, low[0], high[0])
		}
	}
	return c
}

// classAtom reads one character of a class, or one set such as \d.
func (p *parser) classAtom() set {
	switch p.cur() {
	case end:
		panic("Unterminated character class")
	case '\\':
		return p.escape(true)
	}
	c := p.next()
	return set{c, c}
}

var (
	identifier = regexp.MustCompile(`^[\pL\p{Nl}$_][\pL\p{Nl}$\p{Mn}\p{Mc}\p{Nd}\p{Pc}\x{200c}\x{200d}]*$`)
	nameEscape = regexp.MustCompile(`\\u(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{4}))`)
)

// groupName reads name> after the opening angle bracket.
func (p *parser) groupName() string {
	start := p.pos
	for p.cur() != '>' && p.cur() != end {
		p.pos++
	}
	name := nameEscape.ReplaceAllStringFunc(String(p.src[start:p.pos]), func(escape string) string {
		v, err := strconv.ParseUint(strings.Trim(escape, `\u{}`), 16, 32)
		if err != nil || v > unicode.MaxRune {
			return escape
		}
		return string(AppendRune(nil, rune(v)))
	})
	name = String(Units(nil, name)) // two halves of a character become one
	good, _, bad := strings.Cut(name, `\u`)
	switch {
	case bad && (good == "" || identifier.MatchString(good)):
		panic("Invalid Unicode escape")
	case !identifier.MatchString(name) || !p.skip(">"):
		panic("Invalid capture group name")
	}
	return name
}
