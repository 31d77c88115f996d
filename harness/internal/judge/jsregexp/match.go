package jsregexp

import (
	"slices"
	"unicode"
)

// matcher reports whether the rest of a pattern matches at pos. If not, it leaves the
// registers unchanged.
type matcher func(b *Budget, pos int) bool

// node is a part of a pattern. It takes the matcher of the rest and returns a matcher for
// itself and the rest.
type node func(next matcher) matcher

func accept(*Budget, int) bool { return true }

// maxDepth bounds the Go stack of a match, to about 60 MB.
const maxDepth = 1 << 19

func (b *Budget) step() bool {
	b.Steps--
	return b.Steps > 0
}

func sequence(nodes ...node) node {
	return func(next matcher) matcher {
		for _, n := range slices.Backward(nodes) {
			next = n(next)
		}
		return next
	}
}

func either(a, b node) node {
	return func(next matcher) matcher {
		first, second := a(next), b(next)
		return func(b *Budget, pos int) bool { return b.step() && (first(b, pos) || second(b, pos)) }
	}
}

// assertion is a node that consumes nothing.
func assertion(holds func(b *Budget, pos int) bool) node {
	return func(next matcher) matcher {
		return func(b *Budget, pos int) bool { return b.step() && holds(b, pos) && next(b, pos) }
	}
}

func atStart(b *Budget, pos int) bool { return pos == 0 }

func atEnd(b *Budget, pos int) bool { return pos == len(b.units) }

func atWord(b *Budget, pos int) bool {
	return (pos > 0 && words.has(b.units[pos-1])) != (pos < len(b.units) && words.has(b.units[pos]))
}

func notAtWord(b *Budget, pos int) bool { return !atWord(b, pos) }

// class is a set of code units, and the direction in which it is read.
type class struct {
	set set
	not bool // the class matches all other units
	dir int  // 1, or -1 inside a look-behind
}

// takes reports whether the unit at pos is in the class.
func (c *class) takes(b *Budget, pos int) bool {
	if c.dir < 0 {
		pos--
	}
	if pos < 0 || pos >= len(b.units) {
		return false
	}
	u := b.units[pos]
	return c.not != (c.set.has(u) || b.fold && (c.set.has(unicode.ToLower(u)) || c.set.has(unicode.ToUpper(u))))
}

func (c *class) once(next matcher) matcher {
	return func(b *Budget, pos int) bool { return b.step() && c.takes(b, pos) && next(b, pos+c.dir) }
}

// run consumes as many units of the class as it can, at least low and at most high. It does
// the same as loop, with less memory.
func (c *class) run(low, high int) node {
	return func(next matcher) matcher {
		return func(b *Budget, pos int) bool {
			n := 0
			for ; n < high && c.takes(b, pos); pos += c.dir {
				n++
			}
			b.Steps -= n / 8 // these steps are cheaper than others
			for ; n >= low && b.step(); pos -= c.dir {
				if next(b, pos) {
					return true
				}
				n--
			}
			return false
		}
	}
}

// save keeps the position.
func save(reg int) node {
	return func(next matcher) matcher {
		return func(b *Budget, pos int) bool {
			old := b.regs[reg]
			b.regs[reg] = pos
			if b.step() && next(b, pos) {
				return true
			}
			b.regs[reg] = old
			return false
		}
	}
}

// again is a back-reference: it consumes the text of the group whose registers begin at
// reg. If that group did not match, or is still open, the text is empty.
func again(reg, dir int) node {
	return func(next matcher) matcher {
		return func(b *Budget, pos int) bool {
			from, to := b.regs[reg], b.regs[reg+1]
			if from < 0 || to < 0 {
				return b.step() && next(b, pos)
			}
			end := pos + (to-from)*dir
			left, right := min(pos, end), max(pos, end)
			b.Steps -= (to - from) / 8
			return b.step() && left >= 0 && right <= len(b.units) &&
				slices.Equal(b.units[from:to], b.units[left:right]) && next(b, end)
		}
	}
}

// keep saves the registers from low to high. Its result is the argument for restore.
func (b *Budget) keep(low, high int) (mark int) {
	b.kept = append(b.kept, b.regs[low:high]...)
	return len(b.kept) - (high - low)
}

func (b *Budget) restore(low, high, mark int) {
	copy(b.regs[low:high], b.kept[mark:])
	b.kept = b.kept[:mark]
}

// look is a look-around. If it holds, its groups, with the registers low to high, stay set.
func look(body node, not bool, low, high int) node {
	return func(next matcher) matcher {
		inside := body(accept)
		return func(b *Budget, pos int) bool {
			mark, depth := b.keep(low, high), b.depth
			held := b.step() && inside(b, pos)
			b.depth = depth
			if held != not && next(b, pos) {
				return true
			}
			b.restore(low, high, mark)
			return false
		}
	}
}

// loop is a quantifier. nodes is the number of nodes in its body, and first to last are the
// registers of its groups.
type loop struct {
	body        node
	low, high   int
	lazy        bool
	reg         int // register with the number of rounds; reg+1 has the start of the last round
	nodes       int
	first, last int
}

func (l *loop) node(next matcher) matcher {
	var on matcher // continues with the next round, or with the rest
	round := l.body(func(b *Budget, pos int) bool {
		// ECMAScript undoes an optional round that consumed nothing.
		return (b.regs[l.reg] <= l.low || pos != b.regs[l.reg+1]) && on(b, pos)
	})
	on = func(b *Budget, pos int) bool {
		n, began := b.regs[l.reg], b.regs[l.reg+1]
		if !b.step() || l.lazy && n >= l.low && next(b, pos) {
			return b.Steps > 0
		}
		if n < l.high {
			if b.depth += l.nodes; b.depth > maxDepth {
				b.Steps = 0
			}
			mark := b.keep(l.first, l.last)
			for i := l.first; i < l.last; i++ {
				b.regs[i] = -1
			}
			b.regs[l.reg], b.regs[l.reg+1] = n+1, pos
			if round(b, pos) {
				return true
			}
			b.regs[l.reg], b.regs[l.reg+1] = n, began
			b.restore(l.first, l.last, mark)
			b.depth -= l.nodes
		}
		return !l.lazy && n >= l.low && next(b, pos)
	}
	return func(b *Budget, pos int) bool {
		old := b.regs[l.reg]
		b.regs[l.reg] = 0
		if on(b, pos) {
			return true
		}
		b.regs[l.reg] = old
		return false
	}
}
