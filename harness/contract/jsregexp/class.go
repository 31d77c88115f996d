package jsregexp

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class reads a character class.
func (p *parser) class() {
	p.pos++
	negated := p.cur() == '^'
	if negated {
		p.pos++
	}
	var b strings.Builder
	for p.cur() != ']' {
		if p.cur() == end {
			panic("Unterminated character class")
		}
		low, set := p.classAtom()
		if p.cur() != '-' {
			b.WriteString(p.classItem(low, set))
			continue
		}
		p.pos++
		switch p.cur() {
		case end:
			continue
		case ']':
			b.WriteString(p.classItem(low, set) + literal('-'))
			continue
		}
		high, highSet := p.classAtom()
		if set || highSet {
			// One end is a set such as \d: the dash stands for itself.
			b.WriteString(p.classItem(low, set) + literal('-') + p.classItem(high, highSet))
			continue
		}
		if low > high {
			panic("Range out of order in character class")
		}
		if p.lower && unicode.IsUpper(low) && unicode.IsUpper(high) {
			low, high = unicode.ToLower(low), max(unicode.ToLower(low), unicode.ToLower(high))
		}
		b.WriteString(classRange(low, high))
	}
	p.pos++
	switch {
	case b.Len() == 0 && negated:
		p.emit(`[` + classRange(0, maxUnit) + `]`)
	case b.Len() == 0:
		p.emit(`[^` + classRange(0, maxUnit) + `]`)
	case negated && isHighUnit(b.String()):
		// regexp2 2.12 forgets the characters beyond in [^c] | x when c is
		// U+FFFF or above (syntax/prefix.go, Notone); it does not with a
		// second character, here one that no subject has.
		p.emit("[^" + b.String() + "\U0010ffff]")
	case negated:
		p.emit("[^" + b.String() + "]")
	default:
		p.emit("[" + b.String() + "]")
	}
}

// isHighUnit reports whether the text of a class is one literal, of U+FFFF or
// of a surrogate.
func isHighUnit(text string) bool {
	r, size := utf8.DecodeRuneInString(text)
	return text == literal(maxUnit) || r > maxUnit && size == len(text)
}

// classAtom reads one character of a class, or one set such as \d, which is
// named by its letter.
func (p *parser) classAtom() (c rune, set bool) {
	c = p.cur()
	if c != '\\' {
		p.pos++
		return c, false
	}
	switch c = p.at(1); {
	case c == end:
		panic("\\ at end of pattern")
	case c == 'b':
		p.pos += 2
		return '\b', false
	case isClassEscape(c):
		p.pos += 2
		return c, true
	}
	return p.characterEscape(true), false
}

func (p *parser) classItem(c rune, set bool) string {
	if set {
		return string([]rune{'\\', c})
	}
	return p.literal(c)
}

// classRange writes a range of code units; surrogates stand elsewhere.
func classRange(low, high rune) string {
	var b strings.Builder
	part := func(from, to rune) {
		if from, to := max(low, from), min(high, to); from <= to {
			b.WriteString(literal(from) + "-" + literal(to))
		}
	}
	part(0, surrogateMin-1)
	part(surrogateMin, surrogateMax)
	part(surrogateMax+1, maxUnit)
	return b.String()
}
