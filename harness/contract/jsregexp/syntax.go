package jsregexp

import (
	"fmt"
	"strconv"
	"unicode"
)

// SyntaxError says why a source is no JavaScript regular expression.
type SyntaxError struct {
	Source string // the pattern
	Reason string // V8's words, such as "Unterminated group"
}

// Error gives the message of the SyntaxError that V8 throws.
func (e *SyntaxError) Error() string {
	return "Invalid regular expression: /" + e.Source + "/: " + e.Reason
}

// end marks the end of the source; no code unit has this value.
const end = -1

// maxCaptures is V8's limit on capturing groups.
const maxCaptures = 1<<15 - 1

// parser follows V8's regexp parser, which follows ECMAScript's Annex B, and
// writes the pattern anew as it goes. It panics with a string, V8's reason,
// on an error; Parse recovers it.
type parser struct {
	src   []rune
	lower bool // write letters in lower case
	pos   int
	out   []string // the pattern for regexp2, in pieces
	total int      // capturing groups in the whole source
	named bool     // whether any of them has a name
	count int      // capturing groups opened so far
	names map[string]int
	refs  []namedRef
	open  []group

	shapes []*shape // of the open groups; the first is the whole pattern
	refers bool     // the atom that was just read is a back-reference
	// Of the alternatives outside of groups: where the last one begins, and
	// how many begin with ^.
	altStart, anchors int
}

// namedRef is a \k<name> that is resolved once all groups are known.
type namedRef struct {
	piece int
	name  string
}

type group struct {
	start      int // index of its first piece
	number     int // 0 when it captures nothing
	name       string
	lookahead  bool
	lookbehind bool
	shape      *shape
}

// rewrite checks the source and returns the pattern for regexp2, with letters
// in lower case if asked, and its shape.
func rewrite(source string, lower bool) (pieces []string, s *shape, err error) {
	p := &parser{lower: lower, src: Units(make([]rune, 0, len(source)), source)}
	defer func() {
		if reason, ok := recover().(string); ok {
			err = &SyntaxError{Source: source, Reason: reason}
		}
	}()
	p.scan()
	p.begin()
	p.disjunction()
	for _, ref := range p.refs {
		n, ok := p.names[ref.name]
		if !ok {
			panic("Invalid named capture referenced")
		}
		p.out[ref.piece] = backReference(n)
	}
	s = p.finish()
	s.anchored = p.anchors == len(s.alts)
	return p.out, s, nil
}

func (p *parser) cur() rune { return p.at(0) }

func (p *parser) at(n int) rune {
	if p.pos+n < len(p.src) {
		return p.src[p.pos+n]
	}
	return end
}

func (p *parser) emit(s string) { p.out = append(p.out, s) }

// disjunction reads the whole pattern.
func (p *parser) disjunction() {
	for {
		atom := len(p.out) // where the atom begins that a quantifier may follow
		var closed group
		empty := false // the atom is a reference to the group it stands in
		switch c := p.cur(); c {
		case end:
			if len(p.open) > 0 {
				panic("Unterminated group")
			}
			return
		case ')':
			if len(p.open) == 0 {
				panic("Unmatched ')'")
			}
			closed = p.closeGroup()
			atom = closed.start
			p.add(closed.shape)
		case '|', '^', '$':
			if len(p.open) == 0 && c == '^' && p.pos == p.altStart {
				p.anchors++
			}
			p.pos++
			p.emit(string(c))
			if c == '|' {
				p.alternative()
			}
			continue
		case '*', '+', '?':
			panic("Nothing to repeat")
		case '(':
			p.openGroup()
			continue
		case '[':
			p.class()
		case '.':
			p.pos++
			p.emit(".")
		case '\\':
			switch p.at(1) {
			case end:
				panic("\\ at end of pattern")
			case 'b', 'B':
				p.emit(string([]rune{'\\', p.at(1)}))
				p.pos += 2
				continue
			}
			empty = p.atomEscape()
		case '{':
			if _, _, ok := p.interval(); ok {
				panic("Nothing to repeat")
			}
			fallthrough
		default:
			p.pos++
			p.emit(p.literal(c))
		}
		low, high, quantified := p.quantifier(atom, closed, empty)
		switch s := closed.shape; {
		case s != nil && quantified:
			s.low, s.high = low, high
		case s == nil && quantified:
			p.add(&shape{low: low, high: high, ref: p.refers})
		case s == nil && p.refers:
			p.add(&shape{low: 1, high: 1, ref: true})
		case s == nil:
			p.shapes[len(p.shapes)-1].plain++
		}
		p.refers = false
	}
}

// quantifier reads the quantifier, if any, of the atom whose pieces start at
// atom.
func (p *parser) quantifier(atom int, g group, empty bool) (low, high int, quantified bool) {
	switch p.cur() {
	case '*':
		low, high = 0, infinity
		p.pos++
	case '+':
		low, high = 1, infinity
		p.pos++
	case '?':
		low, high = 0, 1
		p.pos++
	case '{':
		var ok bool
		if low, high, ok = p.interval(); !ok {
			return 0, 0, false
		}
		if high < low {
			panic("numbers out of order in {} quantifier")
		}
	default:
		return 0, 0, false
	}
	lazy := ""
	if p.cur() == '?' {
		p.pos++
		lazy = "?"
	}
	switch {
	case empty:
	case g.lookbehind:
		panic("Invalid quantifier")
	case g.lookahead && low > 0:
		// A look-ahead consumes nothing: one round is as good as many.
	case g.lookahead:
		// Rounds that consume nothing are undone: none at all. The groups
		// inside must keep their numbers.
		p.out[atom] = "(?:(?!)" + p.out[atom]
		p.emit(")?")
	case high == infinity && low == 0:
		p.emit("*" + lazy)
	case high == infinity && low == 1:
		p.emit("+" + lazy)
	case high == infinity:
		p.emit(fmt.Sprintf("{%d,}%s", low, lazy))
	case low == 0 && high == 1:
		p.emit("?" + lazy)
	default:
		p.emit(fmt.Sprintf("{%d,%d}%s", low, high, lazy))
	}
	return low, high, true
}

const infinity = 1<<31 - 1

// interval reads {n}, {n,} or {n,m}; anything else is left unread.
func (p *parser) interval() (low, high int, ok bool) {
	start := p.pos
	p.pos++
	low, ok = p.number()
	high = low
	if ok && p.cur() == ',' {
		p.pos++
		high = infinity
		if n, more := p.number(); more {
			high = n
		}
	}
	if !ok || p.cur() != '}' {
		p.pos = start
		return 0, 0, false
	}
	p.pos++
	return low, high, true
}

// number reads decimal digits; too large a number is infinity.
func (p *parser) number() (n int, ok bool) {
	for ; isDigit(p.cur()); p.pos++ {
		ok = true
		n = min(n*10+int(p.cur()-'0'), infinity)
	}
	return n, ok
}

func isDigit(c rune) bool { return c >= '0' && c <= '9' }

// literal writes one code unit so that it stands for itself anywhere.
func (p *parser) literal(c rune) string {
	if p.lower {
		if l := unicode.ToLower(c); l <= maxUnit {
			c = l
		}
	}
	return literal(c)
}

func literal(c rune) string {
	if c < 0x80 && (isDigit(c) || unicode.IsLetter(c)) {
		return string(c)
	}
	if isSurrogate(c) {
		return string(c + standIn)
	}
	return fmt.Sprintf(`\u%04x`, c)
}

// backReference cannot run into a digit that follows it.
func backReference(n int) string { return `(?:\` + strconv.Itoa(n) + `)` }
