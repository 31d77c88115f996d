package jsregexp

import "unicode"

// scan counts the capturing groups ahead of everything else: whether \1 and
// \k are references depends on groups that may come later.
func (p *parser) scan() {
	for i := 0; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			i++
		case '[':
			for i++; i < len(p.src) && p.src[i] != ']'; i++ {
				if p.src[i] == '\\' {
					i++
				}
			}
		case '(':
			if i+1 < len(p.src) && p.src[i+1] == '?' {
				if i+2 >= len(p.src) || p.src[i+2] != '<' {
					continue
				}
				if i+3 < len(p.src) && (p.src[i+3] == '=' || p.src[i+3] == '!') {
					continue
				}
				p.named = true
			}
			p.total++
		}
	}
}

func (p *parser) openGroup() {
	g := group{start: len(p.out)}
	p.pos++
	text := "("
	captures := true
	if p.cur() == '?' {
		captures = false
		switch p.at(1) {
		case ':':
			text = "(?:"
			p.pos += 2
		case '=', '!':
			text = "(?" + string(p.at(1))
			g.lookahead = true
			p.pos += 2
		case '<':
			if c := p.at(2); c == '=' || c == '!' {
				text = "(?<" + string(c)
				g.lookbehind = true
				p.pos += 3
				break
			}
			captures = true
			p.pos += 2
			g.name = p.groupName()
		default:
			panic("Invalid group")
		}
	}
	if captures {
		if p.count >= maxCaptures {
			panic("Too many captures")
		}
		p.count++
		g.number = p.count
	}
	p.emit(text)
	p.open = append(p.open, g)
	p.begin()
}

func (p *parser) closeGroup() group {
	p.pos++
	g := p.open[len(p.open)-1]
	p.open = p.open[:len(p.open)-1]
	if g.name != "" {
		if _, dup := p.names[g.name]; dup {
			panic("Duplicate capture group name")
		}
		if p.names == nil {
			p.names = map[string]int{}
		}
		p.names[g.name] = g.number
	}
	p.emit(")")
	g.shape = p.finish()
	g.shape.look = g.lookahead || g.lookbehind
	return g
}

// insideGroup reports whether the reader stands inside that group: a
// reference to it from there matches the empty string.
func (p *parser) insideGroup(is func(group) bool) bool {
	for _, g := range p.open {
		if is(g) {
			return true
		}
	}
	return false
}

// groupName reads name> after the opening angle bracket.
func (p *parser) groupName() string {
	var name []rune
	for {
		c := p.codePoint()
		if c == '>' && len(name) > 0 {
			return string(name)
		}
		if c == '\\' && p.cur() == 'u' {
			p.pos++
			var ok bool
			if c, ok = p.unicodeEscape(); !ok {
				panic("Invalid Unicode escape")
			}
		}
		if !isIdentifier(c, len(name) == 0) {
			panic("Invalid capture group name")
		}
		name = append(name, c)
	}
}

// codePoint reads one code point: names are read so even without the u flag.
func (p *parser) codePoint() rune {
	c := p.cur()
	if c == end {
		return end
	}
	p.pos++
	if low := p.cur(); c >= surrogateMin && c < lowMin && low >= lowMin && low <= surrogateMax {
		p.pos++
		return 0x10000 + (c-surrogateMin)<<10 + low - lowMin
	}
	return c
}

// unicodeEscape reads what follows \u in a name: XXXX, a pair of surrogates
// written so, or {X…}.
func (p *parser) unicodeEscape() (rune, bool) {
	if p.cur() == '{' {
		p.pos++
		var v rune
		n := 0
		for ; hexValue(p.cur()) >= 0; n++ {
			if v = v<<4 | hexValue(p.cur()); v > unicode.MaxRune {
				return 0, false
			}
			p.pos++
		}
		if n == 0 || p.cur() != '}' {
			return 0, false
		}
		p.pos++
		return v, true
	}
	c, ok := p.hex(4)
	if ok && c >= surrogateMin && c < lowMin && p.cur() == '\\' && p.at(1) == 'u' {
		start := p.pos
		p.pos += 2
		if low, ok := p.hex(4); ok && low >= lowMin && low <= surrogateMax {
			return 0x10000 + (c-surrogateMin)<<10 + low - lowMin, true
		}
		p.pos = start
	}
	return c, ok
}

func isIdentifier(c rune, first bool) bool {
	switch {
	case c == '$' || c == '_':
		return true
	case unicode.IsLetter(c), unicode.In(c, unicode.Nl, unicode.Other_ID_Start):
		return true
	case first:
		return false
	}
	return c == 0x200c || c == 0x200d ||
		unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
}
