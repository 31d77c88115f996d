package jsregexp

// atomEscape reads a backslash and what it escapes, outside of a class. It
// reports whether it was a reference to the group it stands in, which
// matches the empty string and takes no quantifier.
func (p *parser) atomEscape() (empty bool) {
	switch c := p.at(1); {
	case c >= '1' && c <= '9':
		if n, ok := p.backReferenceIndex(); ok {
			if p.insideGroup(func(g group) bool { return g.number == n }) {
				return true
			}
			p.emit(backReference(n))
			p.refers = true
			return false
		}
		if c >= '8' {
			p.pos += 2
			p.emit(string(c))
			return false
		}
		p.pos++
		p.emit(p.literal(p.octal()))
	case c == '0':
		p.pos++
		p.emit(p.literal(p.octal()))
	case isClassEscape(c):
		p.pos += 2
		p.emit(string([]rune{'\\', c}))
	case c == 'k' && p.named:
		p.pos += 2
		if p.cur() != '<' {
			panic("Invalid named reference")
		}
		p.pos++
		name := p.groupName()
		if p.insideGroup(func(g group) bool { return g.name == name }) {
			return true
		}
		p.refs = append(p.refs, namedRef{piece: len(p.out), name: name})
		p.emit("")
		p.refers = true
	default:
		p.emit(p.literal(p.characterEscape(false)))
	}
	return false
}

// backReferenceIndex reads the number of an existing group; anything else is
// left unread.
func (p *parser) backReferenceIndex() (int, bool) {
	start := p.pos
	p.pos++
	n, _ := p.number()
	if n > p.total {
		p.pos = start
		return 0, false
	}
	return n, true
}

func isClassEscape(c rune) bool {
	switch c {
	case 'd', 'D', 's', 'S', 'w', 'W':
		return true
	}
	return false
}

// octal reads up to three octal digits of a value below 256.
func (p *parser) octal() rune {
	v := p.cur() - '0'
	p.pos++
	for n := 1; n < 3 && v < 32 && p.cur() >= '0' && p.cur() <= '7'; n++ {
		v = v*8 + p.cur() - '0'
		p.pos++
	}
	return v
}

// characterEscape reads a backslash and the one character it gives.
func (p *parser) characterEscape(inClass bool) rune {
	p.pos++
	c := p.cur()
	switch {
	case c >= '0' && c <= '7':
		return p.octal()
	case c == 'c':
		letter := p.at(1)
		if l := letter | 0x20; l >= 'a' && l <= 'z' || inClass && (isDigit(letter) || letter == '_') {
			p.pos += 2
			return letter & 0x1f
		}
		return '\\' // the c is read again, as itself
	case c == 'k' && p.named:
		panic("Invalid escape")
	}
	p.pos++
	switch c {
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case 'v':
		return '\v'
	case 'x':
		if v, ok := p.hex(2); ok {
			return v
		}
	case 'u':
		if v, ok := p.hex(4); ok {
			return v
		}
	}
	return c
}

// hex reads exactly n hexadecimal digits; with fewer it reads none.
func (p *parser) hex(n int) (v rune, ok bool) {
	for i := range n {
		d := hexValue(p.at(i))
		if d < 0 {
			return 0, false
		}
		v = v<<4 | d
	}
	p.pos += n
	return v, true
}

func hexValue(c rune) rune {
	switch {
	case isDigit(c):
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return -1
}
