package jsregexp

import (
	"math"
	"slices"
	"strings"
)

// end marks the end of the source; no code unit has this value.
const end = -1

// parser follows V8's regexp parser, which follows ECMAScript's Annex B. It
// panics with a string, V8's reason, on an error; Parse recovers it.
type parser struct {
	src   []rune
	pos   int
	total int            // capturing groups in the whole source
	named bool           // whether any of them has a name
	names map[string]int // the number of each named group
	regs  int            // registers in use, see Budget
	dir   int            // 1, or -1 inside a look-behind
	depth int            // number of open groups
	// lead is the class of the run at the start of every match, such as .* or \s+. It is
	// nil if there is none.
	lead *class

	// Counts so far: opened capturing groups, nodes, and nodes that can consume something.
	groups, nodes, takers int
}

func (p *parser) cur() rune { return p.at(0) }

func (p *parser) at(n int) rune {
	if p.pos+n < len(p.src) {
		return p.src[p.pos+n]
	}
	return end
}

// skip reads text and returns true if text comes next; else it reads nothing.
func (p *parser) skip(text string) bool {
	for i, c := range text {
		if p.at(i) != c {
			return false
		}
	}
	p.pos += len(text)
	return true
}

func (p *parser) pattern() node {
	p.countGroups()
	p.names, p.regs, p.dir = map[string]int{}, 2*p.total, 1
	n := p.disjunction()
	if p.cur() == ')' {
		panic("Unmatched ')'")
	}
	return n
}

// countGroups counts the capturing groups before anything is parsed, because later groups
// decide whether \1 and \k are references.
func (p *parser) countGroups() {
	inClass := false
	for ; p.cur() != end; p.pos++ {
		switch c := p.cur(); {
		case c == '\\':
			p.pos++
		case c == '[' || c == ']':
			inClass = c == '['
		case c != '(' || inClass:
		case p.at(1) != '?':
			p.total++
		case p.at(2) == '<' && p.at(3) != '=' && p.at(3) != '!':
			p.named = true
			p.total++
		}
	}
	p.pos = 0
}

// disjunction reads alternatives up to a closing parenthesis or the end.
func (p *parser) disjunction() node {
	var nodes []node
	for p.cur() != end && p.cur() != ')' && p.cur() != '|' {
		nodes = append(nodes, p.term())
	}
	if p.dir < 0 {
		slices.Reverse(nodes)
	}
	if p.skip("|") {
		if p.depth == 0 {
			p.lead = nil
		}
		return either(sequence(nodes...), p.disjunction())
	}
	return sequence(nodes...)
}

// term reads an atom with its quantifier, or an assertion.
func (p *parser) term() node {
	l := &loop{first: 2 * p.groups, nodes: -p.nodes}
	takers, leads := p.takers, p.pos == 0
	p.nodes++
	var c *class // used instead of l.body if it is set
	behind := false
	switch {
	case p.skip("^"):
		return assertion(atStart)
	case p.skip("$"):
		return assertion(atEnd)
	case p.skip(`\b`):
		return assertion(atWord)
	case p.skip(`\B`):
		return assertion(notAtWord)
	case strings.ContainsRune("*+?", p.cur()):
		panic("Nothing to repeat")
	case p.cur() == '{':
		if _, _, ok := p.interval(); ok {
			panic("Nothing to repeat")
		}
		c = p.one(p.next())
	case p.skip("("):
		l.body, behind = p.group()
	case p.skip("["):
		c = p.class()
	case p.skip("."):
		c = &class{set: lineEnds, not: true, dir: p.dir}
	case p.cur() == '\\':
		if l.body = p.reference(); l.body == nil {
			c = &class{set: p.escape(false), dir: p.dir}
		}
	default:
		c = p.one(p.next())
	}
	if c != nil {
		l.body = c.once
		p.takers++
	}
	if !p.quantifier(l) {
		return l.body
	}
	if behind {
		panic("Invalid quantifier")
	}
	l.last, l.nodes = 2*p.groups, l.nodes+p.nodes+2
	switch {
	case p.takers == takers && l.low > 0:
		return l.body // it consumes nothing, so one round is enough
	case p.takers == takers:
		return sequence() // and an optional round is undone
	case c != nil && !l.lazy:
		if leads && l.high == math.MaxInt {
			p.lead = c
		}
		return c.run(l.low, l.high)
	}
	l.reg = p.regs
	p.regs += 2
	return l.node
}

func (p *parser) next() rune {
	p.pos++
	return p.src[p.pos-1]
}

func (p *parser) one(c rune) *class { return &class{set: set{c, c}, dir: p.dir} }

// group reads a group whose opening parenthesis has been read. It reports whether the group
// is a look-behind, which cannot have a quantifier.
func (p *parser) group() (n node, behind bool) {
	dir, takers, before := p.dir, p.takers, p.groups
	p.depth++
	body := func() node {
		n := p.disjunction()
		if !p.skip(")") {
			panic("Unterminated group")
		}
		p.dir = dir
		p.depth--
		return n
	}
	for _, kind := range []string{"?=", "?!", "?<=", "?<!"} {
		if p.skip(kind) {
			behind = len(kind) == 3
			p.dir = 1
			if behind {
				p.dir = -1
			}
			n = body()
			p.takers = takers
			return look(n, strings.HasSuffix(kind, "!"), 2*before, 2*p.groups), behind
		}
	}
	if p.skip("?:") {
		return body(), false
	}
	name := ""
	if p.skip("?<") {
		name = p.groupName()
	} else if p.cur() == '?' {
		panic("Invalid group")
	}
	p.groups++
	left, right := save(2*before), save(2*before+1)
	n = body()
	if _, dup := p.names[name]; dup {
		panic("Duplicate capture group name")
	}
	if name != "" {
		p.names[name] = before
	}
	if dir < 0 {
		left, right = right, left
	}
	return sequence(left, n, right), false
}

func (p *parser) quantifier(l *loop) (ok bool) {
	switch {
	case p.skip("*"):
		l.low, l.high = 0, math.MaxInt
	case p.skip("+"):
		l.low, l.high = 1, math.MaxInt
	case p.skip("?"):
		l.low, l.high = 0, 1
	default:
		if l.low, l.high, ok = p.interval(); !ok {
			return false
		}
		if l.high < l.low {
			panic("numbers out of order in {} quantifier")
		}
	}
	l.lazy = p.skip("?")
	return true
}

// interval reads {n}, {n,} or {n,m}; anything else is left unread.
func (p *parser) interval() (low, high int, ok bool) {
	start := p.pos
	if p.skip("{") {
		low, ok = p.number()
		high = low
		if ok && p.skip(",") {
			var bounded bool
			if high, bounded = p.number(); !bounded {
				high = math.MaxInt
			}
		}
		if ok && p.skip("}") {
			return low, high, true
		}
	}
	p.pos = start
	return 0, 0, false
}

// number reads decimal digits; too large a number counts as V8's infinity.
func (p *parser) number() (n int, ok bool) {
	for ; digits.has(p.cur()); p.pos++ {
		ok = true
		n = min(n*10+int(p.cur()-'0'), math.MaxInt32)
	}
	return n, ok
}
